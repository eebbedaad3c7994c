import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { ALL_METHODS } from '../../../lib/core/disruption/methods/all-methods.ts';
import type { PastMove } from '../../../lib/core/model/disruption/past-move.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { runSimulation } from '../../../lib/simulator/simulation.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { asking } from '../../builders/node-pools.ts';
import { SMALL_CATALOGUE } from '../../controllers/life.ts';

const MAX_EVICTIONS = 'kerf.dev/max-evictions-per-hour';
const COOL_DOWN = 'kerf.dev/disruption-cool-down';

/** Eight nodes with two pods each. Half of the pods end, so the others fit on fewer nodes, which are removed one at a time. */
async function consolidated(annotations: Readonly<Record<string, string>>, minutes: number) {
  const pool = aPool({
    disruption: { consolidateAfter: '1m', consolidationPolicy: 'WhenEmptyOrUnderutilized', budgets: [{ nodes: '1' }] },
  });
  const { spec } = pool.spec.template;
  const requirements = [...spec.requirements, asking('karpenter.k8s.aws/instance-cpu', 'Lt', '3')];
  const template = { ...pool.spec.template, spec: { ...spec, requirements } };
  const moves: PastMove[] = [];
  const result = await runSimulation({
    manifests: someManifests({
      nodePools: [{ ...pool, metadata: { ...pool.metadata, annotations }, spec: { ...pool.spec, template } }],
      deployments: [aDeployment('web', 16, '800m')],
    }),
    scenario: {
      name: 'consolidated',
      events: [{ kind: 'scale', atMs: 10 * MINUTE_MS, deployment: 'default/web', replicas: 8 }],
    },
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: minutes * MINUTE_MS,
    goesOn: true,
    // With nominations the pods are placed so that no pod has to move.
    settings: { ...DEFAULT_SETTINGS, nominatePods: false },
    methods: ALL_METHODS,
    wrapPorts: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        recordMove: async (...args) => {
          moves.push(args[1]);
          return ports.store.recordMove(...args);
        },
      },
    }),
  });
  const evictedAt = result.timeline.flatMap((entry) => (entry.kind === 'evict-pod' ? [entry.at] : []));
  // Evictions of one move are at the same time.
  const gaps = evictedAt
    .slice(1)
    .map((at, index) => (at - (evictedAt[index] ?? 0)) / 60)
    .filter((minutesBetween) => minutesBetween > 0.1);
  const workloads = new Set(moves.flatMap(({ evicted }) => Object.keys(evicted)));
  return { result, evictedAt, gaps, writes: moves.length, workloads: [...workloads] };
}

describe('a cluster that consolidates', () => {
  test('removes one node after the other and writes no history if no NodePool limits moves', async () => {
    const { result, gaps, writes } = await consolidated({}, 60);
    expect(result).toMatchObject({ nodesAtEnd: 4, podsRunning: 8 });
    expect(gaps).toHaveLength(1);
    expect(gaps[0]).toBeLessThan(1.5);
    expect(writes).toBe(0);
  });

  test('evicts a pod of a Deployment an hour if its NodePool allows one, and then reaches the same fleet', async () => {
    const { result, gaps, writes, workloads } = await consolidated({ [MAX_EVICTIONS]: '1' }, 90);
    expect(result).toMatchObject({ nodesAtEnd: 4, podsRunning: 8 });
    expect(gaps).toHaveLength(1);
    expect(gaps[0]).toBeGreaterThan(60);
    // One for each command that evicts pods. Empty nodes are not consolidated.
    expect(writes).toBe(2);
    // By the label of their template, as in Kubernetes: the next ReplicaSet counts too.
    expect(workloads).toEqual(['Deployment default/web']);
  });

  test('leaves a Deployment alone for half an hour after a move if its NodePool says so', async () => {
    const { result, gaps, writes } = await consolidated({ [COOL_DOWN]: '30m' }, 60);
    expect(result).toMatchObject({ nodesAtEnd: 4, podsRunning: 8 });
    expect(gaps).toHaveLength(1);
    expect(gaps[0]).toBeGreaterThan(30);
    expect(gaps[0]).toBeLessThan(32);
    expect(writes).toBe(2);
  });
});
