import { describe, expect, test } from 'vitest';
import type { NodePool } from '../../../../lib/apis/node-pool.ts';
import { disruptBy } from '../../../../lib/core/disruption/disrupt.ts';
import type { Method, World } from '../../../../lib/core/disruption/method.ts';
import { drift } from '../../../../lib/core/disruption/methods/drift.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { type Drift, type NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { aCommand, candidatesNamed } from '../../../builders/decisions.ts';
import { anInstanceType } from '../../../builders/instance-types.ts';
import { claimSpec } from '../../../builders/node-claims.ts';
import { aNodePool, aPoolView } from '../../../builders/node-pools.ts';
import { aBudget, type NodeOptions } from '../../../builders/nodes.ts';
import { type PodOptions, runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { HOUR, MINUTE, NOW_MS } from '../../../builders/times.ts';

function since(sinceMs: number): Drift {
  return { reason: 'AMIDrift', message: 'its image is another one', sinceMs };
}

/** A node that has been drifted for some hours. */
function drifted(
  name: string,
  hours = 1,
  over: { readonly claim?: Partial<NodeClaimRecord>; readonly node?: NodeOptions } = {},
) {
  return initializedNode({ name, ...over.node }, { drift: since(NOW_MS - hours * HOUR), ...over.claim });
}

/** A NodePool of the types; with m5.large only, a new node holds one pod of `aPodOn`. */
function pools(disruption: Partial<NodePool['spec']['disruption']> = {}, types = [anInstanceType()]) {
  return [aPoolView({ disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: 'Never', ...disruption }, types })];
}

/** A pod that leaves no room for another one on an m5.large. */
function aPodOn(node: string, over: PodOptions = {}) {
  return runningPod(node, { name: `of-${node}`, requests: { cpu: '1200m' }, ...over });
}

function decide(snapshot: ClusterSnapshot) {
  return disruptBy([drift], snapshot, { decisionId: 'decision-1', nowMs: NOW_MS });
}

/** The nodes of each command, in order. */
function commandsFor(snapshot: ClusterSnapshot): readonly (readonly string[])[] {
  return decide(snapshot).actions.flatMap((action) =>
    action.kind === 'start-disruption' ? [action.command.candidates.map(({ node }) => node)] : [],
  );
}

describe('E30: drifted nodes', () => {
  test('are replaced by new nodes for their pods, whatever the price, and validated without a wait', () => {
    const snapshot = snapshotOf([drifted('a'), initializedNode({ name: 'b' })], {
      nodePools: pools(),
      pods: [aPodOn('a'), aPodOn('b')],
    });
    const { actions, due } = decide(snapshot);
    expect(actions).toMatchObject([
      {
        kind: 'start-disruption',
        command: {
          method: 'drift',
          reason: 'Drifted',
          candidates: [{ node: 'a' }],
          replacements: [{ nodePool: 'general' }],
          validateAtMs: NOW_MS,
        },
      },
    ]);
    expect(due).toContainEqual(expect.objectContaining({ atMs: NOW_MS }));
  });

  test('need no new node if their pods fit on nodes that have not drifted', () => {
    const snapshot = snapshotOf([drifted('a'), initializedNode({ name: 'b' })], {
      nodePools: pools(),
      pods: [aPodOn('a')],
    });
    expect(decide(snapshot).actions).toMatchObject([{ command: { candidates: [{ node: 'a' }], replacements: [] } }]);
  });

  test('that are empty come first, then those that have been drifted longest, within the budget', () => {
    const nodes = [drifted('young', 1), drifted('old', 3), drifted('middle', 2), drifted('empty', 0)];
    const pods = ['young', 'old', 'middle'].map((name) => aPodOn(name));
    const order = [['empty'], ['old'], ['middle'], ['young']];
    for (const allowed of [1, 2, 3])
      expect(
        commandsFor(snapshotOf(nodes, { nodePools: pools({ budgets: [{ nodes: String(allowed) }] }), pods })),
      ).toEqual(order.slice(0, allowed));
  });

  test('beyond the budget of Drifted stay, with its numbers, and are looked at again within a minute', () => {
    const budgets = [{ nodes: '1', reasons: ['Drifted' as const] }, { nodes: '100%' }];
    const snapshot = snapshotOf([drifted('a', 2), drifted('b', 1)], { nodePools: pools({ budgets }) });
    const { blocked, due } = decide(snapshot);
    expect(commandsFor(snapshot)).toEqual([['a']]);
    expect(blocked).toMatchObject([
      { subject: { name: 'b' }, reason: 'BudgetExhausted', numbers: { allowed: 1, disrupting: 1 } },
    ]);
    expect(due).toContainEqual(expect.objectContaining({ atMs: NOW_MS + MINUTE }));
  });

  test('are replaced also with consolidateAfter: Never, and nodes that have not drifted stay (A1.12)', () => {
    const snapshot = snapshotOf([drifted('a'), initializedNode({ name: 'b' })], { nodePools: pools() });
    expect(commandsFor(snapshot)).toEqual([['a']]);
  });

  test('whose pods have no other place stay, with the reason of scheduling, and use no budget', () => {
    const snapshot = snapshotOf([drifted('a', 2), drifted('b', 1)], {
      nodePools: pools({ budgets: [{ nodes: '1' }] }),
      pods: [aPodOn('a', { requests: { cpu: '100' } }), aPodOn('b')],
    });
    expect(commandsFor(snapshot)).toEqual([['b']]);
    const message = expect.stringMatching(/^pod default\/of-a has no other place: /);
    expect(decide(snapshot).blocked).toMatchObject([
      { subject: { kind: 'Node', name: 'a' }, reason: 'NoPlaceForPods', message },
    ]);
  });

  test('do not move pods to other drifted nodes, unless these are the only place', () => {
    const nodes = [drifted('a', 2), drifted('b', 1)];
    const pods = [aPodOn('a', { requests: { cpu: '200m' } }), aPodOn('b', { requests: { cpu: '200m' } })];
    const one = pools({ budgets: [{ nodes: '1' }] });
    expect(decide(snapshotOf(nodes, { nodePools: one, pods })).actions).toMatchObject([
      { command: { candidates: [{ node: 'a' }], replacements: [{ nodePool: 'general' }] } },
    ]);
    const without = [{ ...aPoolView(), nodePool: one[0]?.nodePool ?? aNodePool(), instanceTypes: [] }];
    expect(decide(snapshotOf(nodes, { nodePools: without, pods })).actions).toMatchObject([
      { command: { candidates: [{ node: 'a' }], replacements: [] } },
    ]);
  });

  test('whose pods share a new node are one command, and the others have their own', () => {
    const pods = [
      aPodOn('a', { requests: { cpu: '800m' } }),
      aPodOn('b', { requests: { cpu: '800m' } }),
      aPodOn('c', { requests: { cpu: '1900m' } }),
    ];
    const snapshot = snapshotOf([drifted('a', 3), drifted('b', 2), drifted('c', 1)], { nodePools: pools(), pods });
    const commands = commandsFor(snapshot);
    expect(commands.flat().toSorted()).toEqual(['a', 'b', 'c']);
    expect(commands).toContainEqual(['a', 'b']);
  });

  test('whose pods have places one by one and not together are replaced one after the other', () => {
    const nodes = [drifted('a', 2), drifted('b', 1), initializedNode({ name: 'c' })];
    const snapshot = snapshotOf(nodes, { nodePools: pools({}, []), pods: [aPodOn('a'), aPodOn('b')] });
    expect(commandsFor(snapshot)).toEqual([['a']]);
    expect(decide(snapshot)).toMatchObject({
      blocked: [{ subject: { name: 'b' }, reason: 'NoPlaceForPods', numbers: { nodes: 1 } }],
      due: expect.arrayContaining([expect.objectContaining({ atMs: NOW_MS + MINUTE })]),
    });
  });
});

/** The world of a pass over the snapshot. */
function worldOf(snapshot: ClusterSnapshot): World {
  const seen: World[] = [];
  const propose: Method['propose'] = (world) => {
    seen.push(world);
    return { moves: [], blocked: [], due: [] };
  };
  disruptBy([{ ...drift, propose }], snapshot, { decisionId: 'decision-1', nowMs: NOW_MS });
  const [world] = seen;
  if (world === undefined) throw new Error('there was no pass');
  return world;
}

describe('E30: a command is carried out', () => {
  const command = aCommand({ method: 'drift', reason: 'Drifted', candidates: candidatesNamed('a', 'b') });
  const parts = { nodePools: pools(), pods: [aPodOn('a'), aPodOn('b')] };
  const kept = { node: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } };

  test.each([
    ['for its drifted nodes, with their new nodes', snapshotOf([drifted('a', 2), drifted('b')], parts), ['a', 'b']],
    ['without a node that matches again', snapshotOf([initializedNode({ name: 'a' }), drifted('b')], parts), ['b']],
    ['without a node that must stay', snapshotOf([drifted('a', 2, kept), drifted('b')], parts), ['b']],
    [
      'within the budgets',
      snapshotOf([drifted('a', 2), drifted('b')], { ...parts, nodePools: pools({ budgets: [{ nodes: '1' }] }) }),
      ['a'],
    ],
    ['for no other drifted node', snapshotOf([drifted('c'), drifted('b')], parts), ['b']],
  ])('%s', (_, snapshot, expected) => {
    const move = drift.validate(command, worldOf(snapshot));
    expect(move?.candidates.map(({ stateNode }) => stateNode.name)).toEqual(expected);
    expect(move?.replacements).toHaveLength(expected.length);
  });

  test('without a node whose pods have no other place together with those of the others now', () => {
    const nodes = [drifted('a', 2), drifted('b', 1), initializedNode({ name: 'c' })];
    const move = drift.validate(command, worldOf(snapshotOf(nodes, { ...parts, nodePools: pools({}, []) })));
    expect(move).toMatchObject({ candidates: [{ stateNode: { name: 'a' } }], replacements: [] });
    expect(move?.candidates).toHaveLength(1);
  });

  test('for no node, if its pods have no other place now', () => {
    const snapshot = snapshotOf([drifted('a'), drifted('b')], { ...parts, nodePools: pools({}, []) });
    expect(drift.validate(command, worldOf(snapshot))).toBeUndefined();
  });
});

describe('E5: pods that must not be evicted', () => {
  const kept = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
  const graceful = claimSpec({ terminationGracePeriod: '1h' });
  test.each<[string, PodOptions, string]>([
    ['with do-not-disrupt', kept, 'DoNotDisrupt'],
    ['with a PodDisruptionBudget that allows none', { labels: { app: 'web' } }, 'PDB'],
  ])('%s keep a drifted node, unless it has a terminationGracePeriod', (_, pod, reason) => {
    const rest = { nodePools: pools(), pods: [runningPod('a', pod)], podDisruptionBudgets: [aBudget()] };
    expect(decide(snapshotOf([drifted('a')], rest)).blocked).toMatchObject([{ subject: { name: 'a' }, reason }]);
    expect(commandsFor(snapshotOf([drifted('a', 1, { claim: { spec: graceful } })], rest))).toEqual([['a']]);
  });

  test('the annotation of the node keeps it in each case', () => {
    const node = drifted('a', 1, { claim: { spec: graceful }, node: kept });
    expect(decide(snapshotOf([node], { nodePools: pools() })).blocked).toMatchObject([{ reason: 'DoNotDisrupt' }]);
  });
});
