/**
 * Simulates a week under the rules of one mode in this process: `node benchmarks/week/run-week.ts MODE SEED DAYS NODES`. Writes
 * progress to stderr and the figures to stdout as JSON.
 */
import { HOUR_MS, SECOND_MS } from '../../lib/apis/formats/time.ts';
import { openSimulation } from '../../lib/simulator/simulation.ts';
import { boundMeter } from './lower-bound.ts';
import { MODES } from './modes.ts';
import { waitsMeter } from './waits.ts';
import { type Week, weekInput } from './week-input.ts';

/** The figures at one time. *Units:* USD; `evictions` and `usd` since the start. */
export interface WeekSample {
  readonly hour: number;
  readonly usd: number;
  readonly usdPerHour: number;
  /** No fleet for the pods on the nodes is cheaper. */
  readonly boundUsdPerHour: number;
  readonly nodes: number;
  readonly pods: number;
  readonly pending: number;
  readonly evictions: number;
}

/** The figures of a week. */
export interface MeasuredWeek {
  readonly mode: string;
  readonly usd: number;
  /** No fleets for the pods on the nodes cost less: the bounds of the hours. */
  readonly boundUsd: number;
  /** Pods that Kerf evicted, without those of DaemonSets. */
  readonly evictions: number;
  readonly podDays: number;
  readonly meanNodes: number;
  readonly launched: number;
  /** Times from the creation of a pod to its start. *Units:* seconds. */
  readonly waits: { readonly pods: number; readonly p50: number; readonly p99: number; readonly max: number };
  readonly pending: number;
  readonly cpuShare: number;
  readonly commands: number;
  readonly rejected: number;
  readonly failures: number;
  readonly cpuSeconds: number;
  readonly samples: readonly WeekSample[];
}

const [name = '', ...numbers] = process.argv.slice(2);
const [seed = NaN, days = NaN, nodes = NaN] = numbers.map(Number);
const mode = MODES.find((one) => one.name === name);
if (mode === undefined || !(days > 0) || !(nodes > 0) || !Number.isInteger(seed))
  throw new RangeError(`usage: run-week.ts ${MODES.map((one) => one.name).join('|')} SEED DAYS NODES`);
console.log(JSON.stringify(await measure({ seed, days, nodes })));

async function measure(week: Week): Promise<MeasuredWeek> {
  if (mode === undefined) throw new RangeError('no mode');
  let failures = 0;
  const meter = boundMeter(mode.methods);
  const input = weekInput(week, { ...mode, methods: meter.methods });
  const simulation = openSimulation({ ...input, onFailure: () => void (failures += 1) });
  const waits = waitsMeter();
  const samples: WeekSample[] = [];
  let ended = await simulation.step();
  for (; ended === undefined; ended = await simulation.step()) {
    for (const entry of simulation.timeline.take()) waits.note(entry);
    const { atSeconds } = simulation.progress();
    if ((atSeconds * SECOND_MS) / HOUR_MS < samples.length) continue;
    const sample = { ...sampleOf(simulation, samples.length), boundUsdPerHour: meter.usdPerHour() };
    samples.push(sample);
    if (sample.hour % 6 === 0) tell(sample, week);
  }
  const summary = simulation.summary(ended);
  const { user, system } = process.cpuUsage();
  return {
    mode: mode.name,
    usd: summary.totalCostUsd,
    boundUsd: samples.reduce((sum, { boundUsdPerHour }) => sum + boundUsdPerHour, 0),
    evictions: evictionsIn(summary),
    podDays: samples.reduce((sum, { pods }) => sum + pods, 0) / 24,
    meanNodes: samples.reduce((sum, one) => sum + one.nodes, 0) / samples.length,
    launched: summary.nodesLaunched,
    waits: waits.report(),
    pending: summary.podsPending.length,
    cpuShare: summary.utilisation.find(({ resource }) => resource === 'cpu')?.workloadsShare ?? 0,
    commands: summary.disruption.commandsExecuted,
    rejected: summary.disruption.commandsRejected,
    failures,
    cpuSeconds: (user + system) / 1e6,
    samples,
  };
}

function sampleOf(simulation: ReturnType<typeof openSimulation>, hour: number): Omit<WeekSample, 'boundUsdPerHour'> {
  const { costUsd: usd, usdPerHour, nodes: running, podsPending: pending } = simulation.progress();
  const summary = simulation.summary('interrupted');
  const pods = summary.podsRunning - summary.daemonSetPodsRunning;
  return { hour, usd, usdPerHour, nodes: running, pods, pending, evictions: evictionsIn(summary) };
}

function evictionsIn({ evictedByReason }: { readonly evictedByReason: Readonly<Record<string, number>> }): number {
  return Object.values(evictedByReason).reduce((sum, count) => sum + count, 0);
}

function tell(sample: WeekSample, week: Week): void {
  const { hour, nodes: running, pods, usd, evictions } = sample;
  process.stderr.write(
    `${name.padEnd(9)} day ${(hour / 24).toFixed(2)} of ${week.days}: ${running} nodes, ${pods} pods, ` +
      `$${usd.toFixed(0)}, ${evictions} evictions\n`,
  );
}
