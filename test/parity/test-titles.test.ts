import { expect, test } from 'vitest';
import { rowsOfTitle } from '../../scripts/generate/row-citations.ts';
import { testTitles } from '../../scripts/generate/test-titles.ts';

/** Uses rows from 70 on, which do not exist, so that this file does not count as a test of a row. */
const titlesIn = (source: string) => testTitles(source).map(({ title }) => title);

test('the names of groups and of the tests in them are found', () => {
  const source = `describe("a group", () => { test('it\\'s one', async () => {}); it(\`two \${x} \`, () => {}); });`;
  expect(testTitles(source)).toEqual([
    { title: 'a group', within: [] },
    { title: "it's one", within: ['a group'] },
    { title: 'two … ', within: ['a group'] },
  ]);
});

test('rows of a table that cite are names too, with the name of their test', () => {
  const table = `[['one (G76)', 1], ['two', 2]]`;
  expect(titlesIn(`test.each<[string, number]>(${table})('%s', () => {});`)).toEqual(['%s', 'one (G76)']);
  expect(titlesIn(`test.each(${table})('a pod', () => {});`)).toEqual(['a pod', 'a pod: one (G76)']);
  expect(titlesIn(`const CASES = ${table};\ntest.each(CASES)('%s', () => {});`)).toEqual(['%s', 'one (G76)']);
});

test('a title with $row stands for each citation of its table, also if the table uses constants of another file', () => {
  const source = `test.each(REFUSED)('$why ($row)', () => {});`;
  const table = `const ROWS = [['G76', 'one'], ['G77, G78', 'two (G79)']];\nexport const REFUSED = ROWS.map(([row, why]) => ({ row, why }));`;
  expect(testTitles(source, [table]).map(({ title }) => title)).toEqual([
    '$why ($row)',
    '$why (G76)',
    '$why (G77, G78)',
  ]);
});

test.each([
  ['a comment', `// test('a (G71)', () => {})\n/* test('b', () => {}) */`],
  ['a string', `const text = "test('a (G71)', () => {})";`],
  ['a regular expression', `const pattern = /test\\('a'/;`],
  ['a method of something else', `pattern.test('a (G71)');`],
  ['a test that is always skipped', `test.skip('a (G71)', () => {});`],
  ['a group that is always skipped', `describe.skip('a', () => { test('b (G71)', () => {}); });`],
  ['a test that is only planned', `test.todo('a (G71)');`],
  ['a group without a test', `describe('a (G71)', () => {});`],
])('%s is not a test', (_, source) => {
  expect(titlesIn(source)).toEqual([]);
});

test.each([
  ['the heaviest (G72, G75), though it be dearer', ['G72', 'G75']],
  ['topology (G77–G79)', ['G77', 'G78', 'G79']],
  ['topology (G77-79, A1.79)', ['G77', 'G78', 'G79', 'A1.79']],
  ['limits (G73, promise 2)', ['G73']],
  ['G72: the heaviest', ['G72']],
  ['A1.78 to A1.80, G73: defaults', ['A1.78', 'A1.79', 'A1.80', 'G73']],
  ['a node: G72: the heaviest', []],
  ['an m5.G72 instance of G72', []],
])('%s', (title, rows) => {
  expect(rowsOfTitle(title)).toEqual(rows);
});
