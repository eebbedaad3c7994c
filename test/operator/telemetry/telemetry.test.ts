import { expect, test } from 'vitest';
import type { RunReport } from '../../../lib/controllers/run/ports.ts';
import type { Telemetry } from '../../../lib/controllers/run/telemetry.ts';
import type { Blocked } from '../../../lib/core/model/decision.ts';
import { ProblemError } from '../../../lib/core/problems/problems.ts';
import { telemetryOf } from '../../../lib/operator/telemetry/telemetry.ts';
import { CallBudgetError, portErrorOf } from '../../../lib/ports/errors.ts';
import type { Wake } from '../../../lib/ports/messages.ts';
import { aRunReport } from '../../builders/decisions.ts';
import { heard } from '../../heard.ts';
import { at } from '../../stack/json.ts';

const SIGN: Blocked = {
  subject: { kind: 'Cluster', name: 'demo' },
  reason: 'UnprovenAutoscaler',
  message: 'Deployment team-a/karpenter: its namespace is not one of karpenterNamespaces',
  numbers: { signs: 1 },
};

/** The log lines of a run that found the sign, with this message. */
async function linesOf(message: string, cause: Pick<Wake, 'reason' | 'nodeClaim'>, over: Partial<RunReport>) {
  return linesWith(message, (telemetry) => telemetry.report(cause, aRunReport({ ignored: SIGN, ...over })));
}

async function linesWith(message: string, work: (telemetry: Telemetry) => void): Promise<readonly unknown[]> {
  const text = await heard(() => work(telemetryOf('lifecycle')));
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line): unknown => JSON.parse(line)).filter((line) => at(line, 'message') === message);
}

const IGNORED = 'sign of another autoscaler ignored';

test('a sign of another autoscaler that is ignored is logged with its cluster, its reason and the object', async () => {
  expect(await linesOf(IGNORED, { reason: 'tick' }, {})).toMatchObject([
    { level: 'WARN', cluster: 'demo', reason: SIGN.reason, why: SIGN.message, numbers: SIGN.numbers },
  ]);
});

test('it is logged once a minute: not by other functions, nor by the runs for one NodeClaim', async () => {
  expect(await linesOf(IGNORED, { reason: 'tick' }, { controller: 'provisioning' })).toEqual([]);
  expect(await linesOf(IGNORED, { reason: 'webhook', nodeClaim: 'general-1' }, {})).toEqual([]);
});

test('a run that ignores a sign is not on standby', async () => {
  expect(await linesOf('reconciled', { reason: 'tick' }, {})).toHaveLength(1);
  expect(await linesOf('standby', { reason: 'tick' }, {})).toEqual([]);
});

test('a problem that a run has found is logged with its cause, its numbers and its section of the runbook', async () => {
  const problem = {
    kind: 'DrainStuck',
    message: 'NodeClaim a: draining for 61 minutes',
    numbers: { nodeClaims: 1 },
  } as const;
  const { kind, message: why, numbers } = problem;
  expect(await linesOf('problem', { reason: 'tick' }, { problems: [problem] })).toMatchObject([
    { level: 'WARN', cluster: 'demo', problem: kind, why, numbers, runbook: 'docs/runbook.md#drainstuck' },
  ]);
});

test('a problem that failures show is logged once for each kind, also if it is the cause of a failure', async () => {
  const budget = new CallBudgetError('EC2 CreateFleet was not called');
  const webhook = new ProblemError('WebhookDisabled', 'webhook disabled');
  const failures = [
    webhook,
    new Error('claim-1', { cause: budget }),
    new Error('claim-2', { cause: budget }),
    new Error('node-1', { cause: portErrorOf(new TypeError('a bug')) }),
    new Error('other'),
  ];
  expect(await linesOf('problem', { reason: 'tick' }, { failures })).toMatchObject([
    { problem: 'WebhookDisabled', why: 'webhook disabled', numbers: { failures: 1 } },
    { problem: 'CallBudgetSpent', why: 'claim-1', numbers: { failures: 2 } },
    { problem: 'UnexpectedError', why: 'node-1', numbers: { failures: 1 } },
  ]);
});

test('a run that fails because of the call budget has this problem', async () => {
  const wake = { cluster: 'demo', reason: 'tick' };
  const fail = (error: Error) => linesWith('problem', (telemetry) => telemetry.failure(wake, error));
  expect(await fail(new CallBudgetError('no calls left'))).toMatchObject([{ problem: 'CallBudgetSpent' }]);
  expect(await fail(new Error('other'))).toEqual([]);
});
