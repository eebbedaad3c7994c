/** Runs one simulation in this process and writes its figures to stdout as JSON: `node benchmarks/simulate/run-simulation.ts NAME`. */
import { openSimulation } from '../../lib/simulator/simulation.ts';
import { SIMULATED_CASES } from './simulated-cases.ts';

const MB = 1_000_000;

/** The figures of a simulation. */
export interface MeasuredSimulation {
  /** CPU time of the process, with the start of Node and the garbage collector. */
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly peakMb: number;
  readonly hours: number;
  /** The most nodes at a time. */
  readonly nodes: number;
  readonly podsStarted: number;
  readonly pending: number;
  readonly usd: number;
}

const one = SIMULATED_CASES.find(({ name }) => name === process.argv[2]);
if (one === undefined)
  throw new RangeError(`usage: run-simulation.ts ${SIMULATED_CASES.map(({ name }) => name).join('|')}`);

const simulation = openSimulation(one.input());
let ended = await simulation.step();
// No entry of the timeline is kept, as in the command.
for (; ended === undefined; ended = await simulation.step()) simulation.timeline.take();
const { simulatedSeconds, nodesAtPeak, pendingToRunningSeconds, podsPending, totalCostUsd } = simulation.summary(ended);
const { user, system } = process.cpuUsage();
const measured: MeasuredSimulation = {
  cpuSeconds: (user + system) / 1e6,
  seconds: performance.now() / 1_000,
  peakMb: (process.resourceUsage().maxRSS * 1_024) / MB,
  hours: simulatedSeconds / 3_600,
  nodes: nodesAtPeak,
  podsStarted: pendingToRunningSeconds.pods,
  pending: podsPending.length,
  usd: totalCostUsd,
};
console.log(JSON.stringify(measured));
