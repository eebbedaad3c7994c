/**
 * Measures the decide step of provisioning: `npm run bench -- [--scenarios DIR] [--requests DIR] [--cases A,B*] [--runs N] [--output FILE]`.
 * Each case is measured in a separate process, so that its first run is cold and its memory is measured alone.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { scriptOptions } from '../scripts/script-options.ts';
import { type Case, chooseCases } from './cases.ts';
import { readKarpenterResult } from './karpenter-result.ts';
import { growthOf, type Measured, type Measurement, measurement } from './measurement.ts';
import { renderGrowth, renderTable } from './render-table.ts';

const OUT = join(import.meta.dirname, 'out');
const RUN_CASE = join(import.meta.dirname, 'run-case.ts');

const { values } = scriptOptions({
  options: {
    scenarios: { type: 'string' },
    requests: { type: 'string' },
    cases: { type: 'string' },
    runs: { type: 'string', default: '5' },
    output: { type: 'string', default: join(OUT, 'provisioning.json') },
  },
});
if (!/^[1-9]\d*$/.test(values.runs)) throw new RangeError(`--runs is ${values.runs}: allowed is a number from 1`);

/** npm runs scripts in the package's root; paths are relative to the user's working directory. */
const FOLDER = process.env['INIT_CWD'] ?? process.cwd();

const folderOf = (path: string | undefined) => (path === undefined ? undefined : resolve(FOLDER, path));
const [scenarios, requests] = [folderOf(values.scenarios), folderOf(values.requests)];
const measurements: Measurement[] = [];
for (const one of chooseCases({ scenarios, requests, names: values.cases?.split(',') })) {
  process.stderr.write(`${one.name} … `);
  try {
    const measured = await measureInProcess(one);
    measurements.push(measured);
    process.stderr.write(`${measured.ms.toFixed(1)} ms (cold ${measured.coldMs.toFixed(1)} ms)\n`);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`failed\n${error instanceof Error ? error.message : String(error)}\n`);
  }
}
if (measurements.length > 0) report(measurements);

async function measureInProcess(one: Case): Promise<Measurement> {
  const file = one.kind === 'scenario' ? one.file : writeSnapshot(one);
  const { stdout } = await promisify(execFile)(process.execPath, [RUN_CASE, file, values.runs], {
    maxBuffer: 10_000_000,
  });
  const measured: Measured = JSON.parse(stdout);
  const resultFile = one.kind === 'scenario' ? one.resultFile : undefined;
  return measurement(one.name, measured, resultFile === undefined ? undefined : readKarpenterResult(resultFile));
}

/** A file, so that the measuring process reads it like any other snapshot, and `kerf plan` can run on it. */
function writeSnapshot(one: Case & { readonly kind: 'generated' }): string {
  const file = join(OUT, 'snapshots', `${one.name}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(one.document()));
  return file;
}

function report(measured: readonly Measurement[]): void {
  const growth = growthOf(measured);
  console.log([renderTable(measured), renderGrowth(growth)].filter((part) => part !== '').join('\n\n'));
  const output = resolve(FOLDER, values.output);
  mkdirSync(dirname(output), { recursive: true });
  const machine = { node: process.version, cpus: availableParallelism(), runs: Number(values.runs) };
  writeFileSync(output, `${JSON.stringify({ ...machine, cases: measured, growth }, undefined, 2)}\n`);
  process.stderr.write(`\nwritten: ${output}\n`);
}
