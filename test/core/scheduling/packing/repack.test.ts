import { describe, expect, test } from 'vitest';
import type { Classes, ClassNode } from '../../../../lib/core/scheduling/packing/fill-by-class.ts';
import { repack } from '../../../../lib/core/scheduling/packing/repack.ts';

/** Classes of 6, 4 and 1 cpu, and nodes of 10, 5 and 2 cpu. Memory and the number of pods are no limit. */
const CLASSES: Classes = {
  sizes: [6, 4, 1].map((cpu) => Float64Array.of(cpu, 1, 1)),
  rooms: [10, 5, 2].map((cpu) => Float64Array.of(cpu, 1_000, 1_000)),
  costs: [10, 5.5, 2.4],
  worth: Float64Array.of(1, 0, 0),
};
const WORK = 20_000;

function node(offering: number, counts: Readonly<Record<number, number>>): ClassNode {
  return { offering, classes: Object.keys(counts).map(Number), counts: Object.values(counts) };
}

/** 12 pods of 6 cpu, 12 of 4 and 8 of 1, with pods of one size together. */
const SORTED = [
  ...Array.from({ length: 12 }, () => node(0, { 0: 1 })),
  ...Array.from({ length: 6 }, () => node(0, { 1: 2 })),
  ...Array.from({ length: 4 }, () => node(2, { 2: 2 })),
];

function costOf(nodes: readonly ClassNode[]): number {
  return nodes.reduce((sum, { offering }) => sum + (CLASSES.costs[offering] ?? 0), 0);
}

function podsOn(nodes: readonly ClassNode[]): readonly number[] {
  const sum = [0, 0, 0];
  for (const { classes, counts } of nodes) classes.forEach((id, at) => (sum[id] = (sum[id] ?? 0) + (counts[at] ?? 0)));
  return sum;
}

describe('packing the pods of nodes again', () => {
  test('finds the sizes that fill a node together', () => {
    const nodes = repack(CLASSES, SORTED, { work: WORK, enoughUsd: 0 });
    // Twelve nodes with a pod of 6 cpu and one of 4 are full, and 8 cpu are left.
    expect(costOf(SORTED)).toBeCloseTo(189.6);
    expect(costOf(nodes)).toBeLessThanOrEqual(129.6);
  });

  test('keeps every pod, and no node has more than its room', () => {
    const nodes = repack(CLASSES, SORTED, { work: WORK, enoughUsd: 0 });
    expect(podsOn(nodes)).toEqual(podsOn(SORTED));
    for (const { offering, classes, counts } of nodes) {
      const cpu = classes.reduce((sum, id, at) => sum + (CLASSES.sizes[id]?.[0] ?? 0) * (counts[at] ?? 0), 0);
      expect(cpu).toBeLessThanOrEqual(CLASSES.rooms[offering]?.[0] ?? 0);
    }
  });

  test('more work never costs more, and no work changes nothing', () => {
    const costs = [0, 100, 1_000, 5_000, WORK].map((work) => costOf(repack(CLASSES, SORTED, { work, enoughUsd: 0 })));
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    expect(costs[0]).toBe(costOf(SORTED));
  });

  test('gives the same nodes each time', () => {
    const search = () => repack(CLASSES, SORTED, { work: WORK, enoughUsd: 0 });
    expect(search()).toEqual(search());
  });

  test('ends at a cost that is enough', () => {
    const cost = costOf(repack(CLASSES, SORTED, { work: WORK, enoughUsd: 170 }));
    expect(cost).toBeLessThanOrEqual(170);
    expect(cost).toBeGreaterThan(140);
  });

  test('goes on beyond its work only while the cost is above a limit', () => {
    const costAfter = (aboveUsd: number): number =>
      costOf(repack(CLASSES, SORTED, { work: 100, enoughUsd: 0, further: { work: WORK, aboveUsd } }));
    const short = costOf(repack(CLASSES, SORTED, { work: 100, enoughUsd: 0 }));
    const long = costOf(repack(CLASSES, SORTED, { work: WORK, enoughUsd: 0 }));
    expect(long).toBeLessThan(short);
    expect(costAfter(0)).toBe(long);
    expect(costAfter(short)).toBe(short);
  });

  test('ends for one node that cannot be improved', () => {
    const nodes = repack(CLASSES, [node(0, { 0: 1, 1: 1 })], { work: WORK, enoughUsd: 0 });
    expect(nodes).toMatchObject([{ offering: 0, cost: 10, worth: 10 }]);
  });
});
