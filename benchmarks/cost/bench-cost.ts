/**
 * Prints what a deployment of Kerf costs a month: `npm run bench:cost -- [--scenarios zero,ci] [--write] [--output FILE]`. Each scenario
 * runs in its own process: the real controllers, stores and telemetry in the simulator, over a table that counts request units. Fails if
 * a scenario costs more than its target, or if the table of docs/operations.md differs from what is measured; `--write` writes the table and
 * its picture.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { scriptOptions } from '../../scripts/script-options.ts';
import { costRows, type Played } from './cost-rows.ts';
import { COST_SCENARIOS } from './cost-scenarios.ts';
import { fixedParts } from './fixed-parts.ts';
import type { PlayedScenario } from './play.ts';
import { costPicture, costTable, differences, missedTargets } from './render-cost.ts';

const RUN = join(import.meta.dirname, 'run-cost.ts');
const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs', 'operations.md');
const PICTURE = join(import.meta.dirname, '..', '..', 'docs', 'pictures', 'cost-nodes.svg');
const PICTURE_LINK = '![The cost of an idle cluster, in USD a month, by its nodes](pictures/cost-nodes.svg)';
const TABLE = /(?<=<!-- bench:cost -->\n)[^]*(?=\n<!-- end -->)/;
const MAX_OUTPUT = 64 * 1_024 * 1_024;

const { values } = scriptOptions({
  options: { scenarios: { type: 'string' }, write: { type: 'boolean', default: false }, output: { type: 'string' } },
});
const known = COST_SCENARIOS.map(({ name }) => name);
const names = values.scenarios?.split(',') ?? known;
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0)
  throw new RangeError(`--scenarios: there is no scenario ${unknown.join(', ')}: write some of ${known.join(',')}`);

const played: Played[] = [];
for (const name of names) {
  const { stdout } = await promisify(execFile)(process.execPath, [RUN, name], { maxBuffer: MAX_OUTPUT });
  const one: PlayedScenario = JSON.parse(stdout);
  played.push({ ...one, name });
}
const rows = costRows(played, fixedParts(1), fixedParts(10));
const table = costTable(rows);
console.log(table);
for (const missed of missedTargets(rows)) fail(missed);
if (values.output !== undefined)
  writeFileSync(resolve(process.env['INIT_CWD'] ?? '.', values.output), `${JSON.stringify(played)}\n`);
const isComplete = names.length === known.length;
if (values.write && isComplete) {
  writeFileSync(
    DOCUMENT,
    readFileSync(DOCUMENT, 'utf8').replace(TABLE, () => `\n${table}\n\n${PICTURE_LINK}\n`),
  );
  writeFileSync(PICTURE, costPicture(rows));
} else if (isComplete) for (const line of differences(documentedTable(), table)) fail(line);

function fail(message: string): void {
  console.log(message);
  process.exitCode = 1;
}

/** The rows of the document, without the picture. */
function documentedTable(): string {
  const lines = TABLE.exec(readFileSync(DOCUMENT, 'utf8'))?.[0].split('\n') ?? [];
  return lines.filter((line) => line.startsWith('|')).join('\n');
}
