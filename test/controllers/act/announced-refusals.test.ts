import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import { recordAndAct } from '../../../lib/controllers/run/cluster-decision.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { Blocked, Controller, Decision } from '../../../lib/core/model/decision.ts';
import type { ClusterEvent } from '../../../lib/core/model/event.ts';
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

/** The objects that have an Event after each of the runs, which are a minute apart and have the same refusals. */
async function shownAfter(
  runs: number,
  blocked: readonly Blocked[],
  controller: Controller,
): Promise<readonly string[][]> {
  let nowMs = NOW_MS;
  const shown: string[][] = [];
  const ports: ControllerPorts = Object.create(
    UNUSED,
    Object.getOwnPropertyDescriptors({
      store: memoryNodeClaimStore(),
      clock: { now: () => nowMs },
      refusals: reportedRefusals(),
      messages: { publish: async () => {} },
      cluster: {
        publishEvent: async ({ regarding: { kind, namespace = '', name } }: ClusterEvent) =>
          void shown.at(-1)?.push(`${kind} ${namespace}/${name}`),
      },
    }),
  );
  const { actions: _actions, blocked: _blocked, ...named } = aDecision({ controller });
  for (let run = 0; run < runs; run += 1, nowMs += MINUTE_MS) {
    shown.push([]);
    await recordAndAct(ports, aSnapshot(), { named, verdict: { actions: [], blocked, due: [] } });
  }
  return shown;
}

function refusedPods(namespace: string, count: number): readonly Blocked[] {
  return Array.from({ length: count }, (_, at) => ({
    ...OF_POD,
    subject: { kind: 'Pod', namespace, name: `web-${at}` } as const,
  }));
}

test('nodes beyond the limit of a run have their Events in the next runs', async () => {
  const nodes = Array.from(
    { length: 150 },
    (_, at): Blocked => ({ ...OF_NODE, subject: { kind: 'Node', name: `n${at}` } }),
  );
  const shown = await shownAfter(4, nodes, 'disruption');
  expect(shown.map(({ length }) => length)).toEqual([40, 40, 40, 30]);
  expect(new Set(shown.flat()).size).toBe(150);
});

test('many refused pods of a namespace do not hide the Events of other pods and objects', async () => {
  const blocked = [...refusedPods('crowded', 300), ...refusedPods('other', 5), OF_NODE];
  const shown = await shownAfter(9, blocked, 'provisioning');
  const others = [...refusedPods('other', 5).map(({ subject }) => `Pod other/${subject.name}`), 'Node /a'];
  expect(shown[0]).toEqual(expect.arrayContaining(others));
  // Each pod has an Event before any pod has a second one.
  expect(new Set(shown.slice(0, 8).flat()).size).toBe(306);
});
