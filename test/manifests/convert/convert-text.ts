import { type Document, isCollection, LineCounter, parseAllDocuments } from 'yaml';
import { type Conversion, convertDocuments } from '../../../lib/manifests/convert/convert-documents.ts';
import { formatPath } from '../../../lib/manifests/explain/problem.ts';

export function parse(text: string): readonly Document[] {
  return [...parseAllDocuments(text, { merge: true, uniqueKeys: false, prettyErrors: false })];
}

export interface ConvertedText {
  readonly conversions: readonly Conversion[];
  readonly text: string;
  /** The objects as they are in the end. */
  readonly objects: readonly unknown[];
  /** `spec.provider: was left out`: where, and what. */
  readonly warnings: readonly string[];
  /** The lines that the warnings point at. */
  readonly lines: readonly number[];
}

export function convertText(text: string): ConvertedText {
  const conversions = convertDocuments(parse(text));
  const documents = conversions.flatMap((conversion) => conversion.documents);
  const warnings = conversions.flatMap((conversion) => conversion.warnings);
  const lines = new LineCounter();
  parseAllDocuments(text, { lineCounter: lines });
  return {
    conversions,
    text: print(documents),
    objects: documents.map((document) => document.toJS()),
    warnings: warnings.map(({ path, message }) => `${formatPath(path)}: ${message}`),
    lines: warnings.map(({ offset }) => lines.linePos(offset).line),
  };
}

export function print(documents: readonly Document[]): string {
  return documents
    .filter(({ contents }) => isCollection(contents))
    .map((document) => document.toString({ flowCollectionPadding: false, lineWidth: 0 }))
    .map((text, index) => (index === 0 || /^(?:#[^\n]*\n|\n)*---/.test(text) ? text : `---\n${text}`))
    .join('');
}
