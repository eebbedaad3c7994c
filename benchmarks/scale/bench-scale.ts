/**
 * Measures the functions in large clusters: `npm run bench:scale -- [--nodes 500,5000] [--output FILE] [--pictures]`. Each function runs as it is
 * deployed, in a process with its memory and its share of a CPU, on a real API server and over the table in memory. Exits with 1 if a
 * function needs more than its memory, or more than half of its time limit. `--pictures` writes those of docs/scale.md. The fleet is simulated; AWS is answered by this program.
 * With KERF_KEEP_LOGS=1, the logs of the functions are kept, and their folder is printed.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { abortOnSignals, buildControlPlane } from '../../scripts/cluster-build.ts';
import { startControlPlane } from '../../scripts/control-plane.ts';
import { scriptOptions } from '../../scripts/script-options.ts';
import { deployedFunctions } from './deployed-functions.ts';
import { type FleetPlan, measureFleet } from './measure-fleet.ts';
import { picturesOf } from './pictures.ts';
import { missed, type Row, renderRows } from './rows.ts';
import { simulatedFleet } from './simulated-fleet.ts';

const PICTURES = join(import.meta.dirname, '..', '..', 'docs', 'pictures');

const { values } = scriptOptions({
  options: {
    nodes: { type: 'string', default: '500,5000' },
    pictures: { type: 'boolean', default: false },
    output: { type: 'string', default: join(import.meta.dirname, '..', 'out', 'scale.json') },
  },
});
const sizes = values.nodes.split(',').map((text) => {
  if (/^[1-9]\d*$/.test(text) && Number(text) <= 10_000) return Number(text);
  console.error(`--nodes ${values.nodes}: write numbers from 1 to 10000, separated by commas`);
  process.exit(2);
});
const interrupted = abortOnSignals();
const folder = mkdtempSync(join(tmpdir(), 'kerf-bench-scale-'));
try {
  const binaries = await buildControlPlane(interrupted);
  const { functions, remove } = deployedFunctions();
  const rows: Row[] = [];
  try {
    for (const nodes of sizes)
      for await (const row of rowsOf(nodes, { binaries, functions })) {
        rows.push(row);
        console.log(renderRows([row], rows.length === 1));
      }
  } finally {
    remove();
  }
  const misses = missed(rows);
  for (const miss of misses) console.log(`missed: ${miss}`);
  const output = resolve(process.env['INIT_CWD'] ?? process.cwd(), values.output);
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, `${JSON.stringify({ rows, missed: misses }, undefined, 2)}\n`);
  if (values.pictures) for (const [file, svg] of picturesOf(rows)) writeFileSync(join(PICTURES, file), svg);
  if (misses.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  if (process.env['KERF_KEEP_LOGS'] === undefined) rmSync(folder, { recursive: true, force: true });
  else console.error(`logs: ${folder}`);
}

async function* rowsOf(
  nodes: number,
  { binaries, functions }: Pick<FleetPlan, 'functions'> & { readonly binaries: string },
): AsyncGenerator<Row> {
  const fleet = await simulatedFleet(nodes, progressOf(nodes));
  const home = join(folder, String(nodes));
  mkdirSync(home);
  const controlPlane = await startControlPlane({ binaries, folder: home, interrupted, withControllers: false });
  try {
    yield* measureFleet({ nodes, fleet, controlPlane, functions, folder: home });
  } finally {
    await controlPlane.stop();
  }
}

function progressOf(nodes: number): (done: number) => void {
  let shown = 0;
  return (done) => {
    if (done === shown || (done - shown < 500 && done !== nodes)) return;
    shown = done;
    process.stderr.write(`${done} of ${nodes} nodes launched in the simulator\n`);
  };
}
