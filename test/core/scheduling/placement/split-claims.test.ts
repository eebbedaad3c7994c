import { describe, expect, test } from 'vitest';
import { HOSTNAME } from '../../../../lib/apis/labels.ts';
import type { NodePoolView } from '../../../../lib/core/model/cluster-snapshot.ts';
import type { Schedule } from '../../../../lib/core/scheduling/schedule.ts';
import { solve } from '../../../../lib/core/scheduling/solve.ts';
import { anInstanceType } from '../../../builders/instance-types.ts';
import { aPoolView } from '../../../builders/node-pools.ts';
import { affinityTerm, avoiding, joining, type PodOptions, pendingPods } from '../../../builders/pods.ts';

/** By the cpu of the room of each type. */
const USD_PER_HOUR = { 1.83: 0.027, 3.82: 0.058, 7.81: 0.12, 31.6: 0.396 };
const types = Object.entries(USD_PER_HOUR).map(([cpu, price]) =>
  anInstanceType({ name: `c.${cpu}`, cpu: Number(cpu), memoryGib: 64, price, capacityTypes: ['on-demand'] }),
);

interface Sizes {
  readonly webPods: number;
  readonly webCpu: string;
  readonly aloneCpu: string;
}

const USUAL_SIZES: Sizes = { webPods: 7, webCpu: '1500m', aloneCpu: '1' };

/** Seven pods, of which five fill a node of 0.12 USD, and six that must be on different nodes. */
function scheduleOf(
  web: PodOptions = {},
  pool: NodePoolView = aPoolView({ types }),
  { webPods, webCpu, aloneCpu } = USUAL_SIZES,
): Schedule {
  const labels = { app: 'alone' };
  const affinity = avoiding({ topologyKey: HOSTNAME, labelSelector: { matchLabels: labels } });
  const pods = [
    ...pendingPods(webPods, { name: 'web', requests: { cpu: webCpu }, ...web }),
    ...pendingPods(6, { name: 'alone', labels, requests: { cpu: aloneCpu }, spec: { affinity } }),
  ];
  return solve({ pods, stateNodes: [], nodePools: [pool], daemonSets: [] });
}

function pricesOf({ newClaims }: Schedule): readonly number[] {
  return newClaims.map(({ cheapest }) => cheapest.offering.priceUsdPerHour).toSorted((a, b) => b - a);
}

describe('a pod that makes a claim dearer than a claim of its own', () => {
  test('gets a claim of its own', () => {
    const schedule = scheduleOf();
    expect(pricesOf(schedule)).toEqual([0.12, 0.058, 0.027, 0.027, 0.027, 0.027, 0.027, 0.027]);
    expect(new Set(schedule.newClaims.flatMap(({ pods }) => pods)).size).toBe(13);
    expect(schedule.unplaced).toEqual([]);
  });

  test('stays with pods that must share the node', () => {
    const spec = { affinity: joining(affinityTerm({ topologyKey: HOSTNAME })) };
    const { newClaims } = scheduleOf({ labels: { app: 'web' }, spec });
    const withWeb = newClaims.filter(({ pods }) => pods.some(({ metadata }) => metadata.name.startsWith('web')));
    expect(withWeb).toHaveLength(1);
  });

  test('stays if the limits of the NodePool allow no further claim', () => {
    const limited = scheduleOf({}, aPoolView({ types, limits: { nodes: '7' } }));
    expect(limited.newClaims).toHaveLength(7);
    expect(limited.unplaced).toEqual([]);
  });

  test('stays if capacity is missing, and a claim of its own costs more than the price guard allows', () => {
    const small = anInstanceType({
      name: 'd.0.5',
      cpu: 0.5,
      memoryGib: 64,
      price: 0.005,
      capacityTypes: ['on-demand'],
    });
    const offerings = small.offerings.map((one) => ({ ...one, available: false, shortage: 'missing' as const }));
    const pool = aPoolView({ types: [...types, { ...small, offerings }] });
    const sizes = { webPods: 3, webCpu: '3500m', aloneCpu: '500m' };
    // A claim for one pod of 500m costs 0.027, and would cost 0.005 if no capacity were missing.
    expect(pricesOf(scheduleOf({}, pool, sizes))).toEqual([0.12, 0.12]);
    expect(pricesOf(scheduleOf({}, aPoolView({ types }), sizes))).toContain(0.027);
  });
});
