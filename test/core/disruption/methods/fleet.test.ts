import { describe, expect, test } from 'vitest';
import type { NodePool } from '../../../../lib/apis/node-pool.ts';
import { describeCandidate } from '../../../../lib/core/disruption/candidates.ts';
import type { EvaluatedMove, Move } from '../../../../lib/core/disruption/method.ts';
import { fleet, fleetMoves } from '../../../../lib/core/disruption/methods/fleet.ts';
import { multiNode } from '../../../../lib/core/disruption/methods/multi-node.ts';
import { stepLedger } from '../../../../lib/core/disruption/step-ledger.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import type { DisruptionCommand } from '../../../../lib/core/model/disruption-command.ts';
import { anInstanceType } from '../../../builders/instance-types.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { aBudget } from '../../../builders/nodes.ts';
import { affinityTerm, joining, type PodOptions, runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { candidatesOf, worldOf } from '../worlds.ts';

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

function keptPod(on: string, options: PodOptions = {}) {
  return runningPod(on, { name: `on-${on}`, annotations: { 'karpenter.sh/do-not-disrupt': 'true' }, ...options });
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

/** The nodes, and where their pods are placed. */
function placesOf({ candidates, targets, replacements }: EvaluatedMove): readonly string[] {
  const places = [
    ...targets.map(({ stateNode, pods }) => ({ on: stateNode.name, pods })),
    ...replacements.map(({ cheapest, pods }) => ({ on: cheapest.type.name, pods })),
  ];
  return [
    ...candidates.map(({ stateNode }) => stateNode.name),
    ...places.flatMap(({ on, pods }) => pods.map(({ metadata }) => `${metadata.name} on ${on}`)),
  ];
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

  /** One node of 8 CPUs whose pod fits on one of 4 CPUs, which costs so much. */
  function single(consolidationPolicy: 'Balanced' | 'WhenEmptyOrUnderutilized', price: number): ClusterSnapshot {
    const { nodes, nodeClaims, pods } = cluster();
    const view = aPoolView({
      types: [anInstanceType({ name: 'm5.2xlarge', cpu: 8 }), anInstanceType({ name: 'm5.xlarge', cpu: 4, price })],
      requirements: [asking(CAPACITY_TYPE, 'In', 'on-demand')],
      disruption: { budgets: [{ nodes: '100%' }], consolidationPolicy },
    });
    const first = { nodes: nodes.slice(0, 1), nodeClaims: nodeClaims.slice(0, 1), pods: pods.slice(0, 1) };
    return cluster({ ...first, nodePools: [view] });
  }

  test('E26: a move that saves too little for its evictions is rejected with any policy, as the Balanced policy does', () => {
    expect(proposed(cluster({ nodePools: [pool({ consolidationPolicy: 'Balanced' })] }))).toHaveLength(1);
    for (const policy of ['WhenEmptyOrUnderutilized', 'Balanced'] as const) {
      expect(proposed(single(policy, 0.2))).toEqual(['a1 -> m5.xlarge']);
      expect(proposed(single(policy, 0.21))).toEqual([]);
    }
  });

  test('E26: only evictions count, except under the Balanced policy, where a removed node counts too', () => {
    // a1 has one of seven evictions, and two of eleven with the nodes. Of the 1.6 $/h of all nodes, 0.114 or 0.145 must be saved.
    const kept = ['a2', 'b1', 'b2'].flatMap((on) => [
      keptPod(on, { requests: { cpu: '3500m' } }),
      keptPod(on, { name: `also-on-${on}`, requests: { cpu: '3500m' } }),
    ]);
    const moves = (...[policy, price]: Parameters<typeof single>) => {
      const { nodePools, pods } = single(policy, price);
      return proposed(cluster({ nodePools, pods: [...pods, ...kept] }));
    };
    expect(moves('WhenEmptyOrUnderutilized', 0.27)).toEqual(['a1 -> m5.xlarge']);
    expect(moves('WhenEmptyOrUnderutilized', 0.29)).toEqual([]);
    expect(moves('Balanced', 0.25)).toEqual(['a1 -> m5.xlarge']);
    expect(moves('Balanced', 0.27)).toEqual([]);
  });

  test('E24: spot nodes are not replaced by spot nodes, unless the option allows it', () => {
    const spot = cluster({}, '1500m', 'spot');
    expect(proposed(spot)).toEqual(['a1 -> ']);
    expect(proposed({ ...spot, options: { spotToSpotConsolidation: true } })).toEqual([
      'a1 a2 b1 b2 -> m5.xlarge m5.xlarge',
    ]);
  });

  test('E24: one spot node is replaced by one spot node only if 15 types cost less', () => {
    const types = Array.from({ length: 15 }, (_, at) =>
      anInstanceType({ name: `c${at + 10}.large`, price: 0.05 + at / 1_000 }),
    );
    const proposedWith = (count: number) => {
      const all = [anInstanceType({ name: 'm5.2xlarge', price: 0.448 }), ...types.slice(0, count)];
      const one = snapshotOf([node('a1', 'eu-west-3a', 'spot')], {
        nodePools: [aPoolView({ types: all, disruption: { budgets: [{ nodes: '100%' }] } })],
        pods: [runningPod('a1', { name: 'web', requests: { cpu: '900m', memory: '1Gi' } })],
        options: { spotToSpotConsolidation: true },
      });
      return proposed(one);
    };
    expect(proposedWith(14)).toEqual([]);
    expect(proposedWith(15)).toEqual(['a1 -> c10.large']);
  });

  test('E21: nodes whose pods depend on pods of the others are in one command with them', () => {
    const web = { labels: { app: 'web' }, requests: { cpu: '500m' } };
    const together = joining(affinityTerm());
    const nodes = [node('keep', 'eu-west-3b'), node('x', 'eu-west-3a'), node('y', 'eu-west-3a')];
    const pods = [
      keptPod('keep'),
      runningPod('x', { ...web, name: 'web-0', spec: { affinity: together } }),
      runningPod('y', { ...web, name: 'web-1', spec: { affinity: together } }),
      runningPod('y', { name: 'job', requests: { cpu: '1500m' }, spec: { nodeSelector: { [ZONE]: 'eu-west-3a' } } }),
    ];
    // The pod of x has no place in the other zone while web-1 runs on y.
    expect(proposed(snapshotOf(nodes, { nodePools: [pool()], pods }))).toEqual(['x y -> m5.large']);
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

  test('B47: the moves of a pass keep the spread constraints of pods together', () => {
    const spread = {
      topologySpreadConstraints: [
        {
          topologyKey: ZONE,
          maxSkew: 1,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 's' } },
        },
      ],
    } as const;
    const spreadPod = (name: string) =>
      runningPod(name, { name: `s-${name}`, labels: { app: 's' }, requests: { cpu: '500m' }, spec: spread });
    const pinned = (name: string) =>
      runningPod(name, {
        name: `on-${name}`,
        requests: { cpu: '7900m' },
        spec: { nodeSelector: { [ZONE]: 'eu-west-3b' } },
      });
    // The nodes of zone b are in two groups. Two of them have only pods that may move to zone a, one in each group.
    const full = Array.from({ length: 26 }, (_, at) => `full-${at}`);
    const [movable, others] = [
      ['m1', 'm2'],
      ['o1', 'o2'],
    ];
    const snapshot = snapshotOf(
      [
        ...[...full, ...movable].map((name) => node(name, 'eu-west-3b')),
        ...others.map((name) => node(name, 'eu-west-3a')),
      ],
      {
        nodePools: [
          aPoolView({
            types: [anInstanceType({ name: 'm5.2xlarge', cpu: 8 })],
            requirements: [asking(CAPACITY_TYPE, 'In', 'on-demand'), asking(ZONE, 'In', 'eu-west-3a')],
            disruption: { budgets: [{ nodes: '100%' }] },
          }),
        ],
        pods: [...full.map(pinned), ...movable.map(spreadPod), ...others.map((name) => keptPod(name)), spreadPod('o1')],
      },
    );
    // With one pod in zone a and two in zone b, one more may move to zone a.
    expect(proposed(snapshot)).toEqual(['m1 -> ']);
  });

  test('B47: a deletion before a replacement moves pods to places that do not depend on the replacement', () => {
    const constraint = { topologyKey: ZONE, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' } as const;
    const topologySpreadConstraints = [{ ...constraint, labelSelector: { matchLabels: { app: 's' } } }];
    const spreadPod = (name: string) =>
      runningPod(name, {
        name: `s-${name}`,
        labels: { app: 's' },
        requests: { cpu: '1' },
        spec: { topologySpreadConstraints },
      });
    const snapshot = snapshotOf(
      [node('a', 'eu-west-3a'), node('b', 'eu-west-3b'), node('x', 'eu-west-3b'), node('y', 'eu-west-3c')],
      {
        nodePools: [pool()],
        pods: [
          ...['a', 'b'].flatMap((on) => [
            keptPod(on, { requests: { cpu: '3500m' } }),
            keptPod(on, { name: `also-on-${on}`, requests: { cpu: '3500m' } }),
          ]),
          spreadPod('x'),
          spreadPod('y'),
          runningPod('x', { name: 'job', requests: { cpu: '1500m' } }),
        ],
      },
    );
    const world = worldOf(snapshot);
    const moves = fleetMoves(candidatesOf(world, 'x', 'y'), world);
    // If both nodes are removed at once, the pod of y is placed in zone b. While the pod of x runs there, zone b has one and zone a has none.
    expect(moves.map(placesOf)).toEqual([
      ['y', 's-y on a'],
      ['x', 's-x on b', 'job on m5.large'],
    ]);
  });

  test('a pass that has steps for a part of the nodes goes on after the last name, until all had their turn', () => {
    const names = Array.from({ length: 50 }, (_, at) => `node-${String(at).padStart(2, '0')}`);
    const pods = names.map((name) =>
      runningPod(name, { name: `on-${name}`, requests: { cpu: '1500m', memory: '1Gi' } }),
    );
    const nodes = names.map((name) => node(name, 'eu-west-3a'));
    const snapshot = snapshotOf(nodes, { nodePools: [pool()], pods });
    const passFrom = (after?: string) => {
      const stoppedAt =
        after === undefined ? {} : { stoppedAt: { method: 'fleet', after, evaluated: 1, candidates: 50 } as const };
      const { moves, stopped } = fleet.propose({ ...worldOf(snapshot), steps: stepLedger(240), ...stoppedAt });
      return { removed: moves.flatMap(({ candidates }) => candidates.map(({ stateNode }) => stateNode.name)), stopped };
    };
    const first = passFrom();
    expect(first.stopped).toEqual({ after: 'node-19', evaluated: 20, candidates: 50 });
    const second = passFrom('node-19');
    expect(second.stopped).toEqual({ after: 'node-39', evaluated: 40, candidates: 50 });
    const third = passFrom('node-39');
    expect(third.stopped).toBeUndefined();
    // Each pass removes nodes of its own part only.
    const parts = [names.slice(0, 20), names.slice(20, 40), names.slice(40)];
    expect([first, second, third].map(({ removed }) => removed.length)).toEqual([16, 16, 8]);
    expect([first, second, third].map(({ removed }, at) => removed.every((name) => parts[at]?.includes(name)))).toEqual(
      [true, true, true],
    );
  });

  test('a pass without steps proposes nothing', () => {
    expect(fleet.propose({ ...worldOf(cluster()), steps: stepLedger(0) }).moves).toEqual([]);
  });
});
