import { convertDocuments } from '../conversion/convert-documents.ts';
import { parseDocuments, type SourceDocument } from '../manifests/parse-documents.ts';
import { fixOf, formatPath } from '../manifests/problem.ts';
import type { ManifestSource } from '../manifests/read-documents.ts';

export interface ConversionNote {
  readonly file: string;
  readonly line: number;
  /** The field in the manifest as it was. */
  readonly path: string;
  readonly message: string;
  readonly fix: string;
}

export interface ConversionOutput {
  /** Every document, the converted ones in today's API and the others letter by letter. */
  readonly yaml: string;
  /** The same as values. */
  readonly objects: readonly unknown[];
  readonly converted: number;
  readonly warnings: readonly ConversionNote[];
  readonly unreadable: readonly { readonly file: string; readonly line: number; readonly message: string }[];
}

/** Converts all sources together, since the kubelet settings of one document may belong into another. */
export function convertSources(sources: readonly ManifestSource[]): ConversionOutput {
  const parsed = sources.map(({ file, text }) => ({ file, text, ...parseDocuments(text) }));
  const all = parsed.flatMap(({ file, text, documents }) => documents.map((source) => ({ file, text, source })));
  const conversions = convertDocuments(all.map(({ source }) => source.document));
  const documents = all.map((one, index) => ({ ...one, conversion: conversions[index] }));
  const texts = documents.flatMap(({ text, source, conversion }) =>
    conversion?.converted
      ? conversion.documents.map((document) => document.toString({ lineWidth: 0, flowCollectionPadding: false }))
      : [verbatim(text, source)],
  );
  return {
    yaml: texts.map(asDocument).join(''),
    objects: documents.flatMap(({ source, conversion }) =>
      conversion?.converted ? conversion.documents.map((document): unknown => document.toJS()) : [source.value],
    ),
    converted: conversions.filter(({ converted }) => converted).length,
    warnings: documents.flatMap(({ file, source, conversion }) =>
      (conversion?.warnings ?? []).map(({ path, offset, message, fix }) => {
        return { file, line: source.at(offset).line, path: formatPath(path), message, fix };
      }),
    ),
    unreadable: parsed.flatMap(({ file, problems }) =>
      problems.map((problem) => {
        const fix = fixOf(problem);
        return {
          file,
          line: problem.line,
          message: fix === undefined ? problem.message : `${problem.message}; ${fix}`,
        };
      }),
    ),
  };
}

/** The document as it was written; comments above the first one belong to it. */
function verbatim(text: string, { index, document }: SourceDocument): string {
  const [start, , end] = document.range ?? [0, 0, text.length];
  return text.slice(index === 0 ? 0 : start, end);
}

/** Ends with a line's end, and begins with the mark that keeps documents apart. */
function asDocument(text: string, index: number): string {
  const marked = index === 0 || /^(?:\s*#.*\n|\s*\n)*---/.test(text) ? text : `---\n${text}`;
  const open = marked.replace(/\n\.\.\.\s*$/, '\n');
  return open.endsWith('\n') ? open : `${open}\n`;
}
