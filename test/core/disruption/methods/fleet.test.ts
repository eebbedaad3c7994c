import { describe, expect, test } from 'vitest';
import type { NodePool } from '../../../../lib/apis/node-pool.ts';
import { describeCandidate } from '../../../../lib/core/disruption/candidates.ts';
import type { Move } from '../../../../lib/core/disruption/method.ts';
import { fleet } from '../../../../lib/core/disruption/methods/fleet.ts';
import { multiNode } from '../../../../lib/core/disruption/methods/multi-node.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import type { DisruptionCommand } from '../../../../lib/core/model/disruption-command.ts';
import { anInstanceType } from '../../../builders/instance-types.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { aBudget } from '../../../builders/nodes.ts';
import { runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { MINUTE, NOW_MS } from '../../../builders/times.ts';
import { worldOf } from '../worlds.ts';

const ZONE = 'topology.kubernetes.io/zone';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

function pool(disruption: Partial<NodePool['spec']['disruption']> = {}, capacityType = 'on-demand') {
  const requirements = [asking(CAPACITY_TYPE, 'In', capacityType)];
  return aPoolView({ requirements, disruption: { budgets: [{ nodes: '100%' }], ...disruption } });
}

function node(name: string, zone: string, capacityType = 'on-demand') {
  const labels = { 'node.kubernetes.io/instance-type': 'm5.2xlarge', [ZONE]: zone, [CAPACITY_TYPE]: capacityType };
  return initializedNode({ name, allocatable: { cpu: '8', memory: '32Gi', pods: '29' }, labels });
}

const NODES = [
  { name: 'a1', zone: 'eu-west-3a' },
  { name: 'a2', zone: 'eu-west-3a' },
  { name: 'b1', zone: 'eu-west-3b' },
  { name: 'b2', zone: 'eu-west-3b' },
];

/** Two nodes of 8 CPUs in each of two zones. Each runs one pod, which must stay in its zone. */
function cluster(over: Partial<ClusterSnapshot> = {}, cpu = '1500m', capacityType = 'on-demand'): ClusterSnapshot {
  return snapshotOf(
    NODES.map(({ name, zone }) => node(name, zone, capacityType)),
    {
      nodePools: [pool({}, capacityType)],
      pods: NODES.map(({ name, zone }) =>
        runningPod(name, {
          name: `on-${name}`,
          requests: { cpu, memory: '1Gi' },
          spec: { nodeSelector: { [ZONE]: zone } },
        }),
      ),
      ...over,
    },
  );
}

function shown({ candidates, replacements }: Move): string {
  const names = candidates.map(({ stateNode }) => stateNode.name).toSorted();
  return `${names.join(' ')} -> ${replacements.map(({ cheapest }) => cheapest.type.name).join(' ')}`;
}

function proposed(snapshot: ClusterSnapshot): readonly string[] {
  return fleet.propose(worldOf(snapshot)).moves.map(shown);
}

function commandFor(snapshot: ClusterSnapshot): DisruptionCommand {
  const [move] = fleet.propose(worldOf(snapshot)).moves;
  if (move === undefined) throw new Error('nothing is proposed');
  const replacements = move.replacements.map(({ template, instanceTypes, cheapest }) => ({
    nodePool: template.nodePool.metadata.name,
    instanceTypes: instanceTypes.map(({ name }) => name),
    priceUsdPerHour: cheapest.offering.priceUsdPerHour,
  }));
  const candidates = move.candidates.map(describeCandidate);
  const state = 'proposed' as const;
  const times = { decidedAtMs: NOW_MS, validateAtMs: NOW_MS };
  return { id: 'c', method: 'fleet', reason: 'Underutilized', candidates, replacements, state, ...times };
}

describe('several nodes by several (E21)', () => {
  test('E21: nodes of two zones are replaced by one cheaper node in each zone, in one command', () => {
    expect(multiNode.propose(worldOf(cluster())).moves.map(shown)).not.toContain('a1 a2 b1 b2 -> m5.xlarge m5.xlarge');
    expect(proposed(cluster())).toEqual(['a1 a2 b1 b2 -> m5.xlarge m5.xlarge']);
  });

  test('E21: nodes whose pods need no new node are deleted in a command of their own', () => {
    const snapshot = cluster({}, '3');
    // A new node for two of these pods would be of the type of their nodes.
    expect(proposed(snapshot)).toEqual(['a1 b1 -> ']);
  });

  test('no move is proposed for pools with the policy WhenEmpty, or if the setting is off', () => {
    expect(proposed(cluster({ nodePools: [pool({ consolidationPolicy: 'WhenEmpty' })] }))).toEqual([]);
    expect(proposed(cluster({ options: { fleetConsolidation: false } }))).toEqual([]);
  });

  test('budgets limit the nodes of all moves together', () => {
    const limited = cluster({ nodePools: [pool({ budgets: [{ nodes: '1' }] })] });
    const world = worldOf(limited);
    expect(fleet.propose(world).moves.map(({ candidates }) => candidates.length)).toEqual([1]);
    expect(fleet.propose(world).moves).toEqual([]);
  });

  test('E26: the Balanced policy rejects a move that saves too little for its evictions', () => {
    const balanced = pool({ consolidationPolicy: 'Balanced' });
    expect(proposed(cluster({ nodePools: [balanced] }))).toHaveLength(1);
    // A move that saves a hundredth of the price for most of the disruption: one new node costs almost as much.
    const dear = [
      anInstanceType({ name: 'm5.2xlarge', cpu: 8 }),
      anInstanceType({ name: 'm5.xlarge', cpu: 4, price: 0.39 }),
    ];
    const view = (consolidationPolicy: 'Balanced' | 'WhenEmptyOrUnderutilized') =>
      aPoolView({
        types: dear,
        requirements: [asking(CAPACITY_TYPE, 'In', 'on-demand')],
        disruption: { budgets: [{ nodes: '100%' }], consolidationPolicy },
      });
    const alone = {
      nodes: cluster().nodes.slice(0, 1),
      nodeClaims: cluster().nodeClaims.slice(0, 1),
      pods: cluster().pods.slice(0, 1),
    };
    expect(proposed(cluster({ ...alone, nodePools: [view('WhenEmptyOrUnderutilized')] }))).toEqual(['a1 -> m5.xlarge']);
    expect(proposed(cluster({ ...alone, nodePools: [view('Balanced')] }))).toEqual([]);
  });

  test('E24: spot nodes are not replaced by spot nodes, unless the option allows it', () => {
    const spot = cluster({}, '1500m', 'spot');
    expect(proposed(spot)).toEqual(['a1 -> ']);
    expect(proposed({ ...spot, options: { spotToSpotConsolidation: true } })).toEqual([
      'a1 a2 b1 b2 -> m5.xlarge m5.xlarge',
    ]);
  });

  test('nodes with pods that must not be evicted stay, and take the pods of others', () => {
    const pods = cluster().pods.map((pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { app: pod.metadata.name } },
    }));
    const budget = aBudget({ spec: { selector: { matchLabels: { app: 'on-a1' } } } });
    expect(proposed(cluster({ pods, podDisruptionBudgets: [budget] }))).toEqual(['a2 -> ', 'b1 b2 -> m5.xlarge']);
  });

  test('E29: a command is valid while its nodes can be replaced by as many nodes', () => {
    const snapshot = cluster();
    const command = commandFor(snapshot);
    const world = (pods: ClusterSnapshot['pods']) => worldOf({ ...snapshot, pods });
    expect(fleet.validate(command, world(snapshot.pods))).toMatchObject({ replacements: [{}, {}] });
    const more = runningPod('a1', { name: 'late', requests: { cpu: '6', memory: '1Gi' } });
    expect(fleet.validate(command, world([...snapshot.pods, more]))).toBeUndefined();
  });

  test('E29: no pods move to nodes that other commands remove', () => {
    const snapshot = cluster({}, '3');
    const command = commandFor(snapshot);
    expect(fleet.validate(command, worldOf(snapshot))).toMatchObject({ replacements: [] });
    const [first, second] = ['a2', 'b2'].map((name) => ({
      ...command,
      id: name,
      candidates: command.candidates.map((one, at) => ({ ...one, nodeClaim: `${name}-${at}`, node: name })),
    }));
    const beside = { ...snapshot, commands: [first, second].flatMap((one) => one ?? []) };
    expect(fleet.validate(command, worldOf(beside))).toBeUndefined();
  });

  test('a pass that has steps for a part of the nodes begins with other nodes in the next minute', () => {
    const names = Array.from({ length: 50 }, (_, at) => `node-${at}`);
    const pods = names.map((name) =>
      runningPod(name, { name: `on-${name}`, requests: { cpu: '1500m', memory: '1Gi' } }),
    );
    const nodes = names.map((name) => node(name, 'eu-west-3a'));
    const snapshot = snapshotOf(nodes, { nodePools: [pool()], pods });
    const removedAt = (nowMs: number) =>
      fleet
        .propose({ ...worldOf(snapshot), steps: 25, nowMs })
        .moves.flatMap(({ candidates }) => candidates.map(({ stateNode }) => stateNode.name));
    const [now, later] = [removedAt(NOW_MS), removedAt(NOW_MS + MINUTE)];
    expect([now.length, later.length]).toEqual([25, 25]);
    expect(new Set([...now, ...later]).size).toBe(50);
    expect(removedAt(NOW_MS + 2 * MINUTE)).toEqual(now);
  });

  test('a pass without steps proposes nothing', () => {
    expect(fleet.propose({ ...worldOf(cluster()), steps: 0 }).moves).toEqual([]);
  });
});
