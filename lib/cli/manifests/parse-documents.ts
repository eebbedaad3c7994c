import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  LineCounter,
  parseAllDocuments,
  type ScalarTag,
  visit,
  type YAMLMap,
} from 'yaml';
import { locate, type Position, startOf } from './locate.ts';
import type { Path } from './problem.ts';
import { whyNotParsed } from './text-limits.ts';
import { type TextProblem, templatingProblem, yamlProblem } from './yaml-problems.ts';

export interface SourceDocument {
  /** Its place in the text, from 0; empty documents count. */
  readonly index: number;
  readonly document: Document;
  readonly value: unknown;
  readonly position: Position;
  locate(path: Path): Position;
  /** The position of a character of the text. */
  at(offset: number): Position;
  /** The same place in the text with other contents. */
  replacedBy(document: Document): SourceDocument;
}

export interface ParsedSource {
  readonly documents: readonly SourceDocument[];
  readonly problems: readonly TextProblem[];
}

/** More uses of one anchor, nested ones multiplied, are no manifest but a "billion laughs". */
const MOST_ALIASES = 1_000;

/** kubectl reads YAML 1.1's words for true and false. */
const YES_NO: readonly ScalarTag[] = [
  booleanWords(true, /^(?:yes|Yes|YES|on|On|ON)$/),
  booleanWords(false, /^(?:no|No|NO|off|Off|OFF)$/),
];

/**
 * The documents of a YAML or JSON text. *Shape:* empty documents are left out; a document with a fault gives problems
 * and no value, and templating, which breaks everything after it, gives one problem for the whole text.
 */
export function parseDocuments(text: string): ParsedSource {
  const lines = new LineCounter();
  const clean = text.replace(/^\uFEFF/, '');
  const refused = whyNotParsed(clean);
  if (refused !== undefined) return failed(refused);
  try {
    const parsed = parseAllDocuments(clean, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      merge: true,
      logLevel: 'silent',
      customTags: (tags) => [...YES_NO, ...tags],
    });
    return collect([...parsed], clean, lines);
  } catch (error) {
    // The parser and its visitor recurse: text that nests too deeply ends in a full stack.
    if (error instanceof RangeError) return failed(TOO_DEEP);
    throw error;
  }
}

const TOO_DEEP = { line: 1, message: 'nests too deeply to be read', allowed: 'less deeply nested YAML' };

function collect(parsed: readonly Document.Parsed[], text: string, lines: LineCounter): ParsedSource {
  const read = parsed.map((document, index) => readDocument(document, index, { text, lines }));
  const problems = read.flatMap((result) => result.problems);
  const templating = templatingProblem(text, problems);
  if (templating !== undefined) return failed(templating);
  return { documents: read.flatMap((result) => result.documents), problems };
}

interface Text {
  readonly text: string;
  readonly lines: LineCounter;
}

function readDocument(document: Document.Parsed, index: number, { text, lines }: Text): ParsedSource {
  const [error] = document.errors;
  // The parser itself reports its full stack as an error of the text.
  if (error !== undefined && /call stack/i.test(error.message)) return failed(TOO_DEEP);
  if (error !== undefined) return failed(yamlProblem(error, text, lines));
  const faults = structureProblems(document, lines);
  if (faults.length > 0) return { documents: [], problems: faults };
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
    return { documents: [], problems: [] };
  const position = lines.linePos(document.contents.range[0]);
  try {
    return { documents: [sourceDocument(document, index, lines)], problems: [] };
  } catch (cause) {
    // What the library finds only when it puts the parts together: aliases without end, and a merge of what is no map.
    if (cause instanceof ReferenceError) {
      const message = `expands more than ${MOST_ALIASES} aliases`;
      return failed({ line: position.line, message, allowed: 'the repeated parts out' });
    }
    if (!(cause instanceof Error) || cause instanceof RangeError) throw cause;
    return failed({ line: position.line, message: `not valid YAML: ${cause.message}`, allowed: 'valid YAML or JSON' });
  }
}

function sourceDocument(document: Document, index: number, lines: LineCounter): SourceDocument {
  const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
  return {
    index,
    document,
    value,
    position: at(lines.linePos(startOf(document.contents) ?? 0)),
    locate: (path) => locate(document, path, lines),
    at: (offset) => at(lines.linePos(offset)),
    replacedBy: (other) => sourceDocument(other, index, lines),
  };
}

/** Faults that the parser lets pass: one key twice, keys that are no text, aliases without an anchor. */
function structureProblems(document: Document.Parsed, lines: LineCounter): readonly TextProblem[] {
  const problems: TextProblem[] = [];
  const anchors = new Set<string>();
  visit(document, {
    Node: (_, node, ancestors) => {
      if (isMap(node)) problems.push(...keyProblems(node, lines));
      if (isAlias(node)) problems.push(...aliasProblems(node, { anchors, ancestors, lines }));
      else if (node.anchor !== undefined) anchors.add(node.anchor);
    },
  });
  return problems;
}

interface Surroundings {
  readonly anchors: ReadonlySet<string>;
  readonly ancestors: readonly unknown[];
  readonly lines: LineCounter;
}

function aliasProblems(alias: Alias, { anchors, ancestors, lines }: Surroundings): readonly TextProblem[] {
  const { line, col: column } = lines.linePos(startOf(alias) ?? 0);
  const name = `"*${alias.source}"`;
  if (ancestors.some((node) => isCollection(node) && node.anchor === alias.source)) {
    return [{ line, column, message: `${name} stands inside what it repeats`, allowed: 'the value out' }];
  }
  if (anchors.has(alias.source)) return [];
  const message = `${name} is an alias, and no anchor "&${alias.source}" stands before it`;
  return [{ line, column, message, allowed: 'the value in quotes where it begins with a star, as in "*/5 * * * *"' }];
}

function keyProblems(map: YAMLMap, lines: LineCounter): readonly TextProblem[] {
  const first = new Map<string, number>();
  return map.items.flatMap(({ key }) => {
    const offset = startOf(key) ?? startOf(map) ?? 0;
    const { line, col: column } = lines.linePos(offset);
    if (!isScalar(key))
      return isAlias(key)
        ? []
        : [{ line, column, message: 'a key is a map or a list', allowed: 'text before the colon' }];
    const name = String(key.value);
    const before = first.get(name);
    if (before !== undefined && name !== '<<')
      return [{ line, column, message: `"${name}" is here twice, first in line ${before}`, allowed: 'it once' }];
    first.set(name, line);
    return [];
  });
}

function booleanWords(value: boolean, test: RegExp): ScalarTag {
  return { identify: () => false, default: true, tag: 'tag:yaml.org,2002:bool', test, resolve: () => value };
}

function at({ line, col }: { readonly line: number; readonly col: number }): Position {
  return { line, column: col };
}

function failed(problem: TextProblem): ParsedSource {
  return { documents: [], problems: [problem] };
}
