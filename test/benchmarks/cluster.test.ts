import { describe, expect, test } from 'vitest';
import { changesOf } from '../../benchmarks/cluster/changes.ts';
import { nodeName, otherObjects } from '../../benchmarks/cluster/others.ts';
import { aPod } from '../../benchmarks/cluster/pods.ts';
import { misses, renderLooks, type Taken } from '../../benchmarks/cluster/verdict.ts';

const FOUND = { pods: 2_000, unbound: 20, nodes: 100, changed: 0 };

function taken(over: Partial<Taken['look']> = {}): Taken {
  const look = { cpuMs: 100, wallMs: 200, peakMb: 100, requests: 5, receivedMb: 1, found: FOUND, ...over };
  return { name: 'cold', look, expected: FOUND, targetCpuMs: 3_000, targetPeakMb: 400, mostRequests: 30 };
}

describe('a look', () => {
  test('that found all and kept within its targets misses nothing', () => {
    expect(misses([taken()], true)).toEqual([]);
  });

  test('that took too long is reported only at full size', () => {
    const slow = taken({ cpuMs: 3_001, peakMb: 401 });
    expect(misses([slow], true)).toEqual([
      'cold: ms of CPU: 3001, at most 3000 are allowed',
      'cold: MB at its peak: 401, at most 400 are allowed',
    ]);
    expect(misses([slow], false)).toEqual([]);
  });

  test('that missed a pod or sent too many requests is reported at any size', () => {
    expect(misses([taken({ found: { ...FOUND, pods: 1_999 }, requests: 31 })], false)).toEqual([
      'cold: pods: 1999 were found, and 2000 are there',
      'cold: requests: 31, at most 30 are allowed',
    ]);
  });

  test('is a line that fits a terminal', () => {
    const widths = renderLooks([{ ...taken(), name: 'first read, nothing to do' }]).split('\n');
    for (const line of widths) expect(line.length).toBeLessThanOrEqual(80);
  });
});

test('changes are each of another pod, and add up', () => {
  const { objects, pods, unbound, changed } = changesOf(100, { pods: 2_000, unbound: 20 });
  expect(new Set(objects.map(({ key }) => key)).size).toBe(100);
  expect(objects.filter(({ object }) => object === undefined)).toHaveLength(20);
  expect({ pods, unbound, changed }).toEqual({ pods: 2_010, unbound: 0, changed: 80 });
});

test('a cluster to be measured is like a real one: pods of 8 to 11 KB, and no object twice', () => {
  const pods = Array.from({ length: 300 }, (_, index) => aPod({ index, node: nodeName(index) }));
  for (const { object } of pods) {
    const { length } = JSON.stringify(object);
    expect(length).toBeGreaterThan(8_000);
    expect(length).toBeLessThan(11_000);
  }
  const keys = [...pods, ...otherObjects({ pods: 300, nodes: 20 })].map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
});
