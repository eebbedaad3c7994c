/**
 * Compares the cost and the evictions of a simulated week under Kerf's rules, under Karpenter's, and without consolidation:
 * `npm run bench:week -- [--seed N] [--days N] [--nodes N] [--modes kerf,karpenter] [--pictures] [--output FILE]`. Each mode runs in
 * its own process, as many at a time as there are cores. `--pictures` writes docs/pictures/week-cost.svg and week-evictions.svg.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { scriptOptions } from '../scripts/script-options.ts';
import { COMPARED, MODES, type Mode } from './week/modes.ts';
import { picturesOf } from './week/pictures.ts';
import { renderWeek } from './week/render-week.ts';
import type { MeasuredWeek } from './week/run-week.ts';

const RUN = join(import.meta.dirname, 'week', 'run-week.ts');
const PICTURES = join(import.meta.dirname, '..', 'docs', 'pictures');

const { values } = scriptOptions({
  options: {
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '7' },
    nodes: { type: 'string', default: '200' },
    modes: { type: 'string', default: COMPARED.join(',') },
    pictures: { type: 'boolean', default: false },
    output: { type: 'string', default: join(import.meta.dirname, 'out', 'week.json') },
  },
});
for (const [name, text] of Object.entries({ seed: values.seed, days: values.days, nodes: values.nodes }))
  if (!(Number(text) > 0) || (name !== 'days' && !/^\d+$/.test(text)))
    throw new RangeError(`--${name} is ${text}: write a ${name === 'days' ? 'number' : 'whole number'} above 0`);
const modes = values.modes.split(',').map(modeNamed);

/** npm runs scripts in the package's root; paths are relative to the user's working directory. */
const FOLDER = process.env['INIT_CWD'] ?? process.cwd();

const waiting = [...modes];
const measured: MeasuredWeek[] = [];
const runNext = async (): Promise<void> => {
  for (let mode = waiting.shift(); mode !== undefined; mode = waiting.shift()) measured.push(await run(mode));
};
await Promise.all(Array.from({ length: availableParallelism() }, runNext));
const inOrder = modes.flatMap(({ name }) => measured.find(({ mode }) => mode === name) ?? []);
console.log(renderWeek(inOrder));
const output = resolve(FOLDER, values.output);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(
  output,
  `${JSON.stringify({ seed: values.seed, days: values.days, nodes: values.nodes, modes: inOrder })}\n`,
);
if (values.pictures) {
  mkdirSync(PICTURES, { recursive: true });
  for (const [file, svg] of picturesOf(inOrder)) writeFileSync(join(PICTURES, file), svg);
}

function modeNamed(name: string): Mode {
  const mode = MODES.find((one) => one.name === name);
  if (mode === undefined)
    throw new RangeError(`--modes: there is no mode ${name}; write some of ${MODES.map((one) => one.name).join(',')}`);
  return mode;
}

async function run({ name }: Mode): Promise<MeasuredWeek> {
  const { seed, days, nodes } = values;
  const child = spawn(process.execPath, [RUN, name, seed, days, nodes], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const code = await new Promise<number | null>((done) => child.on('close', done));
  if (code !== 0)
    throw new Error(`the simulation of ${name} failed with exit code ${code ?? 'unknown'}; its error is above`);
  const week: MeasuredWeek = JSON.parse(text);
  return week;
}
