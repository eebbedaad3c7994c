import { optional } from '../../apis/optional.ts';
import { type ConversionWarning, convertDocuments } from '../convert/convert-documents.ts';
import { formatPath, type ManifestProblem, type Path } from '../explain/problem.ts';
import { parseDocuments, type SourceDocument } from './parse-documents.ts';
import { flatten, objectLabelOf, type SourceObject } from './source-object.ts';

export interface ManifestSource {
  readonly file: string;
  readonly text: string;
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
}

/** Parses the sources and converts objects of Karpenter before v1. *Cost:* O(size of the text). */
export function readDocuments(sources: readonly ManifestSource[]): ReadDocuments {
  const parsed = sources.map(({ file, text }) => ({ file, ...parseDocuments(text) }));
  const documents = parsed.flatMap(({ file, documents: ofFile }) => ofFile.map((document) => ({ file, document })));
  const conversions = convertDocuments(documents.map(({ document }) => document.document));
  return {
    objects: documents.flatMap(({ file, document }, index) => {
      const { documents: after = [], warnings = [] } = conversions[index] ?? {};
      const converted = after.map((one) => (one === document.document ? document : document.replacedBy(one)));
      return writtenObjects({ file, document, converted, warnings });
    }),
    problems: parsed.flatMap(({ file, problems }) => problems.map((problem) => ({ file, field: '', ...problem }))),
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
