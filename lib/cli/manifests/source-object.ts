import type { SourceDocument } from './parse-documents.ts';
import { formatPath, type ManifestProblem, type Path, type Report } from './problem.ts';
import { fieldOf, isRecord, textField } from './record.ts';

/** One object of a file, or of a List in it. */
export interface SourceObject {
  readonly file: string;
  readonly document: SourceDocument;
  /** The way to the object from the root of its document: empty but in a List. */
  readonly base: Path;
  readonly value: unknown;
}

/** The object itself, or the items of a List, which may be lists too. */
export function flatten(object: SourceObject): readonly SourceObject[] {
  const { value, base } = object;
  const kind = textField(value, 'kind');
  const items = isRecord(value) ? fieldOf(value, 'items') : undefined;
  if (kind === 'List' && (items === undefined || items === null)) return [];
  if (kind === undefined || !kind.endsWith('List') || !Array.isArray(items)) return [object];
  const head = itemHead(kind, textField(value, 'apiVersion'));
  return items.flatMap((item, index) => {
    const whole: unknown = isRecord(item) && !Object.hasOwn(item, 'kind') ? { ...head, ...item } : item;
    return flatten({ ...object, value: whole, base: [...base, 'items', index] });
  });
}

/** The items of a typed list, such as a PodList, need not say what they are. */
function itemHead(kind: string, apiVersion: string | undefined): Readonly<Record<string, string>> {
  return kind === 'List' || apiVersion === undefined ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
}

/** `NodePool/default`, `Deployment/shop/web`; undefined where the document says not even its kind. */
export function labelOf(value: unknown): string | undefined {
  const kind = textField(value, 'kind');
  const metadata = isRecord(value) ? fieldOf(value, 'metadata') : undefined;
  const namespace = textField(metadata, 'namespace') ?? 'default';
  const name = textField(metadata, 'name');
  if (kind === undefined || name === undefined) return kind;
  return [kind, ...(namespace === 'default' ? [] : [namespace]), name].join('/');
}

export function reporterOf(object: SourceObject, problems: ManifestProblem[]): Report {
  const label = labelOf(object.value);
  return (path, message, allowed) => {
    const position = object.document.locate([...object.base, ...path]);
    problems.push({
      file: object.file,
      ...position,
      ...(label !== undefined && { object: label }),
      field: formatPath([...object.base, ...path]),
      message,
      ...(allowed !== undefined && { allowed }),
    });
  };
}
