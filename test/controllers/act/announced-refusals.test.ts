import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import { recordAndAct } from '../../../lib/controllers/run/cluster-decision.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { Blocked, Decision } from '../../../lib/core/model/decision.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aDecision } from '../../builders/decisions.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';
import { UNUSED } from '../../operator/messages.ts';

const OF_POD: Blocked = {
  subject: { kind: 'Pod', namespace: 'default', name: 'web-1' },
  reason: 'InsufficientResources',
  message: 'too large',
  numbers: {},
};
const OF_NODE: Blocked = { subject: { kind: 'Node', name: 'a' }, reason: 'PDB', message: 'held', numbers: {} };
const TOO_YOUNG: Blocked = { ...OF_NODE, reason: 'ConsolidateAfter', message: 'too young' };

test('a refusal of a pod is announced after each decision (F16), that of another object once an hour, and that a node is young never', async () => {
  let nowMs = NOW_MS;
  const published: (readonly string[])[] = [];
  const ports: ControllerPorts = Object.create(
    UNUSED,
    Object.getOwnPropertyDescriptors({
      store: memoryNodeClaimStore(),
      clock: { now: () => nowMs },
      refusals: reportedRefusals(),
      messages: {
        publish: async ({ blocked }: Decision) => void published.push(blocked.map(({ message }) => message)),
      },
      cluster: { publishEvent: async () => {} },
    }),
  );
  const { actions: _actions, blocked: _blocked, ...named } = aDecision();
  for (const afterMs of [0, MINUTE_MS, HOUR_MS]) {
    nowMs = NOW_MS + afterMs;
    const verdict = { actions: [], blocked: [OF_POD, OF_NODE, TOO_YOUNG], due: [] };
    await recordAndAct(ports, aSnapshot(), { named, verdict });
  }
  expect(published).toEqual([['too large', 'held'], ['too large'], ['too large', 'held']]);
});
