import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REASONS } from '../lib/core/explain/reason-texts.ts';
import { reasonsDocument } from '../scripts/generate/reasons-document.ts';

const ROOT = join(import.meta.dirname, '..');
const TABLES = new Set(['lib/core/model/reasons.ts', 'lib/core/explain/reason-texts.ts']);

test('docs/reasons.md is current: `npm run generate` writes it', () => {
  expect(readFileSync(join(ROOT, 'docs/reasons.md'), 'utf8')).toBe(reasonsDocument());
});

test('every reason in the table is used in lib', () => {
  const code = globSync('lib/**/*.ts', { cwd: ROOT })
    .filter((path) => !TABLES.has(path))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');
  expect(Object.keys(REASONS).filter((reason) => !code.includes(`'${reason}'`))).toEqual([]);
});

test('the table is in alphabetical order', () => {
  expect(Object.keys(REASONS)).toEqual(Object.keys(REASONS).toSorted());
});

test.each(Object.entries(REASONS))('%s has one plain sentence that ends with a full stop', (_, meaning) => {
  expect(meaning).toMatch(/^[A-Z][^.!?]*(\.[a-z0-9]+[^.!?]*)*\.$/);
});
