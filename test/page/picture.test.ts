import { describe, expect, test } from 'vitest';
import { chartColumns } from '../../lib/page/fleet/columns.ts';
import { formatAge, formatClock, formatCpu, formatDollars, formatMemory } from '../../lib/page/fleet/format.ts';
import { layoutFleet, TILES, tileAt, tileSizeFor } from '../../lib/page/fleet/layout.ts';
import { defaultSpeed } from '../../lib/page/fleet/speeds.ts';
import { aNode, manyFrames } from './frames.ts';

function fleetOf(nodes: number) {
  return manyFrames(nodes).flatMap((frame) => (frame.nodes ?? []).map((node) => aNode(node.id, node)));
}

describe('the tiles of a fleet', () => {
  test.each([3, 40, 100, 240, 241, 2_000])('%i nodes do not overlap, and each is found at its place', (count) => {
    const size = tileSizeFor(count);
    const layout = layoutFleet(fleetOf(count), size, 780);
    const tiles = layout.bands.flatMap((band) => band.tiles);
    expect(tiles).toHaveLength(count);
    for (const { x, y, node } of tiles) {
      expect(x + TILES[size].width).toBeLessThanOrEqual(780);
      expect(y + TILES[size].height).toBeLessThanOrEqual(layout.height);
      for (const [dx, dy] of [
        [0, 0],
        [TILES[size].width - 1, TILES[size].height - 1],
      ] as const)
        expect(tileAt(layout, size, { x: x + dx, y: y + dy })?.node.id).toBe(node.id);
    }
  });

  test('are in the order of their launches within their NodePool, so that they keep their place', () => {
    const nodes = [aNode('b', { launchedAt: 2 }), aNode('c', { launchedAt: 1 }), aNode('a', { pool: 'batch' })];
    const { bands } = layoutFleet(nodes, 'card', 780);
    expect(bands.map(({ pool, nodes: those }) => [pool, those.map(({ id }) => id)])).toEqual([
      ['batch', ['a']],
      ['general', ['c', 'b']],
    ]);
  });

  test('2,000 nodes fit 1,200 pixels', () => {
    expect(layoutFleet(fleetOf(2_000), tileSizeFor(2_000), 780).height).toBeLessThan(1_200);
  });

  test('a point between two tiles is not a node', () => {
    const layout = layoutFleet(fleetOf(3), 'card', 780);
    expect(tileAt(layout, 'card', { x: 5, y: 5 })).toBeUndefined();
  });
});

function figures(at: number, usdPerHour: number, podsPending = 0) {
  return { at, usdPerHour, costUsd: 0, podsRunning: 0, podsPending, boundUsdPerHour: usdPerHour / 2 };
}

describe('the columns of the chart', () => {
  test('have the figures of the end', () => {
    const columns = chartColumns([figures(0, 1), figures(50, 9)], { untilSeconds: 50, knownSeconds: 50, columns: 5 });
    expect(columns.map(({ usdPerHour }) => usdPerHour)).toEqual([1, 1, 1, 1, 9]);
  });

  test('hold the last figures, keep every peak, and end with what is known', () => {
    const all = [figures(0, 1), figures(11, 9, 4), figures(12, 2), figures(30, 0)];
    const columns = chartColumns(all, { untilSeconds: 50, knownSeconds: 40, columns: 5 });
    expect(columns.map(({ usdPerHour }) => usdPerHour)).toEqual([1, 9, 2, 2]);
    expect(columns.map(({ podsPending }) => podsPending)).toEqual([0, 4, 0, 0]);
  });
});

test('figures are short', () => {
  expect([0, 59, 3_661, 360_000].map(formatClock)).toEqual(['00:00:00', '00:00:59', '01:01:01', '100:00:00']);
  expect([0, 0.0797, 12.4].map(formatDollars)).toEqual(['$0.00', '$0.0797', '$12.40']);
  expect([45, 720, 11_100].map(formatAge)).toEqual(['45 s', '12 min', '3 h 5 min']);
  expect(formatCpu(6_150, 7_910)).toBe('6.2 of 7.9 cpu');
  expect(formatMemory(12_352, 15_360)).toBe('12 of 15 GiB');
});

test('a playback takes less than two minutes, up to a fortnight', () => {
  expect([60, 3_600, 86_400, 604_800].map(defaultSpeed)).toEqual([1, 60, 900, 14_400]);
});
