import { cutText } from '../../apis/formats/quote.ts';
import { podKey } from '../../apis/kubernetes.ts';
import { isRecord, ownField, textField, type UnknownRecord } from '../../apis/record.ts';
import type { ManifestProblem, Report } from '../../manifests/explain/problem.ts';
import { classify } from '../../manifests/read/classify.ts';
import { createdNote, playOf } from '../../manifests/read/play-of.ts';
import { type ManifestSource, readDocuments } from '../../manifests/read/read-documents.ts';
import { type ReadObject, readObject } from '../../manifests/read/read-object.ts';
import { objectLabelOf, reporterOf, type SourceObject } from '../../manifests/read/source-object.ts';
import { passedOverNotes } from '../render/ignored-notes.ts';

/** The objects that manifests add to a snapshot. */
export interface ManifestObjects {
  readonly objects: readonly ReadObject[];
  /** True without a snapshot. */
  readonly isWholeCluster: boolean;
  readonly problems: readonly ManifestProblem[];
  readonly warnings: readonly ManifestProblem[];
  /** Notes on objects that have no effect on the plan. */
  readonly notes: readonly string[];
}

/** Kinds that are not read, each with the note for its objects. */
export type IgnoredKinds = ReadonlyMap<string, string>;

interface Reading {
  /** @default none */
  readonly ignored?: IgnoredKinds | undefined;
  /** True: there is no snapshot, so that EC2NodeClasses have an effect. @default false */
  readonly isWholeCluster?: boolean;
}

/** Reads manifests as `kerf validate` does. References are not checked, because their objects may be in the cluster. */
export function readManifestObjects(
  sources: readonly ManifestSource[],
  { ignored = new Map(), isWholeCluster = false }: Reading = {},
): ManifestObjects {
  const { objects: documents, problems: malformed, passedOver } = readDocuments(sources);
  const problems: ManifestProblem[] = [...malformed];
  const found: FoundObject[] = [];
  const notes: string[] = [...passedOverNotes(passedOver)];
  const seen = new Map<string, string>();
  for (const source of documents.flatMap(({ today }) => today)) {
    const report = reporterOf(source, problems);
    reportTwice(source, seen, report);
    const { value } = source;
    const kind = kindOf(value);
    const hasEffect = isWholeCluster && kind === 'EC2NodeClass';
    const note = hasEffect ? undefined : (ignored.get(kind) ?? NOTES.get(kind));
    if (note !== undefined) notes.push(noteOn(source, note));
    if (ignored.has(kind)) continue;
    const read = readOne(value, report);
    if (read !== undefined) found.push({ read, source });
  }
  const { objects, leftOut } = withoutLeftOut(found);
  return {
    objects,
    isWholeCluster,
    problems,
    warnings: documents.flatMap(({ warnings }) => warnings),
    notes: [...notes, ...leftOut],
  };
}

interface FoundObject {
  readonly read: ReadObject;
  readonly source: SourceObject;
}

/** As in a simulation: without Helm hooks, and without what a workload of the manifests creates, which an export of a cluster has too. */
function withoutLeftOut(found: readonly FoundObject[]) {
  const declared = found.map(({ read: { kind, object } }) => ({ kind, key: podKey(object) }));
  const judged = found.map(({ read, source }) => {
    const { isLeftOut, notes } = playOf(read);
    const why = createdNote(read, declared) ?? (isLeftOut ? notes[0] : undefined);
    return { read, note: why && noteOn(source, why) };
  });
  return {
    objects: judged.flatMap(({ read, note }) => (note === undefined ? [read] : [])),
    leftOut: judged.flatMap(({ note }) => note ?? []),
  };
}

function noteOn({ file, value }: SourceObject, note: string): string {
  return `${file}  ${cutText(objectLabelOf(value) ?? '', 160)}: ${note}`;
}

const NOTES: ReadonlyMap<string, string> = new Map([
  ['NodeClaim', 'ignored: NodeClaims come from the snapshot'],
  ['EC2NodeClass', 'ignored: instance types come from the snapshot'],
  ['CronJob', 'ignored: pods of this kind are not planned'],
  ['ReplicationController', 'ignored: pods of this kind are not planned'],
  ['Node', 'ignored: nodes come from the snapshot'],
  ['Scenario', 'ignored: use kerf simulate to run it'],
]);

function readOne(value: unknown, report: Report): ReadObject | undefined {
  if (!isRecord(value)) {
    report([], 'is not an object', 'an object with apiVersion, kind, metadata and spec');
    return undefined;
  }
  const found = classify(value);
  if (found.kind === 'wrong') report([found.field], found.message, found.allowed);
  return found.kind === 'read' ? readObject(found.readKind, value, report) : undefined;
}

function reportTwice({ value, file, document, base }: SourceObject, seen: Map<string, string>, report: Report): void {
  const metadata = ownField(value, 'metadata');
  const name = textField(metadata, 'name');
  // kubectl applies each Namespace of a name, and the last is in effect.
  if (name === undefined || kindOf(value) === 'Namespace') return;
  const key = `${kindOf(value)}/${textField(metadata, 'namespace') ?? 'default'}/${name}`;
  const before = seen.get(key);
  if (before !== undefined)
    report(
      ['metadata', 'name'],
      `${objectLabelOf(value) ?? name} is a duplicate; the first is at ${before}`,
      'each object once',
    );
  seen.set(key, before ?? `${file}:${document.locate(base).line}`);
}

function kindOf(value: unknown): string {
  const record: UnknownRecord = isRecord(value) ? value : {};
  return textField(record, 'kind') ?? '';
}
