import { expect, test } from 'vitest';
import { INTERRUPTION_TARGETS, VARIABLES } from '../../../lib/operator/options/options.ts';
import { wireInterruption } from '../../../lib/operator/wiring/interruption.ts';
import { UnexpectedError } from '../../../lib/ports/errors.ts';
import { aRunReport } from '../../builders/decisions.ts';
import { heard } from '../../heard.ts';

const ENVIRONMENT = {
  AWS_REGION: 'eu-west-3',
  [VARIABLES.clusters]: '{"demo":{}}',
  [VARIABLES.table]: 'state',
  [VARIABLES.eventBus]: 'decisions',
  [VARIABLES.ownQueue]: 'https://sqs.test/own',
  ...Object.fromEntries(INTERRUPTION_TARGETS.map((target) => [VARIABLES.queue(target), `https://sqs.test/${target}`])),
};

test('a problem of the interruption function is in the metric that the alarm of the deployment reads', async () => {
  const { runtime } = wireInterruption(ENVIRONMENT);
  const failures = [new UnexpectedError('unexpected error: TypeError: a bug')];
  const text = await heard(() =>
    runtime.telemetry.report({ reason: 'event' }, aRunReport({ controller: 'interruption', failures })),
  );
  const lines = text.split('\n').filter((line) => line.includes('"Problems":'));
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([{ Table: 'state', Problems: 1 }]);
});
