import { cutText, quote } from '../../apis/formats/quote.ts';
import { optional } from '../../apis/optional.ts';
import { isRecord, ownField, textField } from '../../apis/record.ts';
import {
  type Advice,
  formatPath,
  type ManifestProblem,
  type Path,
  type Report,
  type Sentence,
} from '../explain/problem.ts';
import { sourceAt } from './locate.ts';
import type { SourceDocument } from './parse-documents.ts';

/** One object of a file, or of a List in it. */
export interface SourceObject {
  readonly file: string;
  readonly document: SourceDocument;
  /** The path from the root of the document to the object; empty except in a List. */
  readonly base: Path;
  readonly value: unknown;
}

/** The object itself, or the items of a List, which may be Lists too. */
export function flatten(object: SourceObject): readonly SourceObject[] {
  const { value, base } = object;
  const kind = textField(value, 'kind');
  const items = ownField(value, 'items');
  if (kind === 'List' && (items === undefined || items === null)) return [];
  if (kind === undefined || !kind.endsWith('List') || !Array.isArray(items)) return [object];
  const head = itemHead(kind, textField(value, 'apiVersion'));
  return items.flatMap((item, index) => {
    const whole: unknown = isRecord(item) && !Object.hasOwn(item, 'kind') ? { ...head, ...item } : item;
    return flatten({ ...object, value: whole, base: [...base, 'items', index] });
  });
}

/** The items of a typed list, such as a PodList, may omit apiVersion and kind. */
function itemHead(kind: string, apiVersion: string | undefined): Readonly<Record<string, string>> {
  return kind === 'List' || apiVersion === undefined ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
}

/** `NodePool/default`, `Deployment/shop/web`; undefined where the document has no kind. */
export function objectLabelOf(value: unknown): string | undefined {
  const kind = textField(value, 'kind');
  const metadata = ownField(value, 'metadata');
  const namespace = textField(metadata, 'namespace') ?? 'default';
  const name = textField(metadata, 'name');
  if (kind === undefined || name === undefined) return kind;
  return [kind, ...(namespace === 'default' ? [] : [namespace]), name].join('/');
}

/** Longer than any message with quotes of the intended length. */
const LONGEST_MESSAGE = 400;
const LONGEST_ADVICE = 1_600;
const LONGEST_LABEL = 160;

export function reporterOf(object: SourceObject, problems: ManifestProblem[]): Report {
  const label = objectLabelOf(object.value);
  return (path, message, advice = {}) => {
    const whole = [...object.base, ...path];
    const { allowed, fix, restate }: Advice = typeof advice === 'string' ? { allowed: advice } : advice;
    const written = sourceAt(object.document.document, whole);
    const sentence =
      written === undefined || restate === undefined
        ? asWritten({ message, ...optional({ allowed }) }, written)
        : restate(written);
    problems.push({
      file: object.file,
      ...object.document.locate(whole),
      ...(label !== undefined && { object: cutText(label, LONGEST_LABEL) }),
      field: formatPath(whole),
      message: cutText(sentence.message, LONGEST_MESSAGE),
      ...(sentence.allowed !== undefined && { allowed: cutText(sentence.allowed, LONGEST_ADVICE) }),
      ...(fix !== undefined && { fix: cutText(fix, LONGEST_ADVICE) }),
    });
  };
}

/** The checks in core receive the value without its source text, which replaces the value here. */
function asWritten(sentence: Sentence, written: string | undefined): Sentence {
  const inQuotes = 'it in quotes: ';
  if (written === undefined || !sentence.allowed?.startsWith(inQuotes)) return sentence;
  return { ...sentence, allowed: `${inQuotes}${quote(written)}` };
}
