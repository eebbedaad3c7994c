import { describe, expect, test } from 'vitest';
import { disruptBy } from '../../../../lib/core/disruption/disrupt.ts';
import { drift } from '../../../../lib/core/disruption/methods/drift.ts';
import { staticDrift } from '../../../../lib/core/disruption/methods/static-drift.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import type { Drift } from '../../../../lib/core/model/node-claim-record.ts';
import { anInstanceType, anOffering } from '../../../builders/instance-types.ts';
import { aPoolView, type NodePoolViewOptions } from '../../../builders/node-pools.ts';
import { runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { HOUR, NOW_MS } from '../../../builders/times.ts';

const INVALID = { reason: 'NodePoolValidationFailed', message: 'spec.limits.nodes is not a quantity' } as const;
const ALL = { budgets: [{ nodes: '100%' }] };

function drifted(name: string, hours: number) {
  const found: Drift = { reason: 'NodePoolDrifted', message: '', sinceMs: NOW_MS - hours * HOUR };
  return initializedNode({ name }, { drift: found });
}

/** A static NodePool of three nodes, of which two are drifted. */
function aCluster(pool: NodePoolViewOptions = {}, over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return snapshotOf([drifted('young', 1), drifted('old', 2), initializedNode({ name: 'good' })], {
    nodePools: [aPoolView({ replicas: 3, disruption: ALL, ...pool })],
    options: { staticCapacity: true },
    pods: [runningPod('young', { name: 'a' }), runningPod('old', { name: 'b' })],
    ...over,
  });
}

function decide(snapshot: ClusterSnapshot) {
  return disruptBy([staticDrift, drift], snapshot, { decisionId: 'decision-1', nowMs: NOW_MS });
}

function commandsFor(snapshot: ClusterSnapshot): readonly (readonly [string | undefined, number])[] {
  return decide(snapshot).actions.flatMap((action) =>
    action.kind === 'start-disruption'
      ? [[action.command.candidates[0]?.node, action.command.replacements.length] as const]
      : [],
  );
}

describe('E31: drifted nodes of a static NodePool', () => {
  test('are replaced one by one by nodes of the NodePool, the oldest drift first', () => {
    expect(commandsFor(aCluster())).toEqual([
      ['old', 1],
      ['young', 1],
    ]);
    expect(decide(aCluster()).actions).toMatchObject([
      {
        command: {
          method: 'static-drift',
          reason: 'Drifted',
          validateAtMs: NOW_MS,
          replacements: [{ nodePool: 'general' }],
        },
      },
      {},
    ]);
  });

  test.each<[string, ClusterSnapshot, [number, string]]>([
    ['while budgets allow it', aCluster({ disruption: { budgets: [{ nodes: '1' }] } }), [1, 'BudgetExhausted']],
    ['while limits.nodes has room for the new nodes', aCluster({ limits: { nodes: '4' } }), [1, 'LimitExceeded']],
    ['not while limits.nodes is reached', aCluster({ limits: { nodes: '3' } }), [0, 'LimitExceeded']],
    ['not while the NodePool cannot launch nodes', aCluster({ types: [] }), [0, 'NoOffering']],
    [
      'not while the NodePool is invalid',
      aCluster({ limits: { nodes: 'many' }, unusable: INVALID }),
      [0, INVALID.reason],
    ],
    ['not without the feature gate', aCluster({}, { options: {} }), [0, 'StaticCapacityNotSupported']],
  ])('%s', (_, snapshot, [count, reason]) => {
    expect(commandsFor(snapshot)).toHaveLength(count);
    expect(decide(snapshot).blocked.at(-1)).toMatchObject({ reason });
  });

  test.each([
    [0, []],
    [1, [['old', 1]]],
  ])('are replaced by reserved capacity while an instance is free: %s (B59)', (instances, commands) => {
    const offering = { ...anOffering('eu-west-3a', 'reserved', 1e-8), reservation: { id: 'cr-1', instances } };
    const snapshot = aCluster({ types: [anInstanceType({ offerings: [offering] })] });
    expect(commandsFor(snapshot)).toEqual(commands);
    expect(decide(snapshot).blocked.at(-1)).toMatchObject({
      subject: { name: 'young' },
      reason: 'ReservationExhausted',
      numbers: { reservations: 1, instances },
    });
  });

  test('wait until the NodePool has no more nodes than replicas', () => {
    expect(decide(aCluster({ replicas: 2 })).actions).toMatchObject([
      { kind: 'delete-node-claim', nodeClaim: 'claim-good', reason: 'overprovisioned' },
    ]);
  });

  test('of an open command are validated again', () => {
    const [first] = decide(aCluster()).actions;
    if (first?.kind !== 'start-disruption') throw new Error('no command');
    const again = disruptBy([staticDrift], aCluster({}, { commands: [first.command] }), {
      decisionId: 'd-2',
      nowMs: NOW_MS,
    });
    expect(again.actions).toMatchObject([
      { kind: 'continue-disruption', command: { state: 'replacing', candidates: [{ node: 'old' }] } },
      { kind: 'create-node-claim', nodeClaim: { nodePool: 'general', pods: [] } },
      { kind: 'cordon-node' },
    ]);
  });

  test('of several open commands are replaced at the same time', () => {
    const commands = decide(aCluster()).actions.flatMap((one) =>
      one.kind === 'start-disruption' ? [one.command] : [],
    );
    const { actions, passMemory } = decide(aCluster({}, { commands }));
    expect(actions.filter(({ kind }) => kind === 'create-node-claim')).toHaveLength(2);
    expect(actions.filter(({ kind }) => kind === 'end-disruption')).toEqual([]);
    expect(passMemory).toBeUndefined();
  });

  test('of several open commands are replaced while limits.nodes has room for the new nodes', () => {
    const commands = decide(aCluster()).actions.flatMap((one) =>
      one.kind === 'start-disruption' ? [one.command] : [],
    );
    const { actions } = decide(aCluster({ limits: { nodes: '4' } }, { commands }));
    expect(actions.filter(({ kind }) => kind === 'create-node-claim')).toHaveLength(1);
  });
});
