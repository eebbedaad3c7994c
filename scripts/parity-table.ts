import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BEHAVIOUR, type BehaviourRow } from '../test/parity/rows.ts';
import { citedRows, type TestTitle, testTitles } from './test-titles.ts';

export interface PlacedTitle extends TestTitle {
  readonly file: string;
}

export interface HeldRow extends BehaviourRow {
  readonly tests: readonly PlacedTitle[];
}

/** The titles of all tests of the project, by file. *Cost:* reads every test file. */
export function titlesOfProject(root: string): readonly PlacedTitle[] {
  return globSync('test/**/*.test.ts', { cwd: root })
    .toSorted()
    .flatMap((file) => testTitles(readFileSync(join(root, file), 'utf8')).map((title) => ({ ...title, file })));
}

/** Each row with its tests: those that cite it, and those that the row names. *Errors:* a row that names a test that is not there. */
export function heldRows(titles: readonly PlacedTitle[]): readonly HeldRow[] {
  return BEHAVIOUR.flatMap(({ rows }) => rows).map((row) => ({
    ...row,
    tests: [...titles.filter(({ title }) => citedRows(title).includes(row.row)), ...namedTests(row, titles)],
  }));
}

function namedTests({ row, heldBy = [] }: BehaviourRow, titles: readonly PlacedTitle[]): readonly PlacedTitle[] {
  return heldBy.map(({ file, title }) => {
    const found = titles.find((each) => each.file === file && each.title === title);
    if (found === undefined) {
      throw new Error(`${row} names the test "${title}" of ${file}, which is not there: mend test/parity/rows.ts`);
    }
    return found;
  });
}

/** The text of docs/parity.md. */
export function parityDocument(titles: readonly PlacedTitle[]): string {
  const byRow = new Map(heldRows(titles).map((held) => [held.row, held]));
  const sections = BEHAVIOUR.map(({ title, rows }) => {
    const lines = rows.flatMap(({ row }) => byRow.get(row) ?? []).map(tableLine);
    return `## ${title}\n\n| row | what it says | held by |\n|---|---|---|\n${lines.join('\n')}\n`;
  });
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

const INTRODUCTION = `<!-- Generated from test/parity/rows.ts and the names of the tests by \`npm run generate\`: do not edit. -->
# Karpenter's scheduling, and the tests that hold it

A row is one thing that Karpenter's scheduler does, numbered as tests and comments cite it. A test holds a row by having the
row's number in its name; this page is collected from those names. A group stands for the tests in it.
`;

function tableLine({ row, says, tests, notHeld }: HeldRow): string {
  const files = [...Map.groupBy(tests, ({ file }) => file)].map(
    ([file, ofFile]) => `[${file.replace('test/', '')}](../${file}): ${distinct(ofFile.map(named)).join('; ')}`,
  );
  const held = files.length > 0 ? files.join('<br>') : notHeld === undefined ? '**no test**' : `not held: ${notHeld}`;
  return `| ${row} | ${escaped(says)} | ${held} |`;
}

function named({ title }: PlacedTitle): string {
  return `“${escaped(title)}”`;
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function escaped(text: string): string {
  return text.replaceAll(/[\\|<>*_`[\]]/g, (mark) => `\\${mark}`).replaceAll(/\s+/g, ' ');
}
