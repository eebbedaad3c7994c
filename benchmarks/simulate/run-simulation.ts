/** Runs one simulation in this process and writes its figures to stdout as JSON: `node benchmarks/simulate/run-simulation.ts NAME`. */
import { simulate } from '../../lib/simulator/simulation.ts';
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

let [nodes, peak] = [0, 0];
const run = simulate(one.input());
let step = await run.next();
for (; step.done !== true; step = await run.next()) {
  if (step.value.kind === 'node-joined') nodes += 1;
  if (step.value.kind === 'node-gone') nodes -= 1;
  peak = Math.max(peak, nodes);
}
const { endedAt, pendingToRunningSeconds, podsPending, totalCostUsd } = step.value;
const { user, system } = process.cpuUsage();
const measured: MeasuredSimulation = {
  cpuSeconds: (user + system) / 1e6,
  seconds: performance.now() / 1_000,
  peakMb: (process.resourceUsage().maxRSS * 1_024) / MB,
  hours: endedAt / 3_600,
  nodes: peak,
  podsStarted: pendingToRunningSeconds.pods,
  pending: podsPending.length,
  usd: totalCostUsd,
};
console.log(JSON.stringify(measured));
