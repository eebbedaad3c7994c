import { expect, test } from 'vitest';
import { citedRows, testTitles } from '../../scripts/test-titles.ts';

/** Rows of section G, which no test holds: this file must not be taken to hold any. */
const titlesIn = (source: string) => testTitles(source).map(({ title }) => title);

test('the names of groups and of the tests in them are found', () => {
  const source = `describe("a group", () => { test('it\\'s one', async () => {}); it(\`two \${x} \`, () => {}); });`;
  expect(testTitles(source)).toEqual([
    { title: 'a group', within: [] },
    { title: "it's one", within: ['a group'] },
    { title: 'two … ', within: ['a group'] },
  ]);
});

test('rows of a table that cite are names too, with what they are part of', () => {
  const table = `[['one (G6)', 1], ['two', 2]]`;
  expect(titlesIn(`test.each<[string, number]>(${table})('%s', () => {});`)).toEqual(['%s', 'one (G6)']);
  expect(titlesIn(`test.each(${table})('a pod', () => {});`)).toEqual(['a pod', 'a pod: one (G6)']);
  expect(titlesIn(`const CASES = ${table};\ntest.each(CASES)('%s', () => {});`)).toEqual(['%s', 'one (G6)']);
});

test.each([
  ['a comment', `// test('a (G1)', () => {})\n/* test('b', () => {}) */`],
  ['a string', `const text = "test('a (G1)', () => {})";`],
  ['a regular expression', `const pattern = /test\\('a'/;`],
  ['a method of something else', `pattern.test('a (G1)');`],
  ['a test that is skipped for good', `test.skip('a (G1)', () => {});`],
  ['a group that is skipped for good', `describe.skip('a', () => { test('b (G1)', () => {}); });`],
  ['a test that is only planned', `test.todo('a (G1)');`],
  ['a group without a test', `describe('a (G1)', () => {});`],
])('%s is no test', (_, source) => {
  expect(titlesIn(source)).toEqual([]);
});

test.each([
  ['the heaviest (G12, G35), though it be dearer', ['G12', 'G35']],
  ['topology (G47–G49)', ['G47', 'G48', 'G49']],
  ['topology (G47-49, A1.9)', ['G47', 'G48', 'G49', 'A1.9']],
  ['limits (G23, promise 2)', ['G23']],
  ['an m5.G12 instance of G12', []],
])('%s', (title, rows) => {
  expect(citedRows(title)).toEqual(rows);
});
