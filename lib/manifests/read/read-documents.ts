import { optional } from '../../apis/optional.ts';
import { type ConversionWarning, convertDocuments } from '../convert/convert-documents.ts';
import { formatPath, type ManifestProblem, type Path } from '../explain/problem.ts';
import { type ParsedSource, parseDocuments, type SourceDocument } from './parse-documents.ts';
import { type PassedOver, patchFiles, resolvedPath, whyPassedOver, whyTextPassedOver } from './passed-over.ts';
import { flatten, objectLabelOf, type SourceObject } from './source-object.ts';
import type { TextProblem } from './yaml-problems.ts';

export interface ManifestSource {
  readonly file: string;
  readonly text: string;
  /** True for a file that was found in a folder: it may be anything. */
  readonly inFolder?: true;
}

/** One object as written, and its form in the current API. */
export interface WrittenObject {
  readonly written: SourceObject;
  /** The object itself where nothing changed; several objects where a part of it became an object of its own. */
  readonly today: readonly SourceObject[];
  /** What the conversion changed, assumed or left out. */
  readonly warnings: readonly ManifestProblem[];
}

export interface ReadDocuments {
  readonly objects: readonly WrittenObject[];
  /** Errors in text that is not valid YAML. */
  readonly problems: readonly ManifestProblem[];
  /** Files and documents that are not objects of a cluster, such as Kustomizations. */
  readonly passedOver: readonly PassedOver[];
}

/** Parses the sources and converts objects of Karpenter before v1. *Cost:* O(size of the text). */
export function readDocuments(sources: readonly ManifestSource[]): ReadDocuments {
  const parsed = sources.map(parseSource);
  const isPatch = patchTest(parsed);
  const sorted = parsed.map((one) => sortDocuments(one, isPatch(one.source.file)));
  const documents = sorted.flatMap(({ documents: ofFile }) => ofFile);
  const conversions = convertDocuments(documents.map(({ document }) => document.document));
  return {
    objects: documents.flatMap(({ file, document }, index) => {
      const { documents: after = [], warnings = [] } = conversions[index] ?? {};
      const converted = after.map((one) => (one === document.document ? document : document.replacedBy(one)));
      return writtenObjects({ file, document, converted, warnings });
    }),
    problems: parsed.flatMap(({ source: { file }, problems }) => problems.map((problem) => problemIn(file, problem))),
    passedOver: sorted.flatMap(({ passedOver }) => passedOver),
  };
}

/** True for the files that Kustomizations of the sources use as patches. */
export function patchTest(parsed: readonly ParsedFile[]): (file: string) => boolean {
  const patches = new Set(
    parsed.flatMap(({ source: { file }, documents }) => documents.flatMap(({ value }) => patchFiles(file, value))),
  );
  return (file) => patches.has(resolvedPath(file));
}

export interface ParsedFile extends ParsedSource {
  readonly source: ManifestSource;
  /** The file as a whole, if it is passed over. */
  readonly passedOver: readonly PassedOver[];
}

/** In a folder, text that cannot be parsed is passed over if it is a template or not a manifest. */
export function parseSource(source: ManifestSource): ParsedFile {
  const parsed = parseDocuments(source.text);
  const { file, text, inFolder } = source;
  const [problem] = parsed.problems;
  const what = inFolder === true && problem !== undefined ? whyTextPassedOver(text, parsed.problems) : undefined;
  if (problem !== undefined && what !== undefined) {
    const namesKarpenter = /karpenter\.(?:sh|k8s\.aws)/.test(text);
    const whole = namesKarpenter ? { problem: problemIn(file, problem) } : {};
    return { source, documents: [], problems: [], passedOver: [{ file, line: problem.line, what, ...whole }] };
  }
  const isEmpty = inFolder === true && parsed.documents.length === 0 && problem === undefined;
  return { source, ...parsed, passedOver: isEmpty ? [{ file, line: 1, what: 'has no object' }] : [] };
}

function problemIn(file: string, textProblem: TextProblem): ManifestProblem {
  const { isTemplate: _, ...problem } = textProblem;
  return { file, field: '', ...problem };
}

function sortDocuments({ source, documents, passedOver }: ParsedFile, isPatch: boolean) {
  const { file } = source;
  const judged = documents.map((document) => ({
    file,
    document,
    what: isPatch ? 'is a patch' : whyPassedOver(source, document.value),
  }));
  return {
    documents: judged.filter(({ what }) => what === undefined),
    passedOver: [
      ...passedOver,
      ...judged.flatMap(({ document: { position }, what }) =>
        what === undefined ? [] : [{ file, line: position.line, what }],
      ),
    ],
  };
}

interface ConvertedDocument {
  readonly file: string;
  readonly document: SourceDocument;
  readonly converted: readonly SourceDocument[];
  readonly warnings: readonly ConversionWarning[];
}

/** The objects of one document; several for a List. Objects that were split off belong to the last one. */
function writtenObjects({ file, document, converted, warnings }: ConvertedDocument): readonly WrittenObject[] {
  const before = objectsOf(file, document);
  const after = converted.flatMap((one) => objectsOf(file, one));
  const byItem = Map.groupBy(warnings, ({ path }) => itemOf(path));
  return before.map((written, index) => ({
    written,
    today: index === before.length - 1 ? after.slice(index) : after.slice(index, index + 1),
    warnings: (byItem.get(itemOf(written.base)) ?? []).map((warning) => problemOf(warning, written)),
  }));
}

/** The path to the innermost List item that contains a field. It identifies an object within its document. */
function itemOf(path: Path): string {
  let depth = 0;
  while (path[depth] === 'items' && typeof path[depth + 1] === 'number') depth += 2;
  return JSON.stringify(path.slice(0, depth));
}

function objectsOf(file: string, document: SourceDocument): readonly SourceObject[] {
  return flatten({ file, document, base: [], value: document.value });
}

function problemOf({ path, offset, message, fix }: ConversionWarning, written: SourceObject): ManifestProblem {
  const label = objectLabelOf(written.value);
  return {
    file: written.file,
    ...written.document.at(offset),
    ...optional({ object: label }),
    field: formatPath(path),
    message,
    fix,
  };
}
