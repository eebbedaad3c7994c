/**
 * Measures the simulator: `npm run bench:simulate -- [--cases day,burst]`. Each case runs in its own process. Fails if the CPU time
 * of a case is above its target. CPU time includes the garbage collector, which runs beside the simulation; so on a quiet machine
 * the wall time, which is also printed, is shorter.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scriptOptions } from '../scripts/script-options.ts';
import type { MeasuredSimulation } from './simulate/run-simulation.ts';
import { MAX_MB, SIMULATED_CASES, type SimulatedCase } from './simulate/simulated-cases.ts';

const RUN = join(import.meta.dirname, 'simulate', 'run-simulation.ts');

const { values } = scriptOptions({ options: { cases: { type: 'string' } } });
const known = SIMULATED_CASES.map(({ name }) => name);
const names = values.cases?.split(',') ?? known;
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0)
  throw new RangeError(`--cases: there is no case ${unknown.join(', ')}: write some of ${known.join(',')}`);

for (const one of SIMULATED_CASES.filter(({ name }) => names.includes(name))) {
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, one.name]);
  const measured: MeasuredSimulation = JSON.parse(stdout);
  report(one, measured);
}

function report({ name, target }: SimulatedCase, measured: MeasuredSimulation): void {
  const { cpuSeconds, seconds, peakMb, hours, nodes, podsStarted, pending, usd } = measured;
  const isMissed = cpuSeconds > target || peakMb > MAX_MB;
  if (isMissed) process.exitCode = 1;
  console.log(
    `${name.padEnd(5)} ${isMissed ? 'MISSED' : 'ok'}: ${cpuSeconds.toFixed(1)} s of CPU time (allowed ${target} s), ` +
      `${seconds.toFixed(1)} s on the clock, ${peakMb.toFixed(0)} MB (allowed ${MAX_MB} MB); ${hours.toFixed(2)} h, ` +
      `at most ${nodes} nodes, ${podsStarted} pods started, ${pending} pending, $${usd.toFixed(2)}`,
  );
}
