/**
 * Measures plans of disruption: `npm run bench:disruption -- [--cases packed-100,half-full-300] [--runs N]`. Each case runs in its
 * own process, in one thread; the case idle is a minute of the function in a cluster in which nothing changes, and the case validation
 * has the runs that validate many commands. Fails if the first plan of a process takes more CPU time or memory than its target, or if a
 * run that validates takes more than half of the time limit of the function.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { scriptOptions } from '../scripts/script-options.ts';
import { DISRUPTION_CASES, type DisruptionCase } from './disruption/cases.ts';
import { onePodCluster } from './disruption/clusters.ts';
import type { MeasuredDisruption } from './disruption/run-disruption.ts';
import type { IdleMinute, MeasuredIdle } from './disruption/run-idle.ts';
import type { MeasuredValidation } from './disruption/run-validation.ts';
import type { SnapshotDocument } from './snapshot-document.ts';

const RUN = join(import.meta.dirname, 'disruption', 'run-disruption.ts');
const RUN_IDLE = join(import.meta.dirname, 'disruption', 'run-idle.ts');
const RUN_VALIDATION = join(import.meta.dirname, 'disruption', 'run-validation.ts');
/** The cases that are not plans. */
const IDLE = 'idle';
const VALIDATION = 'validation';
const VALIDATED_NODES = 5_000;
const MAX_VALIDATION_MS = 30_000;
const SNAPSHOTS = join(import.meta.dirname, 'out', 'snapshots');

const { values } = scriptOptions({ options: { cases: { type: 'string' }, runs: { type: 'string', default: '3' } } });
if (!/^[1-9]\d*$/.test(values.runs)) throw new RangeError(`--runs is ${values.runs}: allowed is a number from 1`);
const known = [...DISRUPTION_CASES.map(({ name }) => name), IDLE, VALIDATION];
const names = values.cases?.split(',') ?? known;
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0)
  throw new RangeError(`--cases: there is no case ${unknown.join(', ')}: write some of ${known.join(',')}`);

console.log('case              pods  first ms     ms  allowed    MB  allowed  commands  nodes → new    $/h    saved');
for (const one of DISRUPTION_CASES.filter(({ name }) => names.includes(name))) {
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, writeSnapshot(one), values.runs]);
  const measured: MeasuredDisruption = JSON.parse(stdout);
  report(one, measured);
}

if (names.includes(IDLE)) {
  const { stdout } = await promisify(execFile)(process.execPath, [RUN_IDLE]);
  const { nodes, pods, first, idle }: MeasuredIdle = JSON.parse(stdout);
  console.log(`\nA minute of a cluster of ${nodes} nodes and ${pods} pods in which nothing changes:`);
  console.log(`  first pass  ${costs(first)}`);
  console.log(`  each other  ${costs(idle)}`);
}

if (names.includes(VALIDATION)) {
  const document = (): SnapshotDocument => onePodCluster(VALIDATED_NODES);
  const file = writeSnapshot({ name: VALIDATION, document });
  const { stdout } = await promisify(execFile)(process.execPath, [RUN_VALIDATION, file]);
  const { nodes, commands, runs, proposeMs, longestMs }: MeasuredValidation = JSON.parse(stdout);
  const isMissed = longestMs > MAX_VALIDATION_MS;
  if (isMissed) process.exitCode = 1;
  console.log(`\nA tenth of ${nodes} drifted nodes is replaced, by ${commands} commands:`);
  console.log(`  proposed in ${proposeMs.toFixed(0)} ms of CPU time`);
  const longest = `${longestMs.toFixed(0)} ms of CPU time (allowed: ${MAX_VALIDATION_MS})`;
  console.log(`  validated in ${runs} runs, the longest takes ${longest}${isMissed ? ' MISSED' : ''}`);
}

/** A file, so that `kerf plan disruption` can run on it. */
function writeSnapshot({ name, document }: Pick<DisruptionCase, 'name' | 'document'>): string {
  const file = join(SNAPSHOTS, `disruption-${name}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(document()));
  return file;
}

function costs({ ms, calls, tableCalls, tableKb }: IdleMinute): string {
  return `${ms.toFixed(0)} ms of CPU time, ${calls} calls of ports, ${tableCalls} requests of the table with ${tableKb.toFixed(0)} KB`;
}

function report({ name, maxMs, maxMb }: DisruptionCase, measured: MeasuredDisruption): void {
  const { pods, coldMs, ms, peakMb, commands, removed, replacements, usdPerHour, savedUsdPerHour } = measured;
  const isMissed = coldMs > maxMs || peakMb > (maxMb ?? Number.POSITIVE_INFINITY);
  if (isMissed) process.exitCode = 1;
  const cells = [
    name.padEnd(15),
    String(pods).padStart(6),
    coldMs.toFixed(0).padStart(9),
    ms.toFixed(0).padStart(6),
    String(maxMs).padStart(8),
    peakMb.toFixed(0).padStart(5),
    String(maxMb ?? '').padStart(8),
    String(commands).padStart(9),
    `${removed} → ${replacements}`.padStart(12),
    usdPerHour.toFixed(2).padStart(6),
    savedUsdPerHour.toFixed(2).padStart(8),
    isMissed ? ' MISSED' : '',
  ];
  console.log(cells.join(' ').trimEnd());
}
