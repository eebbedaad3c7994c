import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../../lib/apis/kubernetes.ts';
import type { NodePoolView } from '../../../../lib/core/model/cluster-snapshot.ts';
import type { InstanceType, Offering } from '../../../../lib/core/model/instance-type.ts';
import { cheapestUsd, type Schedule } from '../../../../lib/core/scheduling/schedule.ts';
import { solve } from '../../../../lib/core/scheduling/solve.ts';
import { anInstanceType } from '../../../builders/instance-types.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { pendingPods, spread } from '../../../builders/pods.ts';

/** Nodes of 2 to 16 cpu whose price is in proportion, with memory for each cpu. */
const types = [2, 4, 8, 16].flatMap((cpu) =>
  [2, 4, 8].map((gib) => {
    const [name, priceUsdPerHour] = [`c${gib}.${cpu}`, cpu * (0.04 + gib * 0.003)];
    const type = anInstanceType({ name, cpu, memoryGib: cpu * gib, pods: 58 });
    return { ...type, offerings: type.offerings.map((offering) => ({ ...offering, priceUsdPerHour })) };
  }),
);

const SIZES = [
  ['100m', '1400Mi'],
  ['300m', '200Mi'],
  ['700m', '2300Mi'],
  ['1100m', '900Mi'],
  ['1300m', '5Gi'],
  ['2600m', '1500Mi'],
] as const;

/** So many pods of each of six sizes. */
function pods(each: number, over: Partial<Parameters<typeof pendingPods>[1]> = {}): readonly Pod[] {
  return SIZES.flatMap(([cpu, memory], at) =>
    pendingPods(each, { name: `size-${at}`, requests: { cpu, memory }, ...over }),
  );
}

function plansOf(pending: readonly Pod[], nodePools: readonly NodePoolView[] = [aPoolView({ types })]) {
  const problem = { pods: pending, stateNodes: [], nodePools, daemonSets: [] };
  return { searched: solve(problem), before: solve({ ...problem, options: { packing: 'without-search' } }) };
}

function podsPlaced({ newClaims }: Schedule): number {
  return newClaims.reduce((sum, claim) => sum + claim.pods.length, 0);
}

describe('new claims with many pods are packed again', () => {
  test('for a lower price, with the same pods', () => {
    const { searched, before } = plansOf(pods(40));
    expect(cheapestUsd(searched.newClaims)).toBeLessThan(cheapestUsd(before.newClaims));
    expect([podsPlaced(searched), searched.unplaced]).toEqual([240, []]);
  });

  test('not those with few pods', () => {
    const { searched, before } = plansOf(pods(16));
    expect(searched).toEqual(before);
  });

  test('not pods that a topology rule counts', () => {
    const { searched, before } = plansOf(
      pods(40, { labels: { app: 'web' }, spec: { topologySpreadConstraints: [spread()] } }),
    );
    expect(searched).toEqual(before);
  });

  test('within the limits of the NodePool', () => {
    const unlimited = plansOf(pods(40)).searched.newClaims;
    const cpu = unlimited.reduce((sum, { cheapest }) => sum + (cheapest.type.capacity['cpu'] ?? 0), 0) / 1_000;
    for (const limit of [cpu - 3, cpu, cpu + 3]) {
      const { searched } = plansOf(pods(40), [aPoolView({ types, limits: { cpu: String(limit) } })]);
      const used = searched.newClaims.reduce((sum, { cheapest }) => sum + (cheapest.type.capacity['cpu'] ?? 0), 0);
      expect(used).toBeLessThanOrEqual(limit * 1_000);
    }
  });

  const MISSING = { available: false, shortage: 'missing' } as const;
  /** The types, with these changes of the offerings of one of them. */
  const changed = (name: string, change: (offering: Offering) => Partial<Offering>): readonly InstanceType[] =>
    types.map((type) =>
      type.name === name
        ? { ...type, offerings: type.offerings.map((offering) => ({ ...offering, ...change(offering) })) }
        : type,
    );

  test('also while a type that the NodePool does not allow has no capacity, as if nothing were missing', () => {
    const other = anInstanceType({ name: 'x2.large', cpu: 2, memoryGib: 32 });
    const offerings = other.offerings.map((offering) => ({ ...offering, ...MISSING }));
    const requirements = [asking('karpenter.k8s.aws/instance-family', 'NotIn', 'x2')];
    const { searched } = plansOf(pods(40), [aPoolView({ types: [...types, { ...other, offerings }], requirements })]);
    const { searched: unmarked } = plansOf(pods(40), [aPoolView({ types: [...types, other], requirements })]);
    expect(searched.newClaims.map(({ pods: its }) => its)).toEqual(unmarked.newClaims.map(({ pods: its }) => its));
  });

  test('also while capacity of the NodePool is missing', () => {
    const { searched, before } = plansOf(pods(40), [aPoolView({ types: changed('c8.16', () => MISSING) })]);
    expect(cheapestUsd(searched.newClaims)).toBeLessThan(cheapestUsd(before.newClaims));
    expect([podsPlaced(searched), searched.unplaced]).toEqual([240, []]);
  });
});
