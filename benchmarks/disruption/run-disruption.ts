/**
 * Plans one snapshot file in this process and writes the figures to stdout as JSON: `node benchmarks/disruption/run-disruption.ts
 * FILE RUNS`. Reading the snapshot is not timed.
 */
import { readFileSync } from 'node:fs';
import { ALL_METHODS } from '../../lib/core/disruption/methods/all-methods.ts';
import { type DisruptionPlan, planDisruption } from '../../lib/core/disruption/plan-disruption.ts';
import { instanceOf } from '../../lib/core/model/node-claim-record.ts';
import { readSnapshot } from '../../lib/snapshot/read-snapshot.ts';
import { median } from '../measurement.ts';

export interface MeasuredDisruption {
  readonly nodes: number;
  readonly pods: number;
  /** CPU time of the thread in the first run of the process. */
  readonly coldMs: number;
  /** The median of the runs after it. */
  readonly ms: number;
  /** The largest memory of the whole process. */
  readonly peakMb: number;
  readonly commands: number;
  readonly removed: number;
  readonly replacements: number;
  readonly usdPerHour: number;
  readonly savedUsdPerHour: number;
}

const MB = 1_000_000;
const NOW_MS = Date.parse('2026-02-01T00:00:00Z');

const [file, runs] = process.argv.slice(2);
if (file === undefined || !(Number(runs) > 0)) throw new RangeError('usage: run-disruption.ts FILE RUNS');
console.log(JSON.stringify(measure(file, Number(runs))));

function measure(path: string, count: number): MeasuredDisruption {
  const { snapshot, nowMs } = readSnapshot(
    { readText: (name: string) => readFileSync(name, 'utf8') },
    { path, nowMs: NOW_MS },
  );
  const run = (): { readonly plan: DisruptionPlan; readonly ms: number } => {
    const start = threadMs();
    const plan = planDisruption(ALL_METHODS, snapshot, nowMs);
    return { plan, ms: threadMs() - start };
  };
  const cold = run();
  const warm = Array.from({ length: count }, () => run().ms);
  const { commands, nodes } = cold.plan;
  const candidates = commands.flatMap((command) => command.candidates);
  const replacements = commands.flatMap((command) => command.replacements);
  const paid = candidates.reduce((sum, { nodeClaim }) => sum + priceOf(nodeClaim), 0);
  const spent = replacements.reduce((sum, { cheapest }) => sum + cheapest.offering.priceUsdPerHour, 0);
  return {
    nodes: nodes.length,
    pods: snapshot.pods.length,
    coldMs: cold.ms,
    ms: median(warm),
    peakMb: (process.resourceUsage().maxRSS * 1_024) / MB,
    commands: commands.length,
    removed: candidates.length,
    replacements: replacements.length,
    usdPerHour: nodes.reduce((sum, { nodeClaim }) => sum + priceOf(nodeClaim), 0),
    savedUsdPerHour: paid - spent,
  };
}

function priceOf(nodeClaim: Parameters<typeof instanceOf>[0] | undefined): number {
  return nodeClaim === undefined ? 0 : (instanceOf(nodeClaim)?.priceUsdPerHour ?? 0);
}

/** CPU time of this thread. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
