import { describe, expect, test } from 'vitest';
import { growthOf, type Measurement, measurement, median } from '../../benchmarks/measurement.ts';
import { renderGrowth, renderTable, WIDTH } from '../../benchmarks/render-table.ts';

function measured(over: Partial<Measurement> = {}): Measurement {
  const { name = 'l-preferences-01000', karpenter, ...figures } = over;
  return measurement(
    name,
    {
      pods: 20_000,
      types: 1_340,
      existingNodes: 500,
      coldMs: 123_456,
      ms: 98_765,
      runsMs: [98_765],
      peakMb: 1_234,
      coldPeakMb: 1_000,
      peakHeapMb: 900,
      newClaims: 3_523,
      unplaced: 20_000,
      usdPerHour: 12_345.67,
      boundUsdPerHour: 123.45,
      ...figures,
    },
    karpenter,
  );
}

const karpenter = { ms: 200_896, newClaims: 3_523, unplaced: 477, usdPerHour: 12_345.67, ratio: 0, coldRatio: 0 };
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

describe('the table of measurements', () => {
  test.each([
    ['large figures', measured({ karpenter })],
    ['small figures', measured({ name: 's01-basic', pods: 10, ms: 0.123_456, coldMs: 5.4321, karpenter })],
    ['a long name', measured({ name: 's43-inverse-anti-affinity-with-more-words-than-most-names-have', karpenter })],
  ])('fits a terminal of 100 columns with %s', (_, one) => {
    expect(widest(renderTable([one, measured()]))).toBeLessThanOrEqual(WIDTH);
  });

  test('compares with Karpenter where its result is known', () => {
    const text = renderTable([measured({ ms: 2_000, karpenter }), measured({ name: 'own' })]);
    expect(text).toMatch(/\b100×/);
    expect(text).toMatch(/^own .*[^×]$/m);
  });

  test('does not mention Karpenter without a result', () => {
    expect(renderTable([measured()])).not.toContain('Karpenter');
  });
});

describe('growth', () => {
  const timed = (name: string, pods: number, ms: number) => measured({ name, pods, ms });

  test('is from a quarter of the largest size, where that was measured', () => {
    const all = [
      timed('l-diverse-00500', 500, 1),
      timed('l-diverse-20000', 20_000, 400),
      timed('l-diverse-05000', 5_000, 100),
    ];
    expect(renderGrowth(growthOf(all))).toBe('l-diverse: 20000 pods take 4.0× as long as 5000');
  });

  test('is from the smallest size elsewhere, and of one size there is none', () => {
    const all = [
      timed('generic-2000', 2_000, 10),
      timed('generic-10000', 10_000, 45),
      timed('existing-5000', 5_000, 9),
    ];
    expect(renderGrowth(growthOf(all))).toBe('generic: 10000 pods take 4.5× as long as 2000');
  });
});

test('the median is the middle one, or halfway between the two in the middle', () => {
  expect([median([9, 1, 5]), median([4, 1, 3, 9])]).toEqual([5, 3.5]);
});
