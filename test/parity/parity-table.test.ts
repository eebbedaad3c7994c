import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { heldRows, parityDocument, titlesOfProject } from '../../scripts/parity-table.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const titles = titlesOfProject(ROOT);
const rows = heldRows(titles);

test('docs/parity.md is what the names of the tests say: `npm run generate` writes it', () => {
  expect(readFileSync(join(ROOT, 'docs/parity.md'), 'utf8')).toBe(parityDocument(titles));
});

test('every row of scheduling is in it once, in order', () => {
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 65 }, (_, at) => `B${at + 1}`));
});

test('every row is held by a test or has a reason why not', () => {
  const open = rows.filter(({ tests, notHeld }) => tests.length === 0 && notHeld === undefined);
  expect(open.map(({ row, says }) => `${row}: ${says}`)).toEqual([]);
});

test('a row that is held has no reason why not', () => {
  const both = rows.filter(({ tests, notHeld }) => tests.length > 0 && notHeld !== undefined);
  expect(both.map(({ row }) => row)).toEqual([]);
});
