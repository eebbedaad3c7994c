import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { heldSections, parityDocuments, titlesOfProject } from '../../scripts/generate/parity-table.ts';
import { HELD_BY, NOT_HELD } from './rows.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const sections = heldSections(ROOT, titlesOfProject(ROOT));
const rows = sections.flatMap((section) => section.rows);
const documents = parityDocuments(sections);

test('docs/parity.md and docs/parity match the names of the tests; `npm run generate` writes them', () => {
  const written = globSync(['docs/parity.md', 'docs/parity/*'], { cwd: ROOT });
  expect(written.toSorted()).toEqual([...documents.keys()].toSorted());
  for (const [path, text] of documents) expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
});

test('every row of groups A to F is on exactly one page', () => {
  const pages = [...documents.values()].join('\n');
  const behaviour = rows.filter(({ row }) => /^[A-F]/.test(row));
  const found = behaviour.filter(({ link }) => pages.split(`(../${link})`).length === 2);
  expect(found.map(({ row }) => row)).toEqual(behaviour.map(({ row }) => row));
});

test('every row of scheduling has a test, or a reason why it has none', () => {
  const open = rows.filter(({ row, tests, notHeld }) => row.startsWith('B') && tests.length === 0 && !notHeld);
  expect(open.map(({ row, name }) => `${row}: ${name}`)).toEqual([]);
});

test('a row with a test has no reason why it has none', () => {
  const both = rows.filter(({ tests, notHeld }) => tests.length > 0 && notHeld !== undefined);
  expect(both.map(({ row }) => row)).toEqual([]);
});

test('every row with further tests or with a reason exists', () => {
  const known = new Set(rows.map(({ row }) => row));
  expect([...Object.keys(HELD_BY), ...Object.keys(NOT_HELD)].filter((row) => !known.has(row))).toEqual([]);
});
