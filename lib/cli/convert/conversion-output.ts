import { type Conversion, convertDocuments } from '../../manifests/convert/convert-documents.ts';
import { formatPath, sentenceOf } from '../../manifests/explain/problem.ts';
import type { SourceDocument } from '../../manifests/read/parse-documents.ts';
import { type PassedOver, whyPassedOver } from '../../manifests/read/passed-over.ts';
import { type ManifestSource, parseSource, patchTest } from '../../manifests/read/read-documents.ts';
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
  /** What is neither converted nor printed, such as patches and Kustomizations. */
  readonly passedOver: readonly PassedOver[];
  readonly unreadable: readonly Unreadable[];
}

/**
 * Converts all sources together, because the kubelet settings of one document may move to another. Patches, and documents of a folder
 * that are not Kubernetes objects, are left out of the stream and unchanged in the files.
 */
export function convertSources(sources: readonly ManifestSource[]): ConversionOutput {
  const parsed = sources.map(parseSource);
  const isPatch = patchTest(parsed);
  const all = parsed.flatMap(({ source: origin, documents }) =>
    documents.map((source): FoundDocument => {
      const { file } = origin;
      return { file, source, leftOut: whyLeftOut(origin, { value: source.value, isPatch: isPatch(file) }) };
    }),
  );
  const converting = all.filter(({ leftOut }) => leftOut === undefined);
  const conversions = convertDocuments(converting.map(({ source }) => source.document));
  const conversionOf = new Map(converting.map((one, index) => [one, conversions[index]]));
  const documents = all.map((one) => ({ ...one, conversion: conversionOf.get(one) }));
  const printed = documents.filter(({ leftOut }) => leftOut === undefined);
  return {
    yaml: textsOf(printed).map(asDocument).join(''),
    files: parsed.map(({ source: { file }, problems }) => {
      const own = documents.filter((one) => one.file === file);
      const converted = own.filter(({ conversion }) => conversion?.converted === true).length;
      return { file, yaml: textsOf(own).map(asDocument).join(''), converted, isSound: problems.length === 0 };
    }),
    objects: printed.flatMap(({ source, conversion }) =>
      conversion?.converted ? conversion.documents.map((document): unknown => document.toJS()) : [source.value],
    ),
    read: printed.filter(({ source }) => isRead(source.value)).length,
    converted: conversions.filter(({ converted }) => converted).length,
    warnings: documents.flatMap((one) => [...warningsOf(one), ...byHand(one)]),
    passedOver: [
      ...parsed.flatMap(({ passedOver }) => passedOver),
      ...all.flatMap(({ file, source, leftOut: what }) =>
        what === undefined ? [] : [{ file, line: source.position.line, what }],
      ),
    ],
    unreadable: parsed.flatMap(({ source: { file }, problems, passedOver }) =>
      [...problems, ...passedOver.flatMap(({ problem }) => problem ?? [])].map((problem) => {
        return { file, line: problem.line, message: sentenceOf(problem) };
      }),
    ),
  };
}

interface FoundDocument {
  readonly file: string;
  readonly source: SourceDocument;
  /** Why it is not converted and not printed. @default it is */
  readonly leftOut: string | undefined;
}

interface Judged {
  readonly value: unknown;
  readonly isPatch: boolean;
}

/** A document of comments is kept. */
function whyLeftOut(source: ManifestSource, { value, isPatch }: Judged): string | undefined {
  if (isPatch) return 'is a patch';
  return source.inFolder === true && isRead(value) ? whyPassedOver(source, value) : undefined;
}

function isRead(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function warningsOf({ file, source, conversion }: FoundDocument & ConvertedDocument): readonly ConversionNote[] {
  return (conversion?.warnings ?? []).map(({ path, offset, message, fix }) => {
    return { file, line: source.at(offset).line, path: formatPath(path), message, fix };
  });
}

const FORMER_NAMES = /\b(?:Provisioner|AWSNodeTemplate)\b|\bkarpenter\.(?:sh|k8s\.aws)\/v1(?:alpha|beta)\d/;

/**
 * A patch has a part of an object. Converted, it would get the defaults of a whole one, and overwrite the object that it patches.
 */
function byHand({ file, source, leftOut }: FoundDocument): readonly ConversionNote[] {
  if (leftOut === undefined || !FORMER_NAMES.test(source.text)) return [];
  const { line } = source.position;
  return [
    {
      file,
      line,
      path: '',
      message: `${leftOut.replace(/ \(.*/, '')} with names of old versions, and is not converted`,
      fix: 'change it by hand, or convert what `kustomize build` or `helm template` renders',
    },
  ];
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
