import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planOf } from '../parity/plan-of.ts';
import type { RawPlan, RawSnapshot } from '../parity/verifier/raw-documents.ts';
import { verifyPlan } from '../parity/verifier/verify-plan.ts';
import { samples } from '../samples.ts';
import { largeSnapshot } from './random/large-snapshot.ts';
import { randomSnapshot } from './random/random-snapshot.ts';

const RUN = { seed: 20_261_121, numRuns: samples(3_000) };

test('every plan satisfies every rule for every possible outcome of its claims', () => {
  fc.assert(
    fc.property(randomSnapshot, (snapshot) => {
      expect(verifyPlan(snapshot, planOf(snapshot))).toEqual([]);
    }),
    RUN,
  );
});

test('no plan is cheaper than the lower bound of its price', () => {
  let near = 0;
  fc.assert(
    fc.property(randomSnapshot, (snapshot) => {
      const { totalHourlyPrice = 0, lowerBoundHourlyPrice = 0 } = planOf(snapshot);
      expect(lowerBoundHourlyPrice).toBeLessThanOrEqual(totalHourlyPrice + 1e-6);
      if (totalHourlyPrice > 0 && lowerBoundHourlyPrice > 0.8 * totalHourlyPrice) near += 1;
    }),
    RUN,
  );
  // The bounds are not trivial.
  expect(near).toBeGreaterThan(RUN.numRuns / 20);
});

test('the search breaks no rule, and places the same pods at a price that is never higher', () => {
  const numRuns = samples(1_500);
  let cheaper = 0;
  fc.assert(
    fc.property(largeSnapshot, (snapshot) => {
      const plan = planOf(snapshot);
      const before = planOf(snapshot, { packing: 'without-search' });
      const broken = verifyPlan(snapshot, plan);
      if (broken.length > 0) expect(broken).toEqual(verifyPlan(snapshot, before));
      expect(placedOnNew(plan)).toEqual(placedOnNew(before));
      const { totalHourlyPrice: price = 0, lowerBoundHourlyPrice: bound = 0 } = plan;
      const { totalHourlyPrice: priceBefore = 0 } = before;
      expect(price).toBeLessThanOrEqual(priceBefore + 1e-9);
      expect(bound).toBeLessThanOrEqual(price + 1e-6);
      if (price < priceBefore - 1e-6) cheaper += 1;
    }),
    { ...RUN, numRuns },
  );
  expect(cheaper).toBeGreaterThan(numRuns / 20);
});

function placedOnNew({ newNodeClaims }: RawPlan): readonly string[] {
  return newNodeClaims.flatMap(({ pods }) => pods).toSorted();
}

test('the order of a snapshot does not affect the plan', () => {
  const shuffled = randomSnapshot.chain((snapshot) =>
    fc
      .record({
        pods: fc.shuffledSubarray([...(snapshot.pods ?? [])], { minLength: snapshot.pods?.length ?? 0 }),
        nodePools: fc.shuffledSubarray([...(snapshot.nodePools ?? [])], { minLength: snapshot.nodePools?.length ?? 0 }),
        instanceTypes: fc.shuffledSubarray([...(snapshot.instanceTypes ?? [])], {
          minLength: snapshot.instanceTypes?.length ?? 0,
        }),
      })
      .map((other): readonly [RawSnapshot, RawSnapshot] => [snapshot, { ...snapshot, ...other }]),
  );
  fc.assert(
    fc.property(shuffled, ([snapshot, other]) => {
      expect(planOf(other)).toEqual(planOf(snapshot));
    }),
    { ...RUN, numRuns: samples(1_000) },
  );
});

// A limit makes the choice of pods a knapsack problem: another order of pools may use less of the limit.
test('pools without taints place no fewer pods, if no limit applies', () => {
  fc.assert(
    fc.property(randomSnapshot, (given) => {
      const snapshot = { ...given, nodePools: (given.nodePools ?? []).map(withoutLimits) };
      const open = { ...snapshot, nodePools: snapshot.nodePools.map(withoutTaints) };
      expect(placed(planOf(open))).toBeGreaterThanOrEqual(placed(planOf(snapshot)));
    }),
    { ...RUN, numRuns: samples(1_500) },
  );
});

type RawNodePool = NonNullable<RawSnapshot['nodePools']>[number];

function withoutLimits(nodePool: RawNodePool): RawNodePool {
  const { limits: _, ...spec } = nodePool.spec;
  return { ...nodePool, spec };
}

function withoutTaints(nodePool: RawNodePool): RawNodePool {
  const { taints: _, ...spec } = nodePool.spec.template.spec;
  return { ...nodePool, spec: { ...nodePool.spec, template: { ...nodePool.spec.template, spec } } };
}

function placed({ newNodeClaims, existing }: RawPlan): number {
  return [...newNodeClaims, ...(existing ?? [])].reduce((sum, { pods }) => sum + pods.length, 0);
}
