import { describe, expect, test } from 'vitest';
import { isCandidate } from '../../../lib/core/disruption/candidates.ts';
import type { Method, World } from '../../../lib/core/disruption/method.ts';
import { ALL_METHODS } from '../../../lib/core/disruption/methods/all-methods.ts';
import { emptiness } from '../../../lib/core/disruption/methods/emptiness.ts';
import { singleNode } from '../../../lib/core/disruption/methods/single-node.ts';
import { type DisruptionPlan, planDisruption } from '../../../lib/core/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { DISRUPTION_METHODS } from '../../../lib/core/model/disruption-command.ts';
import { aCommand, candidatesNamed } from '../../builders/decisions.ts';
import { anInstanceType, anOffering } from '../../builders/instance-types.ts';
import { aPoolView, asking } from '../../builders/node-pools.ts';
import { runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

function plan(snapshot: ClusterSnapshot, methods: readonly Method[] = [emptiness]): DisruptionPlan {
  return planDisruption(methods, snapshot, NOW_MS);
}

function pools(nodes = '100%') {
  return [aPoolView({ disruption: { consolidateAfter: '0s', budgets: [{ nodes }] } })];
}

function removed({ commands }: DisruptionPlan): readonly (readonly string[])[] {
  return commands.map(({ candidates }) => candidates.map(({ stateNode }) => stateNode.name));
}

/** A method that replaces the first candidate with pods by the nodes that its pods need. */
const replacing: Method = {
  ...emptiness,
  name: 'single-node',
  reason: 'Underutilized',
  propose: ({ candidates, budgets, whatIf }: World) => {
    const busy = candidates.nodes.filter(({ pods }) => pods.length > 0).map((node) => candidates.judge(node));
    const { within, over } = budgets.take(busy.filter(isCandidate).slice(0, 1), 'Underutilized');
    return {
      moves: within.map((one) => ({ candidates: [one], replacements: whatIf([one.stateNode.name]).newClaims })),
      blocked: over,
      due: [],
    };
  },
};

describe('a plan', () => {
  test('has the methods in the order in which they are tried (E2)', () => {
    const names = ALL_METHODS.map(({ name }) => name);
    expect(names).toEqual(DISRUPTION_METHODS.filter((name) => names.includes(name)));
  });

  test('has the surplus of static NodePools first, and the commands of the cluster without it (D31)', () => {
    const drift = { reason: 'NodePoolDrifted', message: '', sinceMs: 0 } as const;
    const nodes = ['a', 'b', 'c'].map((name) => initializedNode({ name }, name === 'a' ? {} : { drift }));
    const disruption = { budgets: [{ nodes: '100%' }] };
    const nodePools = [aPoolView({ replicas: 2, disruption })];
    const planned = plan(snapshotOf(nodes, { nodePools, options: { staticCapacity: true } }), ALL_METHODS);
    expect(planned.surplus).toEqual([
      { nodeClaim: 'claim-a', node: 'a', message: 'NodePool general has 3 nodes, and spec.replicas is 2' },
    ]);
    expect(removed(planned)).toEqual([['b'], ['c']]);
  });

  test('has the commands of one pass after the other, in their order', () => {
    const snapshot = snapshotOf([initializedNode({ name: 'a' }), initializedNode({ name: 'b' })], {
      nodePools: pools(),
      pods: [runningPod('b', { name: 'web' })],
    });
    const { commands } = plan(snapshot, [emptiness, replacing]);
    expect(commands.map(({ method, reason }) => [method, reason])).toEqual([
      ['emptiness', 'Empty'],
      ['single-node', 'Underutilized'],
    ]);
  });

  test('places the pods of a later command neither on a removed node nor on space that earlier pods need', () => {
    const requests = { cpu: '1500m' };
    const snapshot = snapshotOf(
      ['a', 'b', 'c'].map((name) => initializedNode({ name })),
      {
        nodePools: pools(),
        pods: [runningPod('b', { name: 'one', requests }), runningPod('c', { name: 'two', requests })],
      },
    );
    const { commands } = plan(snapshot, [emptiness, replacing]);
    expect(
      commands.map(({ replacements }) => replacements.flatMap(({ pods }) => pods.map((pod) => pod.metadata.name))),
    ).toEqual([[], ['one'], ['two']]);
  });

  test('evicts no pod twice: a node to which pods move stays', () => {
    const requests = { cpu: '500m' };
    const pods = ['a', 'b', 'c'].map((name) => runningPod(name, { name: `web-${name}`, requests }));
    const found = plan(
      snapshotOf(
        ['a', 'b', 'c'].map((name) => initializedNode({ name })),
        { nodePools: pools(), pods },
      ),
      [replacing],
    );
    expect(removed(found)).toEqual([['a'], ['c']]);
    expect(found.commands.flatMap(({ replacements }) => replacements)).toEqual([]);
  });

  test('does not use the share of the limits that a pod of a deleted node needs for a new node (E11)', () => {
    const types = [anInstanceType({ name: 'm5.xlarge', cpu: 4 }), anInstanceType({ name: 'm5.2xlarge', cpu: 8 })];
    const nodes = [
      initializedNode({ name: 'a' }, { holds: { cpu: 2_000 } }),
      initializedNode(
        {
          name: 'b',
          labels: { 'node.kubernetes.io/instance-type': 'm5.2xlarge' },
          allocatable: { cpu: '3', pods: '9' },
        },
        { holds: { cpu: 8_000 } },
      ),
    ];
    const plannedBeside = (pods: ClusterSnapshot['pods']) =>
      plan(
        snapshotOf(nodes, {
          nodePools: [aPoolView({ types, limits: { cpu: '14' }, disruption: { budgets: [{ nodes: '100%' }] } })],
          pods: [...pods, runningPod('b', { name: 'web', requests: { cpu: '3' } })],
        }),
        [emptiness, singleNode],
      );
    expect(removed(plannedBeside([]))).toEqual([['a'], ['b']]);
    // The eviction of this pod costs nothing, so its node is empty. The other node has no room for it.
    const annotations = { 'controller.kubernetes.io/pod-deletion-cost': '-2147483648' };
    const found = plannedBeside([runningPod('a', { name: 'cheap', requests: { cpu: '1500m' }, annotations })]);
    expect(removed(found)).toEqual([['a']]);
    expect(found.blocked).toMatchObject([{ subject: { name: 'b' }, reason: 'KeepsPendingPods' }]);
  });

  test('does not use the room that a pod of a deleted node gets, if the pod may run there (E11, B31)', () => {
    const requirements = [asking('karpenter.sh/capacity-type', 'In', 'on-demand')];
    const requests = { cpu: '1500m' };
    const keep = { name: 'keep', annotations: { 'karpenter.sh/do-not-disrupt': 'true' }, requests: { cpu: '100m' } };
    const plannedBeside = (pods: ClusterSnapshot['pods']) =>
      plan(
        snapshotOf(
          ['a', 'b', 'c'].map((name) => initializedNode({ name, zone: 'eu-west-3b' })),
          {
            nodePools: [aPoolView({ requirements, disruption: { budgets: [{ nodes: '100%' }] } })],
            pods: [...pods, runningPod('b', { name: 'web', requests }), runningPod('c', keep)],
          },
        ),
        [emptiness, singleNode],
      );
    expect(removed(plannedBeside([]))).toEqual([['a'], ['b']]);
    // The first term requires a new node in zone a. The kube-scheduler binds the pod to c by the second one before there is such a node.
    const nodeSelectorTerms = ['eu-west-3a', 'eu-west-3b'].map((zone) => ({
      matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In' as const, values: [zone] }],
    }));
    const cheap = runningPod('a', {
      name: 'cheap',
      requests,
      annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-2147483648' },
      spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } },
    });
    expect(removed(plannedBeside([cheap]))).toEqual([['a']]);
  });

  test('removes as many nodes as the budgets allow, and has the refusals of the others', () => {
    const snapshot = snapshotOf(
      ['a', 'b', 'c'].map((name) => initializedNode({ name })),
      { nodePools: pools('2') },
    );
    const found = plan(snapshot);
    expect(removed(found)).toEqual([['a', 'b']]);
    expect(found.blocked).toMatchObject([
      { subject: { name: 'c' }, reason: 'BudgetExhausted', numbers: { allowed: 2, disrupting: 2 } },
    ]);
    expect(found.nodes.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  test('does not remove the nodes of a command in progress, even if it is due', () => {
    const command = aCommand({ candidates: candidatesNamed('a'), decidedAtMs: 0, validateAtMs: 1 });
    const snapshot = snapshotOf([initializedNode({ name: 'a' }), initializedNode({ name: 'b' })], {
      nodePools: pools(),
      commands: [command],
    });
    expect(removed(plan(snapshot))).toEqual([['b']]);
  });

  test.each([true, false])('uses each reserved instance once (B59, E20; fleet: %s)', (fleetConsolidation) => {
    const requirements = [asking('karpenter.sh/capacity-type', 'In', 'on-demand', 'reserved')];
    const names = Array.from({ length: 9 }, (_, at) => `node-${at}`);
    const plannedWith = (instances: number, capacityTypes: Readonly<Record<string, string>> = {}) => {
      const reserved = { ...anOffering('eu-west-3a', 'reserved', 1e-8), reservation: { id: 'cr-1', instances } };
      const types = [anInstanceType({ offerings: [anOffering('eu-west-3a', 'on-demand'), reserved] })];
      const nodes = names.map((name) => {
        const capacityType = capacityTypes[name] ?? 'on-demand';
        return initializedNode({ name, labels: { 'karpenter.sh/capacity-type': capacityType } });
      });
      const busy = names.filter((name) => capacityTypes[name] === undefined);
      const snapshot = snapshotOf(nodes, {
        nodePools: [aPoolView({ types, requirements, disruption: { budgets: [{ nodes: '100%' }] } })],
        pods: busy.map((name) => runningPod(name, { name: `on-${name}`, requests: { cpu: '1500m' } })),
        options: { fleetConsolidation },
      });
      return plan(snapshot, ALL_METHODS);
    };
    const { commands } = plannedWith(2);
    expect(commands.flatMap(({ replacements }) => replacements)).toHaveLength(2);
    // An empty node of the reservation is deleted. Its instance is not free before it is terminated.
    expect(removed(plannedWith(0, { 'node-4': 'reserved' }))).toEqual([['node-4']]);
  });

  test('is empty if something could not be read, with the reason', () => {
    const unread = {
      subject: { kind: 'Cluster', name: 'test' },
      reason: 'NotRead',
      message: 'no',
      numbers: {},
    } as const;
    const snapshot = snapshotOf([initializedNode({ name: 'a' })], { nodePools: pools(), ignoredObjects: [unread] });
    expect(plan(snapshot)).toMatchObject({ commands: [], blocked: [unread] });
  });
});
