import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HELD_BY, NOT_HELD } from '../../test/parity/rows.ts';
import { type BehaviourRow, behaviourSections } from './behaviour-rows.ts';
import { rowsOfTitle } from './row-citations.ts';
import { type TestTitle, testTitles } from './test-titles.ts';

export interface PlacedTitle extends TestTitle {
  readonly file: string;
}

export interface HeldRow extends BehaviourRow {
  readonly tests: readonly PlacedTitle[];
  /** Why no test can hold it. */
  readonly notHeld: string | undefined;
}

export interface HeldSection {
  /** `B.3 Inputs` */
  readonly title: string;
  readonly rows: readonly HeldRow[];
}

/** Letters of the sections that list behaviour: G lists requests, H is an index. */
const GROUPS = ['A', 'B', 'C', 'D', 'E', 'F'] as const;

/** The titles of all tests of the project, by file. *Cost:* reads every test file. */
export function titlesOfProject(root: string): readonly PlacedTitle[] {
  return globSync('test/**/*.test.ts', { cwd: root })
    .toSorted()
    .flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      return testTitles(source, importedBeside(join(root, file), source)).map((title) => ({ ...title, file }));
    });
}

/** The sources below the folder of a test that the test imports, because tables of tests may be in them. */
function importedBeside(path: string, source: string): readonly string[] {
  const names = [...source.matchAll(/ from '(\.\/[\w/-]+\.ts)';/g)].map(([, name = '']) => name);
  return names.map((name) => readFileSync(join(dirname(path), name), 'utf8'));
}

/** Each row with its tests: those that cite it, and those of HELD_BY. *Errors:* a test of HELD_BY that does not exist. */
export function heldSections(root: string, titles: readonly PlacedTitle[]): readonly HeldSection[] {
  const citing = new Map<string, PlacedTitle[]>();
  for (const title of titles) {
    for (const row of rowsOfTitle(title.title)) citing.set(row, [...(citing.get(row) ?? []), title]);
  }
  return behaviourSections(root).map(({ title, rows }) => ({
    title,
    rows: rows.map((row) => ({
      ...row,
      tests: [...(citing.get(row.row) ?? []), ...namedTests(row.row, titles)],
      notHeld: NOT_HELD[row.row],
    })),
  }));
}

function namedTests(row: string, titles: readonly PlacedTitle[]): readonly PlacedTitle[] {
  return (HELD_BY[row] ?? []).map(({ file, title }) => {
    const found = titles.find((each) => each.file === file && each.title === title);
    if (found === undefined) {
      throw new Error(`${row} names the test "${title}" of ${file}, which does not exist: correct test/parity/rows.ts`);
    }
    return found;
  });
}

/** The texts of docs/parity.md and of the pages of its groups, by path. */
export function parityDocuments(sections: readonly HeldSection[]): ReadonlyMap<string, string> {
  const groups = GROUPS.map((letter) => {
    const ofGroup = sections.filter(({ title }) => title.startsWith(`${letter}.`));
    const name = ofGroup[0]?.rows[0]?.link.replace(/^behaviour\/|#.*$/g, '') ?? '';
    return { letter, name, sections: ofGroup };
  });
  const pages = groups.map((group) => [`docs/parity/${group.name}`, page(group)] as const);
  return new Map([['docs/parity.md', index(groups)], ...pages]);
}

interface Group {
  readonly letter: string;
  readonly name: string;
  readonly sections: readonly HeldSection[];
}

const GENERATED =
  '<!-- Generated from docs/behaviour and the names of the tests by `npm run generate`: do not edit. -->';

function index(groups: readonly Group[]): string {
  const lines = groups.map(({ letter, name, sections }) => {
    const rows = sections.flatMap((section) => section.rows);
    const { held, unnamed, open } = byHold(rows);
    const title = `${letter}. ${TITLES[letter] ?? ''}`;
    return `| [${title}](parity/${name}) | ${rows.length} | ${held.length} | ${unnamed.length} | ${open.length} |`;
  });
  return `${GENERATED}
# Which test holds which behaviour

A row is one thing that Karpenter does; [behaviour.md](behaviour.md) lists them all, with what Kerf does. A test holds a row if its
name cites the row. These pages are collected from the names. A row that no test names may still be tested: its tests do not say so.

| group | rows | held by tests | no test names it | not built |
|---|---|---|---|---|
${lines.join('\n')}
`;
}

const TITLES: Readonly<Record<string, string>> = {
  A: 'APIs',
  B: 'Scheduling',
  C: 'AWS',
  D: 'Lifecycle',
  E: 'Disruption',
  F: 'Observability and settings',
};

/** Rows that tests hold, rows that are built and named by no test, and rows that are not built. */
function byHold(rows: readonly HeldRow[]): {
  readonly held: readonly HeldRow[];
  readonly unnamed: readonly HeldRow[];
  readonly open: readonly HeldRow[];
} {
  const without = rows.filter(({ tests }) => tests.length === 0);
  return {
    held: rows.filter(({ tests }) => tests.length > 0),
    unnamed: without.filter(({ verdict }) => verdict !== 'not yet'),
    open: without.filter(({ verdict }) => verdict === 'not yet'),
  };
}

function page({ letter, sections }: Group): string {
  const parts = sections.map(({ title, rows }) => {
    const { held, unnamed, open } = byHold(rows);
    const table = `| row | verdict | held by |\n|---|---|---|\n${held.map(tableLine).join('\n')}\n`;
    return [
      `## ${title}\n`,
      ...(held.length === 0 ? [] : [table]),
      ...(unnamed.length === 0 ? [] : [`No test names ${unnamed.map(withReason).join('; ')}.\n`]),
      ...(open.length === 0 ? [] : [`Not built: ${open.map(withReason).join('; ')}.\n`]),
    ].join('\n');
  });
  return `${GENERATED}\n# Tests of ${letter}. ${TITLES[letter] ?? ''}\n\n[All groups](../parity.md)\n\n${parts.join('\n')}`;
}

function withReason(row: HeldRow): string {
  return row.notHeld === undefined ? linked(row) : `${linked(row)} (${row.notHeld})`;
}

function linked({ row, name, link }: BehaviourRow): string {
  return `[${row}](../${link}) ${name}`;
}

function tableLine(row: HeldRow): string {
  const files = [...Map.groupBy(row.tests, ({ file }) => file)].map(
    ([file, ofFile]) => `[${file.replace('test/', '')}](../../${file}): ${distinct(ofFile.map(named)).join('; ')}`,
  );
  return `| ${linked(row)} | ${row.verdict} | ${files.join('<br>')} |`;
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
