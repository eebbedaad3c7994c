import fc from 'fast-check';
import { expect, test } from 'vitest';
import { podKey } from '../../../lib/apis/kubernetes.ts';
import { freeResources } from '../../../lib/core/cluster/state-node.ts';
import { consolidatable } from '../../../lib/core/disruption/consolidation/consolidatable.ts';
import { fleetMoves } from '../../../lib/core/disruption/methods/fleet.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { podRequests } from '../../../lib/core/resources/pod-requests.ts';
import { add, fits } from '../../../lib/core/resources/resources.ts';
import { aPoolView, asking } from '../../builders/node-pools.ts';
import { runningPod } from '../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../builders/snapshots.ts';
import { worldOf } from '../../core/disruption/worlds.ts';

const ZONE = 'topology.kubernetes.io/zone';
const ZONES = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'];
const TYPES = [
  { type: 'm5.large', cpu: 2 },
  { type: 'm5.xlarge', cpu: 4 },
  { type: 'm5.2xlarge', cpu: 8 },
];

const pod = fc.record({ cpu: fc.constantFrom(100, 300, 700, 1_500), pinned: fc.boolean(), apart: fc.boolean() });
const node = fc.record({
  of: fc.constantFrom(...TYPES),
  zone: fc.constantFrom(...ZONES),
  pods: fc.array(pod, { minLength: 1, maxLength: 6 }),
});

/** Nodes of three sizes in three zones. Some pods are pinned to their zone, and some refuse each other's host. */
const cluster: fc.Arbitrary<ClusterSnapshot> = fc.array(node, { minLength: 2, maxLength: 60 }).map((nodes) => {
  const made = nodes.map(({ of: { type, cpu }, zone }, at) =>
    initializedNode({
      name: `node-${at}`,
      allocatable: { cpu: String(cpu), memory: `${cpu * 4}Gi`, pods: '29' },
      labels: { 'node.kubernetes.io/instance-type': type, [ZONE]: zone },
    }),
  );
  const pods = nodes.flatMap(({ of: { cpu: cpus }, zone, pods: some }, at) => {
    let left = cpus * 1_000;
    return some.flatMap(({ cpu, pinned, apart }, index) => {
      if (left < cpu) return [];
      left -= cpu;
      const labelSelector = { matchLabels: { app: 'apart' } };
      const term = { topologyKey: 'kubernetes.io/hostname', labelSelector };
      const alone = apart && index === 0;
      return runningPod(`node-${at}`, {
        name: `pod-${at}-${index}`,
        labels: { app: alone ? 'apart' : 'any' },
        requests: { cpu: `${cpu}m`, memory: '256Mi' },
        spec: {
          ...(pinned && { nodeSelector: { [ZONE]: zone } }),
          ...(alone && { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }),
        },
      });
    });
  });
  const requirements = [asking('karpenter.sh/capacity-type', 'In', 'on-demand')];
  return snapshotOf(made, {
    nodePools: [aPoolView({ requirements, disruption: { budgets: [{ nodes: '100%' }] } })],
    pods,
  });
});

test('the moves of a pass have room for every pod, all at once, and each of them saves', () => {
  let replaced = 0;
  let shared = 0;
  fc.assert(
    fc.property(cluster, (snapshot) => {
      const world = worldOf(snapshot);
      const moves = fleetMoves(consolidatable(world).candidates, world);
      const gone = moves.flatMap(({ candidates }) => candidates.map(({ stateNode }) => stateNode.name));
      expect(new Set(gone).size).toBe(gone.length);
      const places = moves.flatMap(({ targets }) => targets);
      const names = places.map(({ stateNode }) => stateNode.name);
      expect(names.filter((name) => gone.includes(name))).toEqual([]);
      for (const stateNode of world.candidates.nodes) {
        const some = places.filter((place) => place.stateNode.name === stateNode.name);
        const arriving = add(...some.flatMap(({ pods }) => pods.map(podRequests)));
        expect(fits(arriving, freeResources(stateNode))).toBe(true);
        if (some.length > 1) shared += 1;
      }
      const known = new Set(world.candidates.nodes.map(({ name }) => name));
      expect(names.filter((name) => !known.has(name))).toEqual([]);
      for (const { candidates, targets, replacements, sourceUsdPerHour, savingsUsdPerHour, evictions } of moves) {
        const moved = [...targets, ...replacements].flatMap(({ pods }) => pods.map(podKey)).toSorted();
        expect(moved).toEqual(candidates.flatMap(({ stateNode }) => stateNode.pods.map(podKey)).toSorted());
        expect(moved).toHaveLength(evictions);
        for (const { pods, instanceTypes } of replacements)
          for (const { allocatable } of instanceTypes)
            expect(fits(add(...pods.map(podRequests)), allocatable)).toBe(true);
        const paid = replacements.reduce((sum, { cheapest }) => sum + cheapest.offering.priceUsdPerHour, 0);
        expect(savingsUsdPerHour).toBeCloseTo(sourceUsdPerHour - paid);
        expect(savingsUsdPerHour).toBeGreaterThan(0);
        replaced += replacements.length > 1 ? 1 : 0;
      }
    }),
    { seed: 20_261_123, numRuns: 120 },
  );
  expect(replaced).toBeGreaterThan(10);
  expect(shared).toBeGreaterThan(0);
});
