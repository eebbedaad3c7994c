import { expect, test } from 'vitest';
import { drawLines } from '../../benchmarks/pictures/draw-lines.ts';
import { boundMeter } from '../../benchmarks/week/lower-bound.ts';
import { MODES } from '../../benchmarks/week/modes.ts';
import { renderWeek } from '../../benchmarks/week/render-week.ts';
import type { MeasuredWeek } from '../../benchmarks/week/run-week.ts';
import { weekInput } from '../../benchmarks/week/week-input.ts';
import { openSimulation } from '../../lib/simulator/simulation.ts';
import { playToEnd } from '../simulator/play-to-end.ts';

const DAY_MS = 86_400_000;
const [kerf, karpenter] = MODES;
const inputOf = (seed: number, mode = kerf) => {
  if (mode === undefined) throw new RangeError('no mode');
  return weekInput({ seed, days: 2, nodes: 40 }, mode);
};

test('the pods that come and go depend on the seed and not on the mode', () => {
  const worldOf = (seed: number, mode = kerf) => {
    const { scenario, trace, manifests } = inputOf(seed, mode);
    return JSON.stringify([scenario, trace, manifests.deployments]);
  };
  expect(worldOf(1, karpenter)).toBe(worldOf(1));
  expect(worldOf(2)).not.toBe(worldOf(1));
});

test('as many tasks run after the start as at the end, about 26 % of 320 cpu', () => {
  const { trace } = inputOf(3);
  const cpuAt = (ms: number): number =>
    trace?.timeMs.reduce((sum, atMs, row) => {
      const isRunning = atMs <= ms && ms < atMs + (trace.lifetimeMs[row] ?? 0);
      return isRunning ? sum + (trace.cpuMillicores[row] ?? 0) / 1_000 : sum;
    }, 0) ?? 0;
  for (const atMs of [DAY_MS / 4, DAY_MS, 2 * DAY_MS - 1]) {
    expect(cpuAt(atMs)).toBeGreaterThan(50);
    expect(cpuAt(atMs)).toBeLessThan(120);
  }
});

const week = (mode: string, usd: number, evictions: number): MeasuredWeek => ({
  mode,
  usd,
  boundUsd: 0.8 * usd,
  evictions,
  podDays: 16_000,
  meanNodes: 214.3,
  launched: 12_345,
  waits: { pods: 40_000, p50: 42.1, p99: 123.4, max: 300 },
  pending: 0,
  cpuShare: 0.94,
  commands: 1_000,
  rejected: 10,
  failures: 0,
  cpuSeconds: 1_000,
  samples: [],
});

test('the table fits 80 columns', () => {
  const lines = renderWeek(MODES.map(({ name }) => week(name, 123_456.7, 1_234_567))).split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test.each([
  ['missed because of the cost', 851, 10],
  ['missed because of the evictions', 850, 11],
])('the target is %s', (_, usd, evictions) => {
  expect(renderWeek([week('kerf', usd, evictions), week('karpenter', 1_000, 10)])).toContain('is missed');
});

test('the target is met with as many evictions', () => {
  expect(renderWeek([week('kerf', 850, 10), week('karpenter', 1_000, 10)])).toContain('is met');
});

test('the lower bound of the cost is stated beside the target', () => {
  expect(renderWeek([week('kerf', 900, 10), week('karpenter', 1_000, 10)])).toContain('at least 0.800 of the cost');
});

test('no fleet for the pods is cheaper than the lower bound', async () => {
  if (karpenter === undefined) throw new RangeError('no mode');
  const meter = boundMeter(karpenter.methods);
  const simulation = openSimulation(
    weekInput({ seed: 1, days: 0.1, nodes: 2 }, { ...karpenter, methods: meter.methods }),
  );
  await playToEnd(simulation);
  const { usdPerHour, podsPending } = simulation.progress();
  expect(podsPending).toBe(0);
  expect(meter.usdPerHour()).toBeLessThanOrEqual(usdPerHour);
  expect(meter.usdPerHour()).toBeGreaterThan(0.3 * usdPerHour);
});

test('a picture has a line and a name for each mode, and colours for dark pages', () => {
  const lines = ['a', 'b'].map((name) => ({ name, points: [0, 1, 2].map((x) => ({ x, y: x * 7 })) }));
  const svg = drawLines({ title: 'Price', unit: '$/h', lines });
  expect(svg.match(/class="line c[01]" d="M[\d.]+ [\d.]+L/g)).toHaveLength(2);
  expect(svg).toContain('prefers-color-scheme:dark');
  expect(svg).toContain('>15<');
});
