/**
 * Measures one snapshot file in this process and writes the figures to stdout as JSON: `node benchmarks/run-case.ts FILE RUNS`.
 * The snapshot is read once, which is not timed. The engine keeps no state between runs: each run builds its indexes again.
 */
import { readFileSync } from 'node:fs';
import { provision } from '../lib/core/provisioning/provision.ts';
import { cheapestUsd } from '../lib/core/scheduling/schedule.ts';
import { type ReadSnapshot, readSnapshot } from '../lib/snapshot/read-snapshot.ts';
import { type Measured, median } from './measurement.ts';

const MB = 1_000_000;

const [snapshotFile, runs] = process.argv.slice(2);
if (snapshotFile === undefined || !(Number(runs) > 0)) throw new RangeError('usage: run-case.ts FILE RUNS');
console.log(JSON.stringify(measure(snapshotFile, Number(runs))));

function measure(file: string, count: number): Measured {
  const read = readOnce(file);
  const cold = run(read);
  const coldPeakMb = peakMb();
  const warmUp = run(read);
  const warm = Array.from({ length: count }, () => run(read));
  const withoutSearch = compared(read, { count, usdPerHour: cold.outcome.usdPerHour });
  return {
    ...cold.size,
    ...cold.outcome,
    coldMs: cold.ms,
    ms: median(warm.map(({ ms }) => ms)),
    runsMs: warm.map(({ ms }) => ms),
    coldPeakMb,
    peakMb: peakMb(),
    peakHeapMb: Math.max(...[cold, warmUp, ...warm].map(({ heapMb }) => heapMb)),
    ...(withoutSearch === undefined ? {} : { withoutSearch }),
  };
}

/** The same without the search, if the search lowered the price. The runs alternate, so that the load of the machine affects both. */
function compared(
  read: ReadSnapshot,
  { count, usdPerHour }: { readonly count: number; readonly usdPerHour: number },
): Measured['withoutSearch'] {
  const { snapshot, nowMs } = read;
  const options = { ...snapshot.options, packing: 'without-search' as const };
  const plain: ReadSnapshot = { ...read, snapshot: { ...snapshot, options }, nowMs };
  const first = run(plain).outcome.usdPerHour;
  if (first - usdPerHour < 1e-6) return undefined;
  const pairs = Array.from({ length: count }, () => ({ searched: run(read), plain: run(plain) }));
  const ms = median(pairs.map((pair) => pair.plain.ms));
  const cpuRatio = median(pairs.map(({ searched }) => searched.cpuMs)) / median(pairs.map((pair) => pair.plain.cpuMs));
  return { usdPerHour: first, ms, cpuRatio };
}

/** Only figures: a run must not keep the snapshot of the previous run in memory. */
interface Run {
  readonly ms: number;
  readonly cpuMs: number;
  readonly heapMb: number;
  readonly size: Pick<Measured, 'pods' | 'types' | 'existingNodes'>;
  readonly outcome: Pick<Measured, 'newClaims' | 'unplaced' | 'usdPerHour' | 'boundUsdPerHour'>;
}

function run({ snapshot, nowMs }: ReadSnapshot): Run {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { schedule, price } = provision(snapshot, { decisionId: 'bench', nowMs });
  const { newClaims, existing, unplaced } = schedule;
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return {
    ms,
    cpuMs: (user + system) / 1_000,
    heapMb: process.memoryUsage().heapUsed / MB,
    size: {
      pods: [...newClaims, ...existing].reduce((sum, { pods }) => sum + pods.length, unplaced.length),
      types: new Set(snapshot.nodePools.flatMap(({ instanceTypes }) => instanceTypes)).size,
      existingNodes: snapshot.nodes.length,
    },
    outcome: {
      newClaims: newClaims.length,
      unplaced: unplaced.length,
      usdPerHour: cheapestUsd(newClaims),
      boundUsdPerHour: price?.lowerBoundUsdPerHour ?? 0,
    },
  };
}

function readOnce(path: string): ReadSnapshot {
  const context = { readText: (file: string) => readFileSync(file, 'utf8') };
  return readSnapshot(context, { path, nowMs: Date.now() });
}

function peakMb(): number {
  return (process.resourceUsage().maxRSS * 1_024) / MB;
}
