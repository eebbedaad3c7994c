import fc from 'fast-check';
import { expect, test } from 'vitest';
import { savings } from '../../../lib/cli/plan/disruption/disruption-output.ts';
import { ALL_METHODS } from '../../../lib/core/disruption/methods/all-methods.ts';
import { planDisruption } from '../../../lib/core/disruption/plan-disruption.ts';
import { readSnapshot } from '../../../lib/snapshot/read-snapshot.ts';
import { NOW_MS } from '../../builders/times.ts';
import { samples } from '../../samples.ts';
import { disruptableSnapshots } from '../random/disruptable-snapshots.ts';

const ROUNDING = 1e-9;

test('E21: a plan saves at least as much as one that replaces nodes by one new node at most, and is often cheaper', () => {
  let saving = 0;
  let more = 0;
  let leftOut = 0;
  fc.assert(
    fc.property(disruptableSnapshots, (document) => {
      const read = { readText: () => JSON.stringify(document) };
      const { snapshot, nowMs } = readSnapshot(read, { path: 'random.json', nowMs: NOW_MS });
      const planned = (methods: typeof ALL_METHODS, seen = snapshot): number =>
        savings(planDisruption(methods, seen, nowMs).commands);
      const withFleet = planned(ALL_METHODS);
      const required = ALL_METHODS.filter(({ name }) => name !== 'fleet');
      const byOne = planned(required);
      expect(withFleet).toBeGreaterThanOrEqual(byOne - ROUNDING);
      const options = { ...snapshot.options, packing: 'first-fit' } as const;
      expect(withFleet, "Karpenter's packing").toBeGreaterThanOrEqual(
        planned(required, { ...snapshot, options }) - ROUNDING,
      );
      if (byOne > 0) saving += 1;
      if (withFleet > byOne + ROUNDING) more += 1;
      const always = planned(ALL_METHODS.map(({ isOptional: _isOptional, ...method }) => method));
      if (always < withFleet - ROUNDING) leftOut += 1;
    }),
    { seed: 20_261_125, numRuns: samples(2_000, 600) },
  );
  // The samples have plans that are better with several new nodes, and plans that would be worse.
  expect(saving).toBeGreaterThan(samples(100, 30));
  expect(more).toBeGreaterThan(samples(50, 15));
  expect(leftOut).toBeGreaterThan(samples(10, 0));
});
