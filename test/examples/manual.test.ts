import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runKerf } from '../cli/run-kerf.ts';
import { type CodeBlock, codeBlocksOf } from '../manual/code-blocks.ts';
import { samples } from '../samples.ts';

/** The pages of the manual, followed as a reader does: the files are saved, the commands run, and what they print is compared. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCS = join(ROOT, 'docs');

const pages = readdirSync(DOCS)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, blocks: codeBlocksOf(readFileSync(join(DOCS, name), 'utf8')) }))
  .filter(({ blocks }) => blocks.some(({ language }) => language === 'console'));

/**
 * Without the line breaks and spaces that the width of the terminal decides, and without random names and seconds, which each change of
 * the simulator moves.
 */
function words(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\bi-[0-9a-f]{17}\b/g, 'i-ID')
    .replaceAll(/\b([a-z]+)-[a-z0-9]{8}\b/g, '$1-NAME')
    .replaceAll(/(\d\d:\d\d):\d\d|(\d+m)\d+s/g, '$1$2')
    .trim();
}

/** True if the text has these lines in this order; a line `…` stands for any lines. */
function shows(text: string, expected: string): boolean {
  let rest = words(text);
  for (const part of expected.split(/^…$/m).map(words)) {
    const at = rest.indexOf(part);
    if (at < 0) return false;
    rest = rest.slice(at + part.length);
  }
  return true;
}

async function follow(block: CodeBlock, files: Readonly<Record<string, string>>): Promise<void> {
  for (const call of block.text.split(/^\$ /m).slice(1)) {
    const [command = '', ...output] = call.split('\n');
    const args = command.replace(/^npx /, '').split(' ').slice(1);
    const { stdout, stderr } = await runKerf(args, files);
    const expected = output.join('\n');
    expect(shows(stdout, expected), `line ${block.line}: ${command}\n${stdout}\n${stderr}`).toBe(true);
  }
}

test('there are pages to follow', () => {
  expect(pages.map(({ name }) => name)).toEqual(expect.arrayContaining(['cost.md', 'start-laptop.md']));
});

test.each(pages)('what $name shows is what its commands print', async ({ blocks }) => {
  const files: Record<string, string> = {};
  for (const block of blocks) {
    if (block.file !== undefined) files[block.file] = `${block.text}\n`;
    if (block.language === 'console') await follow(block, files);
  }
});

/** In `npm test`, the first day. */
const HOURS = samples(168, 24);

test(`nodes that are removed at night cost less: the table of docs/cost.md (${HOURS} of 168 hours)`, async () => {
  const document = readFileSync(join(DOCS, 'cost.md'), 'utf8');
  const read = (name: string): string => readFileSync(join(ROOT, 'examples/office', name), 'utf8');
  const costs = [];
  for (const pool of ['always-on.yaml', 'scale-to-zero.yaml']) {
    const files = { 'week.yaml': read('week.yaml'), 'pool.yaml': read(pool) };
    const args = ['simulate', 'week.yaml', 'pool.yaml', '--for', `${HOURS}h`, '--show', 'summary'];
    const { stdout } = await runKerf(args, files);
    costs.push(Number(/^ {2}cost {2,}\$([\d.]+)/m.exec(stdout)?.[1]));
  }
  const [kept = 0, removed = 0] = costs;
  expect(removed).toBeLessThan(0.6 * kept);
  if (HOURS === 168) for (const cost of costs) expect(document).toContain(`| $${cost.toFixed(2)} |`);
});

test('the costs of Kerf in docs/cost.md are those of docs/operations.md', () => {
  const rowsOf = (name: string): readonly string[] =>
    [...readFileSync(join(DOCS, name), 'utf8').matchAll(/^\| (.+?) \|(?:.*\*\*([\d.]+)\*\*.*| ([\d.]+) \|)$/gm)].map(
      ([, says, measured, stated]) => `${says}: ${measured ?? stated}`,
    );
  const rows = rowsOf('cost.md');
  expect(rows).toHaveLength(5);
  expect(rowsOf('operations.md')).toEqual(expect.arrayContaining([...rows]));
});

test('the savings of README are those of docs/cost.md and docs/week.md', () => {
  const [readme, cost, week] = ['../README.md', 'cost.md', 'week.md'].map((name) =>
    readFileSync(join(DOCS, name), 'utf8'),
  );
  const [, rows = ''] = /^\| what it saves .*\n.*\n((?:\|.*\n)+)/m.exec(readme ?? '') ?? [];
  const figures = [...rows.matchAll(/\$([\d,.]*\d)/g)].map(([, figure = '']) => figure);
  expect(figures).toHaveLength(8);
  for (const figure of figures) expect(`${cost}${week?.replaceAll(/(\d)(\d{3}) {6}/g, '$1,$2 ')}`).toContain(figure);
});

test('a text that differs is found', () => {
  expect(shows('a\nb c\nd', 'a\n…\nd')).toBe(true);
  expect(shows('a\nb c\nd', 'a\nd')).toBe(false);
  expect(shows('a\nb c\nd', '…\nd\n…\na')).toBe(false);
  expect(shows('00:10:01 i-0123456789abcdef0 runs', '00:10:02 i-fedcba98765432100 runs')).toBe(true);
  expect(shows('00:10:01 $0.0797/h', '00:10:01 $0.0798/h')).toBe(false);
});
