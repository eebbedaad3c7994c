import fc from 'fast-check';
import { expect, test } from 'vitest';
import { provedBound } from '../../benchmarks/bound/column-generation.ts';
import { gridBound } from '../../benchmarks/bound/grid-bound.ts';
import { type Item, mostWorth } from '../../benchmarks/bound/knapsack.ts';
import { samples } from '../samples.ts';

const items = fc.array(
  fc
    .record({
      cpu: fc.integer({ min: 1, max: 9 }),
      memory: fc.integer({ min: 1, max: 9 }),
      worth: fc.integer({ min: 1, max: 20 }),
      count: fc.integer({ min: 1, max: 3 }),
    })
    .map(({ cpu, memory, worth, count }): Item => ({ size: Float64Array.of(cpu, memory, 1), worth, count })),
  { minLength: 1, maxLength: 4 },
);
const room = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 6 }))
  .map((amounts) => Float64Array.from(amounts));
const RUN = { seed: 20_261_123, numRuns: samples(2_000) };

/** The highest worth of the items in the room, by trying everything. */
function highestWorth([item, ...others]: readonly Item[], left: Float64Array): number {
  if (item === undefined) return 0;
  let best = 0;
  for (let count = 0; count <= item.count; count += 1) {
    const rest = left.map((amount, at) => amount - count * (item.size[at] ?? 0));
    if (rest.some((amount) => amount < 0)) break;
    best = Math.max(best, count * item.worth + highestWorth(others, rest));
  }
  return best;
}

test('the most valuable pods of a node are found', () => {
  fc.assert(
    fc.property(items, room, (all, node) => {
      const { worth, counts, isExact } = mostWorth(all, node, { above: 0, branches: 30_000 });
      expect(worth).toBe(highestWorth(all, node));
      expect(counts.reduce((sum, count, at) => sum + count * (all[at]?.worth ?? 0), 0)).toBe(worth);
      expect(isExact).toBe(true);
    }),
    RUN,
  );
});

test('no pods of a node are worth more than the bound of the grid', () => {
  fc.assert(
    fc.property(items, room, (all, node) => {
      expect(gridBound(all, node)).toBeGreaterThanOrEqual(highestWorth(all, node));
    }),
    RUN,
  );
});

test('pods of more than half a node each are not on a node together', () => {
  const classes = [{ size: Float64Array.of(6, 1, 1), count: 10 }];
  const offerings = [{ room: Float64Array.of(10, 100, 100), price: 3 }];
  const nodes = [{ holds: Float64Array.of(1), price: 3 }];
  expect(provedBound({ classes, offerings, nodes }).usdPerHour).toBeCloseTo(30, 1);
});
