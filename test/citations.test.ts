import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { behaviourSections, sectionsOf } from '../scripts/generate/behaviour-rows.ts';
import { promisesIn, rowsIn, rowsOfTitle } from '../scripts/generate/row-citations.ts';
import { testTitles } from '../scripts/generate/test-titles.ts';
import { trackedFiles } from './tracked-files.ts';

/** Every row of behaviour, promise and document that code, tests and documents cite can be looked up. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Their citations are made up. */
const EXAMPLES = ['test/citations.test.ts', 'test/parity/test-titles.test.ts', 'scripts/generate/row-citations.ts'];

const sections = behaviourSections(ROOT);
const rows = sections.flatMap((section) => section.rows);
/** `A4` stands for all of section A.4. */
const sectionNames = sections.map(({ title }) => title.replace(/^([A-H])\.(\d+) .*$/, '$1$2'));
const citable = new Set([...rows.map(({ row }) => row), ...sectionNames]);

const promises = new Set(
  [...readFileSync(join(ROOT, 'docs/promises.md'), 'utf8').matchAll(/^## Promise (\d+): /gm)].map(([, number]) =>
    Number(number),
  ),
);

interface Text {
  readonly path: string;
  /** What people read: the comments of a source file, the whole of a document. */
  readonly prose: string;
  /** The names of a test file's tests. @default none */
  readonly titles?: readonly string[];
}

const texts = trackedFiles(ROOT, /\.(ts|md)$/)
  .filter(({ path }) => !EXAMPLES.includes(path))
  .map(({ path, text }): Text => {
    if (path.endsWith('.md')) return { path, prose: text };
    const titles = path.endsWith('.test.ts') ? testTitles(text).map(({ title }) => title) : [];
    return { path, prose: commentsOf(text), titles };
  });

/** A string that has two slashes in it counts as a comment from there on, which does no harm. */
function commentsOf(source: string): string {
  return [...source.matchAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g)].map(([comment]) => comment).join('\n');
}

function deadRows({ prose, titles = [] }: Text): readonly string[] {
  return [...rowsIn(prose), ...titles.flatMap(rowsOfTitle)].filter((row) => !citable.has(row));
}

function deadPromises({ prose, titles = [] }: Text): readonly string[] {
  return [prose, ...titles]
    .flatMap(promisesIn)
    .filter((number) => !promises.has(number))
    .map((number) => `promise ${number}`);
}

/** Documents are named by their path from the root, from `docs`, or from where they are named; not those on the web. */
function deadDocuments({ path, prose }: Text): readonly string[] {
  const names = prose.matchAll(/(?<![\w./:*-])((?:\.{1,2}\/)*[\w][\w./-]*\.md)\b(?!\/)/g);
  const places = [ROOT, join(ROOT, 'docs'), join(ROOT, dirname(path))];
  return [...names]
    .map(([, name = '']) => name)
    .filter((name) => !places.some((place) => existsSync(join(place, name))));
}

/** Paths of files and folders; not with a placeholder, `functions/NAME`, and not what a command writes. */
function deadPaths({ prose }: Text): readonly string[] {
  const names = prose.matchAll(
    /(?<![\w./:@-])((?:benchmarks|bin|data|docs|examples|functions|lib|scripts|test)\/[\w./-]*\w)/g,
  );
  return [...names]
    .map(([, name = '']) => name)
    .filter((name) => !/[A-Z]{2}|^benchmarks\/out\//.test(name) && !existsSync(join(ROOT, name)));
}

/** Links inside a document lead to a heading or an anchor that exists. */
function deadLinks({ path, prose }: Text): readonly string[] {
  if (!path.endsWith('.md')) return [];
  return [...prose.matchAll(/\]\(([^)\s:]*)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => {
      const [file = '', anchor] = target.split('#');
      const found = file === '' ? join(ROOT, path) : join(ROOT, dirname(path), file);
      return !existsSync(found) || (anchor !== undefined && !anchorsOf(found).has(anchor));
    });
}

const anchorsByFile = new Map<string, ReadonlySet<string>>();

function anchorsOf(file: string): ReadonlySet<string> {
  const known = anchorsByFile.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, 'utf8');
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  const anchors = new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]);
  anchorsByFile.set(file, anchors);
  return anchors;
}

function foundBy(dead: (text: Text) => readonly string[]): readonly string[] {
  return texts.flatMap((text) => dead(text).map((what) => `${text.path}: ${what}`));
}

describe('what is cited exists', () => {
  test('rows of behaviour: docs/behaviour has them', () => {
    expect(foundBy(deadRows)).toEqual([]);
  });

  test('promises: docs/promises.md has them', () => {
    expect(foundBy(deadPromises)).toEqual([]);
  });

  test('documents', () => {
    expect(foundBy(deadDocuments)).toEqual([]);
  });

  test('files and folders', () => {
    expect(foundBy(deadPaths)).toEqual([]);
  });

  test('targets of links', () => {
    expect(foundBy(deadLinks)).toEqual([]);
  });
});

test('there are citations to check', () => {
  expect(new Set(texts.flatMap(({ prose }) => rowsIn(prose))).size).toBeGreaterThan(200);
  expect(new Set(texts.flatMap(({ prose }) => promisesIn(prose)))).toEqual(promises);
});

describe('a dead citation is found', () => {
  const inComment = (comment: string): Text => ({ path: 'lib/a.ts', prose: commentsOf(`${comment}\nconst a = 1;`) });

  test.each([
    ['a row beyond the last', '/** D99: goes. */', ['D99']],
    ['a row of a part', '// As A3.77 has it.', ['A3.77']],
    ['the end of a range', '/* B64–B73 */', ['B72', 'B73']],
    ['the end of a range in words', '/* A1.29 to A1.31 */', ['A1.31']],
    ['beside one that exists', '/** D1, E88 */', ['E88']],
  ])('%s', (_, comment, dead) => {
    expect(deadRows(inComment(comment))).toEqual(dead);
  });

  test('a row in the name of a test', () => {
    expect(deadRows({ path: 'a.test.ts', prose: '', titles: ['goes (D99)', 'F77: stays'] })).toEqual(['D99', 'F77']);
  });

  test.each(['A100 and H100 GPUs', 'a C5.large', '0xB6', 'RFC-B77', '`E99`', "'F99'", 'E402', 'G7x', '%F0%9F'])(
    '%s is not a citation',
    (text) => {
      expect(rowsIn(text)).toEqual([]);
    },
  );

  test('a promise', () => {
    expect(deadPromises(inComment('/** Promises 1 and 9. */'))).toEqual(['promise 9']);
  });

  test('a document', () => {
    expect(deadDocuments(inComment('// See nowhere.md, docs/nothing.md and docs/ec2.md.'))).toEqual([
      'nowhere.md',
      'docs/nothing.md',
    ]);
  });

  test('a file', () => {
    expect(deadPaths(inComment('// See lib/core/nowhere.ts, lib/core and functions/NAME/handler.ts.'))).toEqual([
      'lib/core/nowhere.ts',
    ]);
  });

  test('a link', () => {
    const prose =
      '[a](nowhere.md) [b](#nothing) [c](docs/ec2.md#nothing) [d](docs/ec2.md#launch) [e](https://a.b/c.md)';
    expect(deadLinks({ path: 'README.md', prose })).toEqual(['nowhere.md', '#nothing', 'docs/ec2.md#nothing']);
  });
});

describe('docs/behaviour', () => {
  test('each row stands once, in order, without gaps', () => {
    const byPart = Map.groupBy(rows, ({ row }) => (row.includes('.') ? row.replace(/\.\d+$/, '') : row.charAt(0)));
    for (const [part, ofPart] of byPart) {
      const separator = part.length === 1 ? '' : '.';
      expect(ofPart.map(({ row }) => row)).toEqual(ofPart.map((_, at) => `${part}${separator}${at + 1}`));
    }
  });

  test('each verdict is one of those that docs/behaviour.md explains', () => {
    const index = readFileSync(join(ROOT, 'docs/behaviour.md'), 'utf8');
    const verdicts = new Set(rows.map(({ verdict }) => verdict));
    expect([...verdicts].filter((verdict) => !index.includes(`\n| ${verdict} | `))).toEqual([]);
  });

  test('a line that is not a row is refused', () => {
    const table = '## A.1 One\n\n| row | Karpenter | verdict | Kerf |\n|---|---|---|---|\n';
    expect(() => sectionsOf(`${table}| A1.1 Shape | a | same | b |\n`, 'behaviour/a.md')).toThrow(/not a row/);
  });
});
