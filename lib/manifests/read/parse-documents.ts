import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  LineCounter,
  parseAllDocuments,
  visit,
  type YAMLMap,
} from 'yaml';
import { whyNotParsed } from '../check/text-limits.ts';
import { KUBECTL_TAGS } from '../explain/kubectl-tags.ts';
import type { Path } from '../explain/problem.ts';
import { locate, type Position, startOf } from './locate.ts';
import { type DocumentText, splitDocuments } from './split-documents.ts';
import { type TextProblem, templatingProblem, yamlProblem } from './yaml-problems.ts';

export interface SourceDocument {
  /** Its index in the file, from 0; empty documents count. */
  readonly index: number;
  readonly document: Document;
  /** The source text of the document, including `---` and comments. */
  readonly text: string;
  readonly value: unknown;
  readonly position: Position;
  locate(path: Path): Position;
  /** The position of a character of the document's text. */
  at(offset: number): Position;
  /** The same position in the file with other contents. */
  replacedBy(document: Document): SourceDocument;
}

export interface ParsedSource {
  readonly documents: readonly SourceDocument[];
  readonly problems: readonly TextProblem[];
}

/** A document with more alias expansions, nested ones multiplied, is rejected as a "billion laughs" attack. */
const MAX_ALIASES = 1_000;
const MAX_DOCUMENTS = 20_000;

/**
 * Parses the documents of a YAML or JSON text. *Shape:* empty documents are left out. A document with an error yields
 * problems and no value. Unrendered templating, which breaks everything after it, yields one problem for the whole text.
 */
export function parseDocuments(text: string): ParsedSource {
  const parts = splitDocuments(text.replace(/^\uFEFF/, ''));
  if (parts.length > MAX_DOCUMENTS) {
    const message = `has ${parts.length} documents, and at most ${MAX_DOCUMENTS} are read`;
    return failed({ line: 1, message, allowed: 'several files' });
  }
  const documents: SourceDocument[] = [];
  const problems: TextProblem[] = [];
  let index = 0;
  for (const part of parts) {
    const read = readPart(part, index);
    documents.push(...read.documents);
    problems.push(...read.problems.map((problem) => ({ ...problem, line: problem.line + part.firstLine - 1 })));
    index += read.count;
  }
  const templating = templatingProblem(text, problems);
  return templating === undefined ? { documents, problems } : failed(templating);
}

interface ReadPart extends ParsedSource {
  /** The number of documents, including empty ones and those with errors. */
  readonly count: number;
}

/** Reads a part: usually one document, several where "..." ends the first. Lines of problems are relative to the part. */
function readPart(part: DocumentText, index: number): ReadPart {
  const refused = whyNotParsed(part.text);
  if (refused !== undefined) return { ...failed(refused), count: 1 };
  const lines = new LineCounter();
  try {
    const parsed = [
      ...parseAllDocuments(part.text, {
        lineCounter: lines,
        prettyErrors: false,
        uniqueKeys: false,
        merge: true,
        logLevel: 'silent',
        customTags: (tags) => [...KUBECTL_TAGS, ...tags],
        compat: 'yaml-1.1',
      }),
    ];
    const read = parsed.map((document, nth) =>
      readDocument(document, { part, lines, index: index + nth, first: nth === 0 }),
    );
    return {
      documents: read.flatMap((one) => one.documents),
      problems: read.flatMap((one) => one.problems),
      count: parsed.length,
    };
  } catch (error) {
    // The parser and its visitor recurse: text that nests too deeply overflows the stack.
    if (error instanceof RangeError) return { ...failed(TOO_DEEP), count: 1 };
    throw error;
  }
}

const TOO_DEEP = { line: 1, message: 'nests too deeply to be read', allowed: 'less deeply nested YAML' };

interface Place {
  readonly part: DocumentText;
  readonly lines: LineCounter;
  readonly index: number;
  /** True for the first document of its part, which includes the comments before it. */
  readonly first: boolean;
}

function readDocument(document: Document.Parsed, place: Place): ParsedSource {
  const { part, lines } = place;
  const [error] = document.errors;
  // The parser reports its own stack overflow as an error of the text.
  if (error !== undefined && /call stack/i.test(error.message)) return failed(TOO_DEEP);
  if (error !== undefined) return failed(yamlProblem(error, part.text, lines));
  const faults = structureProblems(document, place);
  if (faults.length > 0) return { documents: [], problems: faults };
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
    return { documents: [], problems: [] };
  const { line } = lines.linePos(document.contents.range[0]);
  // Without `---`, only "..." can have ended the previous document.
  if (!place.first && document.directives?.docStart !== true)
    return failed({
      line,
      message: 'is text after the end of a document ("..."), which kubectl does not read',
      allowed: '"---" before it',
    });
  try {
    return { documents: [sourceDocument(document, place)], problems: [] };
  } catch (cause) {
    // The library reports two errors only at this point: too many aliases, and a merge of a value that is not a map.
    if (cause instanceof ReferenceError) {
      const message = `expands more than ${MAX_ALIASES} aliases`;
      return failed({ line, message, allowed: 'the repeated parts in full' });
    }
    if (!(cause instanceof Error) || cause instanceof RangeError) throw cause;
    return failed({ line, message: `not valid YAML: ${cause.message}`, allowed: 'valid YAML or JSON' });
  }
}

function sourceDocument(document: Document, place: Place): SourceDocument {
  const { part, lines, index, first } = place;
  const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
  const inFile = ({ line, column }: Position): Position => ({ line: line + part.firstLine - 1, column });
  const [start, , end] = document.range ?? [0, 0, part.text.length];
  return {
    index,
    document,
    text: part.text.slice(first ? 0 : start, end),
    value,
    position: inFile(at(lines.linePos(startOf(document.contents) ?? 0))),
    locate: (path) => inFile(locate(document, path, lines)),
    at: (offset) => inFile(at(lines.linePos(offset))),
    replacedBy: (other) => sourceDocument(other, place),
  };
}

/** Errors that the parser accepts: duplicate keys, keys that are not text, and aliases without an anchor. */
function structureProblems(document: Document.Parsed, { lines, part }: Place): readonly TextProblem[] {
  const problems: TextProblem[] = [];
  const anchors = new Set<string>();
  visit(document, {
    Node: (_, node, ancestors) => {
      if (isMap(node)) if (problems.length < MAX_PROBLEMS) problems.push(...keyProblems(node, lines, part.firstLine));
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
    return [{ line, column, message: `${name} is inside the value that it repeats`, allowed: 'the value in full' }];
  }
  if (anchors.has(alias.source)) return [];
  const message = `${name} is an alias, and there is no anchor "&${alias.source}" before it`;
  return [{ line, column, message, allowed: 'a value that begins with a star in quotes, as in "*/5 * * * *"' }];
}

/** The maximum number of problems per document. */
const MAX_PROBLEMS = 20;

function keyProblems(map: YAMLMap, lines: LineCounter, firstLine: number): readonly TextProblem[] {
  const seen = new Map<string, number>();
  const problems: TextProblem[] = [];
  for (const { key } of map.items) {
    if (problems.length >= MAX_PROBLEMS) break;
    const offset = startOf(key) ?? startOf(map) ?? 0;
    const { line, col: column } = lines.linePos(offset);
    if (!isScalar(key)) {
      if (!isAlias(key))
        problems.push({ line, column, message: 'a key is a map or a list', allowed: 'text before the colon' });
      continue;
    }
    const name = String(key.value);
    const before = seen.get(name);
    if (before !== undefined && name !== '<<') {
      const message = `the key "${name}" is used twice, first in line ${before + firstLine - 1}`;
      problems.push({ line, column, message, allowed: 'each key once' });
    }
    seen.set(name, before ?? line);
  }
  return problems;
}

function at({ line, col }: { readonly line: number; readonly col: number }): Position {
  return { line, column: col };
}

function failed(problem: TextProblem): ParsedSource {
  return { documents: [], problems: [problem] };
}
