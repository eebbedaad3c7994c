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

/** Seven pods, of which five fill a node of 0.12 USD, and six that must be on different nodes. */
function scheduleOf(web: PodOptions = {}, pool: NodePoolView = aPoolView({ types })): Schedule {
  const labels = { app: 'alone' };
  const affinity = avoiding({ topologyKey: HOSTNAME, labelSelector: { matchLabels: labels } });
  const pods = [
    ...pendingPods(7, { name: 'web', requests: { cpu: '1500m' }, ...web }),
    ...pendingPods(6, { name: 'alone', labels, requests: { cpu: '1' }, spec: { affinity } }),
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
});
