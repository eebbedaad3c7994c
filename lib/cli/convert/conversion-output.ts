import { type Conversion, convertDocuments } from '../../manifests/convert/convert-documents.ts';
import { formatPath, sentenceOf } from '../../manifests/explain/problem.ts';
import { parseDocuments, type SourceDocument } from '../../manifests/read/parse-documents.ts';
import type { ManifestSource } from '../../manifests/read/read-documents.ts';
import type { Unreadable } from '../read-sources.ts';

export interface ConversionNote {
  readonly file: string;
  readonly line: number;
  /** The field in the original manifest. */
  readonly path: string;
  readonly message: string;
  readonly fix: string;
}

export interface ConvertedFile {
  readonly file: string;
  readonly yaml: string;
  /** The number of its documents that changed. */
  readonly converted: number;
  /** False if a part of it could not be read. */
  readonly isSound: boolean;
}

export interface ConversionOutput {
  /** Every document: converted ones in the current API, the others unchanged. */
  readonly yaml: string;
  /** The same by file. */
  readonly files: readonly ConvertedFile[];
  /** The documents as values. */
  readonly objects: readonly unknown[];
  /** The number of documents that are not empty. */
  readonly read: number;
  readonly converted: number;
  readonly warnings: readonly ConversionNote[];
  readonly unreadable: readonly Unreadable[];
}

/** Converts all sources together, because the kubelet settings of one document may move to another. */
export function convertSources(sources: readonly ManifestSource[]): ConversionOutput {
  const parsed = sources.map(({ file, text }) => ({ file, ...parseDocuments(text) }));
  const all = parsed.flatMap(({ file, documents }) => documents.map((source) => ({ file, source })));
  const conversions = convertDocuments(all.map(({ source }) => source.document));
  const documents = all.map((one, index) => ({ ...one, conversion: conversions[index] }));
  return {
    yaml: textsOf(documents).map(asDocument).join(''),
    files: parsed.map(({ file, problems }) => {
      const own = documents.filter((one) => one.file === file);
      const converted = own.filter(({ conversion }) => conversion?.converted === true).length;
      return { file, yaml: textsOf(own).map(asDocument).join(''), converted, isSound: problems.length === 0 };
    }),
    objects: documents.flatMap(({ source, conversion }) =>
      conversion?.converted ? conversion.documents.map((document): unknown => document.toJS()) : [source.value],
    ),
    read: all.filter(({ source }) => source.value !== null && source.value !== undefined).length,
    converted: conversions.filter(({ converted }) => converted).length,
    warnings: documents.flatMap(({ file, source, conversion }) =>
      (conversion?.warnings ?? []).map(({ path, offset, message, fix }) => {
        return { file, line: source.at(offset).line, path: formatPath(path), message, fix };
      }),
    ),
    unreadable: parsed.flatMap(({ file, problems }) =>
      problems.map((problem) => ({ file, line: problem.line, message: sentenceOf(problem) })),
    ),
  };
}

interface ConvertedDocument {
  readonly source: SourceDocument;
  readonly conversion: Conversion | undefined;
}

function textsOf(documents: readonly ConvertedDocument[]): readonly string[] {
  return documents.flatMap(({ source, conversion }) =>
    conversion?.converted
      ? conversion.documents.map((document) => document.toString({ lineWidth: 0, flowCollectionPadding: false }))
      : [source.text],
  );
}

/** Adds the `---` that separates documents and a final line break. */
function asDocument(written: string, index: number): string {
  // A directive is allowed only at the start of a stream, and is not needed.
  const text = written.replace(/^((?:[ \t]*(?:#.*)?\n)*)(?:%.*\n)+/, '$1');
  const marked = index === 0 || /^(?:\s*#.*\n|\s*\n)*---/.test(text) ? text : `---\n${text}`;
  const open = marked.replace(/\n\.\.\.\s*$/, '\n');
  return open.endsWith('\n') ? open : `${open}\n`;
}
