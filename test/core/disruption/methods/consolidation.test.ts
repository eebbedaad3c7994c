import { describe, expect, test } from 'vitest';
import type { NodePool } from '../../../../lib/apis/node-pool.ts';
import type { Method, Proposal, World } from '../../../../lib/core/disruption/method.ts';
import { multiNode } from '../../../../lib/core/disruption/methods/multi-node.ts';
import { singleNode } from '../../../../lib/core/disruption/methods/single-node.ts';
import { stepLedger } from '../../../../lib/core/disruption/step-ledger.ts';
import type { ClusterSnapshot, NodePoolView } from '../../../../lib/core/model/cluster-snapshot.ts';
import { aPoolView, asking, type NodePoolViewOptions } from '../../../builders/node-pools.ts';
import { aBudget } from '../../../builders/nodes.ts';
import { type PodOptions, runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { MINUTE, NOW_MS } from '../../../builders/times.ts';
import { worldOf } from '../worlds.ts';

/** An on-demand pool whose nodes may all be disrupted. */
function pool(disruption: Partial<NodePool['spec']['disruption']> = {}, options: NodePoolViewOptions = {}) {
  const requirements = [asking('karpenter.sh/capacity-type', 'In', 'on-demand')];
  return aPoolView({ requirements, disruption: { budgets: [{ nodes: '100%' }], ...disruption }, ...options });
}

const CPUS: Readonly<Record<string, number>> = { 'm5.2xlarge': 8 };

function node(name: string, type = 'm5.large', nodePool = 'general') {
  const cpu = CPUS[type] ?? 2;
  const allocatable = { cpu: String(cpu), memory: `${cpu * 4}Gi`, pods: '29' };
  const holds = { cpu: cpu * 1_000, memory: cpu * 2 ** 32, pods: 29 };
  const labels = { 'node.kubernetes.io/instance-type': type };
  return initializedNode({ name, allocatable, labels }, { nodePool, holds });
}

function pod(on: string, cpu = '400m', over: PodOptions = {}) {
  return runningPod(on, { name: `on-${on}`, requests: { cpu, memory: '100Mi' }, ...over });
}

/** Nodes of m5.large with these names, each with one pod. */
function cluster(names: readonly string[], over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  const pods = names.map((name) => pod(name));
  return snapshotOf(
    names.map((name) => node(name)),
    { nodePools: [pool()], pods, ...over },
  );
}

function propose(method: Method, snapshot: ClusterSnapshot, over: Partial<World> = {}): Proposal {
  return method.propose({ ...worldOf(snapshot), ...over });
}

/** The nodes of each move. */
function removedBy(method: Method, snapshot: ClusterSnapshot): readonly (readonly string[])[] {
  return propose(method, snapshot).moves.map(({ candidates }) => candidates.map(({ stateNode }) => stateNode.name));
}

/** The reasons by node. */
function reasons({ blocked }: Proposal): Readonly<Record<string, string>> {
  return Object.fromEntries(
    blocked.map(({ subject, reason }) => [subject.kind === 'Node' ? subject.name : '', reason]),
  );
}

describe('several nodes at once (E27)', () => {
  test('E27: as many as the others have room for, in one command', () => {
    // A node has room for five of these pods.
    expect(removedBy(multiNode, cluster(['a', 'b', 'c', 'd', 'e', 'f', 'g']))).toEqual([['a', 'b', 'c', 'd', 'e']]);
  });

  test('E27: all of them if one cheaper node holds their pods', () => {
    const names = ['a', 'b', 'c'];
    const nodes = names.map((name) => node(name, 'm5.2xlarge'));
    const pods = names.map((name) => pod(name, '1'));
    const snapshot = snapshotOf(nodes, { nodePools: [pool()], pods });
    const [move] = propose(multiNode, snapshot).moves;
    expect(move?.candidates).toHaveLength(3);
    expect(move?.replacements.map(({ cheapest }) => cheapest.type.name)).toEqual(['m5.xlarge']);
  });

  test('E27: each command has at most 101 nodes; the next one takes more', () => {
    const names = Array.from({ length: 150 }, (_, at) => `node-${String(at).padStart(3, '0')}`);
    const { moves } = propose(multiNode, cluster(names));
    // Five pods fill a node: 101 pods fill 25 nodes and a fifth of another. Of the other 24, a new node takes twenty pods.
    expect(moves.map(({ candidates, replacements }) => [candidates.length, replacements.length])).toEqual([
      [101, 0],
      [23, 1],
    ]);
    const removed = moves.flatMap(({ candidates }) => candidates.map(({ stateNode }) => stateNode.name));
    expect(new Set(removed)).toHaveProperty('size', 124);
  });

  test('E27: the budget of each NodePool limits its own nodes', () => {
    const names = ['a', 'b', 'c', 'd', 'x', 'y', 'z'];
    const nodes = names.map((name) => node(name, 'm5.large', name < 'm' ? 'general' : 'other'));
    const nodePools = [pool({ budgets: [{ nodes: '2' }] }), pool({ budgets: [{ nodes: '1' }] }, { name: 'other' })];
    const pods = names.map((name) => pod(name, '200m'));
    expect(removedBy(multiNode, snapshotOf(nodes, { nodePools, pods }))).toEqual([['a', 'b', 'x']]);
  });

  test('E27: nothing for a single node', () => {
    const snapshot = cluster(['a', 'b'], { nodePools: [pool({ budgets: [{ nodes: '1' }] })] });
    expect(propose(multiNode, snapshot).moves).toEqual([]);
  });
});

describe('one node after the other (E28)', () => {
  test('E28: every node whose pods fit on the nodes that the moves before it leave', () => {
    expect(removedBy(singleNode, cluster(['a', 'b', 'c']))).toEqual([['a'], ['c']]);
  });

  test('E28: a node to which pods move is not disrupted in the same pass', () => {
    expect(propose(singleNode, cluster(['a', 'b', 'c'])).blocked).toMatchObject([
      { subject: { name: 'b' }, reason: 'Nominated', message: 'pods of a would move to it' },
    ]);
  });

  test('E28: the room on the other nodes is used once', () => {
    const snapshot = cluster(['a', 'b', 'c'], { pods: [pod('a', '900m'), pod('b', '900m'), pod('c', '1')] });
    expect(removedBy(singleNode, snapshot)).toEqual([['a']]);
  });

  test('E28: several replacements in one pass; pods do not move to a replacement that is not initialized', () => {
    const inZone = (name: string, cpu: string) => {
      const zone = name.startsWith('a') ? 'eu-west-3a' : 'eu-west-3b';
      const one = pod(name, cpu);
      return { ...one, spec: { ...one.spec, nodeSelector: { 'topology.kubernetes.io/zone': zone } } };
    };
    const nodes = ['a1', 'a2', 'b1'].map((name) => {
      const zone = name.startsWith('a') ? 'eu-west-3a' : 'eu-west-3b';
      return initializedNode({
        name,
        zone,
        allocatable: { cpu: '8', memory: '32Gi', pods: '29' },
        labels: { 'node.kubernetes.io/instance-type': 'm5.2xlarge' },
      });
    });
    const pods = [inZone('a1', '2500m'), inZone('a2', '7'), inZone('b1', '1900m')];
    const { moves, blocked } = propose(singleNode, snapshotOf(nodes, { nodePools: [pool()], pods }));
    expect(
      moves.map(({ candidates, replacements }) => [
        candidates[0]?.stateNode.name,
        replacements[0]?.cheapest.type.name,
        replacements[0]?.cheapest.offering.zone,
      ]),
    ).toEqual([
      ['a1', 'm5.xlarge', 'eu-west-3a'],
      ['b1', 'm5.large', 'eu-west-3b'],
    ]);
    expect(blocked).toMatchObject([{ subject: { name: 'a2' }, reason: 'NotCheaper' }]);
  });

  test('E28: the nodes of several NodePools in turn', () => {
    const names = ['a', 'b', 'x', 'y'];
    const nodes = names.map((name) => node(name, 'm5.large', name < 'm' ? 'general' : 'other'));
    const nodePools = [pool(), pool({}, { name: 'other' })];
    const pods = names.map((name) => pod(name, '1500m'));
    expect(propose(singleNode, snapshotOf(nodes, { nodePools, pods })).blocked.map(({ subject }) => subject)).toEqual(
      ['a', 'x', 'b', 'y'].map((name) => ({ kind: 'Node', name })),
    );
  });

  test('E17: the node with the highest price for each unit of its rescheduling cost first', () => {
    const costly = { annotations: { 'controller.kubernetes.io/pod-deletion-cost': String(2 ** 27) } };
    const snapshot = cluster(['a', 'b', 'c'], {
      nodePools: [pool({ budgets: [{ nodes: '1' }] })],
      pods: [pod('a', '400m', costly), pod('b'), pod('c')],
    });
    expect(removedBy(singleNode, snapshot)).toEqual([['b']]);
  });

  test('E10: nodes over the budget are refused with its numbers, and evaluated again a minute later', () => {
    const snapshot = cluster(['a', 'b'], { nodePools: [pool({ budgets: [{ nodes: '1' }] })] });
    const { blocked, due } = propose(singleNode, snapshot);
    expect(blocked).toMatchObject([{ reason: 'BudgetExhausted', numbers: { allowed: 1, disrupting: 1 } }]);
    expect(due).toEqual([{ atMs: NOW_MS + MINUTE, kind: 'tick' }]);
  });

  test('E28: a pass that has used its steps says how far it came', () => {
    const pods = ['a', 'b', 'c'].map((name) => pod(name, '1500m'));
    expect(propose(singleNode, cluster(['a', 'b', 'c'], { pods }), { steps: stepLedger(2) }).blocked).toMatchObject([
      { subject: { name: 'a' }, reason: 'NotCheaper' },
      { subject: { name: 'b' }, reason: 'NotCheaper' },
      {
        subject: { name: 'c' },
        reason: 'NotEvaluated',
        message: 'the pass ended after 2 of 3 nodes',
        numbers: { evaluated: 2, nodes: 3 },
      },
    ]);
  });
});

describe.each([multiNode, singleNode])('what consolidation leaves out ($name)', (method) => {
  test.each<[string, Partial<NodePool['spec']['disruption']>, string]>([
    ['consolidateAfter is Never', { consolidateAfter: 'Never' }, 'ConsolidateAfterNever'],
    ['the policy is WhenEmpty', { consolidationPolicy: 'WhenEmpty' }, 'ConsolidationPolicy'],
    ['consolidateAfter has not passed', { consolidateAfter: '2h' }, 'ConsolidateAfter'],
  ])('E19: %s', (_, disruption, reason) => {
    const { moves, blocked } = propose(method, cluster(['a', 'b', 'c'], { nodePools: [pool(disruption)] }));
    expect(moves).toEqual([]);
    expect(blocked.map((one) => one.reason)).toEqual([reason, reason, reason]);
  });

  test('E19: the time at which consolidateAfter has passed is due', () => {
    const { due } = propose(method, cluster(['a', 'b'], { nodePools: [pool({ consolidateAfter: '2h' })] }));
    expect(due).toEqual([60, 60].map((minutes) => ({ atMs: NOW_MS + minutes * MINUTE, kind: 'settling' })));
  });

  test('E19: a NodePool with a fixed number of nodes', () => {
    const snapshot = cluster(['a', 'b'], { nodePools: [pool({}, { replicas: 2 })] });
    expect(reasons(propose(method, snapshot))).toEqual({ a: 'StaticCapacity', b: 'StaticCapacity' });
  });

  test('E19: a node without a label of its offering', () => {
    const nodes = ['a', 'b'].map((name) => {
      const { node: one, nodeClaim } = node(name);
      const { 'karpenter.sh/capacity-type': _, ...labels } = one.metadata.labels ?? {};
      return { node: { ...one, metadata: { ...one.metadata, labels } }, nodeClaim };
    });
    const { moves, blocked } = propose(method, snapshotOf(nodes, { nodePools: [pool()], pods: [pod('a'), pod('b')] }));
    expect(moves).toEqual([]);
    expect(blocked[0]).toMatchObject({
      reason: 'LabelsMissing',
      message: 'the node has no label karpenter.sh/capacity-type',
    });
  });

  test('E19: empty nodes, which the emptiness method removes', () => {
    const { moves, blocked } = propose(method, cluster(['a', 'b'], { pods: [] }));
    expect([...moves, ...blocked]).toEqual([]);
  });

  test('E4: a node whose pods have an exhausted PodDisruptionBudget', () => {
    const pods = [pod('a', '400m', { labels: { app: 'web' } }), pod('b'), pod('c')];
    const proposal = propose(method, cluster(['a', 'b', 'c'], { pods, podDisruptionBudgets: [aBudget()] }));
    expect(reasons(proposal)).toMatchObject({ a: 'PDB' });
    expect(proposal.moves.flatMap(({ candidates }) => candidates.map(({ stateNode }) => stateNode.name))).toEqual([
      'b',
      'c',
    ]);
  });

  test('nothing is proposed and nothing refused without nodes', () => {
    expect(propose(method, cluster([]))).toEqual({ moves: [], blocked: [], due: [] });
  });
});

describe('limits of NodePools (promise 2)', () => {
  // The pod of an m5.2xlarge fits on an m5.large.
  const replacedWith = (limits: Readonly<Record<string, string>>, others: readonly NodePoolView[] = []) => {
    const pods = [pod('a', '1500m')];
    const nodePools = [pool({}, { limits, weight: 10 }), ...others];
    return propose(singleNode, snapshotOf([node('a', 'm5.2xlarge')], { nodePools, pods }));
  };

  test('B23: a node that is replaced holds its share until its replacement is initialized', () => {
    const fits = replacedWith({ cpu: '10' });
    expect(fits.moves[0]?.replacements[0]?.instanceTypes.map(({ name }) => name)).toEqual(['m5.large']);
    const full = replacedWith({ cpu: '9' });
    expect(full.moves).toEqual([]);
    expect(reasons(full)).toEqual({ a: 'NoPlaceForPods' });
    expect(full.blocked[0]?.message).toContain('limit of 9 cpu leaves 1');
    expect(replacedWith({ nodes: '1' }).moves).toEqual([]);
    expect(replacedWith({ nodes: '2' }).moves).toHaveLength(1);
  });

  test('B23: a NodePool with room launches the replacement if the limits of the first one have none', () => {
    const { moves } = replacedWith({ cpu: '9' }, [pool({}, { name: 'other' })]);
    expect(moves[0]?.replacements.map(({ template }) => template.nodePool.metadata.name)).toEqual(['other']);
  });
});
