import { expect, test } from 'vitest';
import type { RunReport } from '../../../lib/controllers/run/ports.ts';
import type { Blocked } from '../../../lib/core/model/decision.ts';
import { telemetryOf } from '../../../lib/operator/telemetry/telemetry.ts';
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
  const text = await heard(() => {
    telemetryOf('lifecycle').report(cause, aRunReport({ ignored: SIGN, ...over }));
  });
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
