import { podKey } from '../../apis/kubernetes.ts';
import { isRecord, ownField, textField, type UnknownRecord } from '../../apis/record.ts';
import type { ManifestProblem, Report } from '../../manifests/explain/problem.ts';
import { classify } from '../../manifests/read/classify.ts';
import { type IgnoredObject, ignoredObject } from '../../manifests/read/ignored-object.ts';
import { createdNote, playOf } from '../../manifests/read/play-of.ts';
import { type ManifestSource, readDocuments } from '../../manifests/read/read-documents.ts';
import { type ReadObject, readObject } from '../../manifests/read/read-object.ts';
import { objectLabelOf, reporterOf, type SourceObject } from '../../manifests/read/source-object.ts';
import { ignoredNotes, NOT_PLANNED, passedOverNotes } from '../render/ignored-notes.ts';

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
  const passed: IgnoredObject[] = [];
  const seen = new Map<string, string>();
  for (const source of documents.flatMap(({ today }) => today)) {
    const report = reporterOf(source, problems);
    reportTwice(source, seen, report);
    const { value } = source;
    const kind = kindOf(value);
    const note = ignored.get(kind) ?? noteOnKind(value, isWholeCluster);
    if (note !== undefined) passed.push(ignoredObject(source, note));
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
    notes: [...passedOverNotes(passedOver), ...ignoredNotes([...passed, ...leftOut])],
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
    return { read, ignored: why === undefined ? [] : [ignoredObject(source, why)] };
  });
  return {
    objects: judged.flatMap(({ read, ignored }) => (ignored.length === 0 ? [read] : [])),
    leftOut: judged.flatMap(({ ignored }) => ignored),
  };
}

/** Why an object has no effect on a plan, by its kind. *Shape:* undefined for a kind that is read, and for an invalid one. */
function noteOnKind(value: unknown, isWholeCluster: boolean): string | undefined {
  const kind = kindOf(value);
  const note = (isWholeCluster ? WITHOUT_SNAPSHOT : OVER_SNAPSHOT).get(kind) ?? NOTES.get(kind);
  return note ?? (classify(value).kind === 'ignored' ? NOT_PLANNED : undefined);
}

const OVER_SNAPSHOT: ReadonlyMap<string, string> = new Map([
  ['NodeClaim', 'ignored: NodeClaims come from the snapshot'],
  ['EC2NodeClass', 'ignored: instance types come from the snapshot'],
  ['Node', 'ignored: nodes come from the snapshot'],
]);

const NO_NODES = 'ignored: without a snapshot, the cluster of a plan has no nodes';

const WITHOUT_SNAPSHOT: ReadonlyMap<string, string> = new Map([
  ['NodeClaim', NO_NODES],
  ['Node', NO_NODES],
]);

const NO_PODS = 'ignored: pods of this kind are not planned';
const SAME_REPLICAS = 'ignored: its target keeps its replicas';

const NOTES: ReadonlyMap<string, string> = new Map([
  ['CronJob', NO_PODS],
  ['ReplicationController', NO_PODS],
  ['Rollout', NO_PODS],
  ['ScaledJob', NO_PODS],
  ['Workflow', NO_PODS],
  ['CronWorkflow', NO_PODS],
  ['HorizontalPodAutoscaler', SAME_REPLICAS],
  ['ScaledObject', SAME_REPLICAS],
  ['VerticalPodAutoscaler', 'ignored: the requests of its target stay as they are'],
  ['PriorityClass', 'ignored: no pod of a plan preempts another'],
  ['ResourceQuota', 'ignored: quotas are not enforced'],
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
