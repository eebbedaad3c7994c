import { scanTokens, type Token } from '../scan-tokens.ts';
import { rowsIn, rowsOfTitle } from './row-citations.ts';

/** A title in a test file: of a test, of a group of tests, or of one row of a table of tests. */
export interface TestTitle {
  readonly title: string;
  /** The titles of the groups around it, outermost first. */
  readonly within: readonly string[];
}

/**
 * The titles of a test file, read without running it.
 * *Shape:* in the order of the text. What is skipped for good or only planned is left out, and a group without a test in it.
 * A table of tests adds one title for each row whose words cite a row of behaviour, also where the table is a constant of
 * one of the imported sources and the title has `$row`.
 */
export function testTitles(source: string, imported: readonly string[] = []): readonly TestTitle[] {
  const own = scanTokens(source);
  const tokens = [...own, ...imported.flatMap(scanTokens)];
  return titlesBetween({ tokens, from: 0, to: own.length, within: [] });
}

interface Stretch {
  readonly tokens: readonly Token[];
  readonly from: number;
  readonly to: number;
  readonly within: readonly string[];
}

function titlesBetween({ tokens, from, to, within }: Stretch): readonly TestTitle[] {
  const titles: TestTitle[] = [];
  for (let at = from; at < to; at += 1) {
    const call = callAt(tokens, at);
    if (call === undefined) continue;
    titles.push(...titlesOf(call, tokens, within));
    at = call.to;
  }
  return titles;
}

function titlesOf(call: Call, tokens: readonly Token[], within: readonly string[]): readonly TestTitle[] {
  const { name, title, arguments: last } = call;
  if (title === undefined || call.modifiers.some((modifier) => ['skip', 'todo'].includes(modifier))) return [];
  const rows = call.tables.flatMap((table) =>
    title.includes('$row')
      ? citationsOf(table, tokens).map((row) => title.replace('$row', () => row))
      : rowTitles(title, textsOf(table, tokens)),
  );
  const own = [title, ...rows].map((each) => ({ title: each, within }));
  if (name !== 'describe') return own;
  const inside = titlesBetween({ tokens, from: last.from, to: last.to, within: [...within, title] });
  return inside.length === 0 ? [] : [...own, ...inside];
}

function rowTitles(title: string, texts: readonly string[]): readonly string[] {
  return texts
    .filter((text) => rowsOfTitle(text).length > 0)
    .map((text) => (title.includes('%s') ? title.replace('%s', () => text) : `${title}: ${text}`));
}

/** `test.each([…])('title', …)`: the words between the dots, what `each` is given, and what is given last. */
interface Call {
  readonly name: string;
  readonly modifiers: readonly string[];
  readonly tables: readonly Range[];
  readonly title: string | undefined;
  readonly arguments: Range;
  readonly to: number;
}

/** From the token after the opening bracket to the closing one. */
interface Range {
  readonly from: number;
  readonly to: number;
}

function callAt(tokens: readonly Token[], start: number): Call | undefined {
  const first = tokens[start];
  if (first?.kind !== 'name' || !['test', 'it', 'describe'].includes(first.value)) return undefined;
  if (isMark(tokens[start - 1], '.')) return undefined;
  const modifiers: string[] = [];
  const groups: (Range & { readonly after: string | undefined })[] = [];
  let at = start + 1;
  for (;;) {
    const after = isMark(tokens[at - 2], '.') ? tokens[at - 1]?.value : undefined;
    if (isMark(tokens[at], '.')) {
      modifiers.push(tokens[at + 1]?.value ?? '');
      at += 2;
    } else if (isMark(tokens[at], '<')) at = closing(tokens, at, ['<', '>']) + 1;
    else if (isMark(tokens[at], '(')) {
      const to = closing(tokens, at, ['(', ')']);
      groups.push({ from: at + 1, to, after: after ?? modifiers.at(-1) });
      at = to + 1;
    } else break;
  }
  const last = groups.at(-1);
  if (last === undefined) return undefined;
  const title = tokens[last.from];
  return {
    name: first.value,
    modifiers,
    tables: groups.slice(0, -1).filter(({ after }) => after === 'each' || after === 'for'),
    title: title?.kind === 'text' ? title.value : undefined,
    arguments: last,
    to: last.to,
  };
}

/** The texts of a table, also where the table is a constant of the file. */
function textsOf({ from, to }: Range, tokens: readonly Token[]): readonly string[] {
  const inside = tokens.slice(from, to);
  const named = inside.filter(({ kind }) => kind === 'name').flatMap(({ value }) => constantOf(value, tokens));
  return [...inside, ...named].filter(({ kind }) => kind === 'text').map(({ value }) => value);
}

/** The texts of a table that are nothing but citations, also of constants that its constants are made of. */
function citationsOf({ from, to }: Range, tokens: readonly Token[]): readonly string[] {
  const reached = new Set<string>();
  const reach = (inside: readonly Token[]): readonly Token[] => [
    ...inside,
    ...inside.flatMap(({ kind, value }) => {
      if (kind !== 'name' || reached.has(value)) return [];
      reached.add(value);
      return reach(constantOf(value, tokens));
    }),
  ];
  const texts = reach(tokens.slice(from, to)).filter(({ kind }) => kind === 'text');
  const citations = texts.map(({ value }) => value).filter((text) => /^[A-H\d., –]+$/.test(text));
  return [...new Set(citations.filter((text) => rowsIn(text).length > 0))];
}

function constantOf(name: string, tokens: readonly Token[]): readonly Token[] {
  const at = tokens.findIndex(({ value }, index) => value === name && tokens[index - 1]?.value === 'const');
  if (at === -1) return [];
  const end = tokens.findIndex((token, index) => index > at && isMark(token, ';'));
  return tokens.slice(at, end === -1 ? tokens.length : end);
}

function closing(tokens: readonly Token[], open: number, [opening, ending]: readonly [string, string]): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    depth += Number(isMark(tokens[at], opening)) - Number(isMark(tokens[at], ending));
    if (depth === 0) return at;
  }
  return tokens.length;
}

function isMark(token: Token | undefined, value: string): boolean {
  return token?.kind === 'mark' && token.value === value;
}
