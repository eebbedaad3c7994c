import type { ClusterManifests } from '../../apis/cluster-manifests.ts';
import { counted } from '../../apis/counted.ts';
import { quote } from '../../apis/formats/quote.ts';
import { fieldOf, isRecord, ownField, textField, type UnknownRecord } from '../../apis/record.ts';
import { parseScenario, type Scenario } from '../../apis/scenario/scenario.ts';
import { checkTogether, type Declared } from '../check/check-together.ts';
import type { ManifestProblem, Report } from '../explain/problem.ts';
import { classify, type ReadKind } from './classify.ts';
import { type IgnoredObject, ignoredObject } from './ignored-object.ts';
import type { PassedOver } from './passed-over.ts';
import { createdNote, playOf } from './play-of.ts';
import { type ManifestSource, readDocuments } from './read-documents.ts';
import { isNamespaced, type ReadObject, readObject } from './read-object.ts';
import { reporterOf, type SourceObject } from './source-object.ts';

/** The objects of all files, each kind in the order of the files. Namespaced objects always have a namespace. */
export interface ParsedManifests extends ClusterManifests {
  readonly scenarios: readonly Scenario[];
  readonly ignored: readonly IgnoredObject[];
}

export interface ReadManifests {
  /** Complete only where there are no problems. */
  readonly manifests: ParsedManifests;
  readonly problems: readonly ManifestProblem[];
  /** What the conversion of old manifests changed, assumed or left out. */
  readonly warnings: readonly ManifestProblem[];
  /** Files and documents that are not objects of a cluster, such as Kustomizations. */
  readonly passedOver: readonly PassedOver[];
}

/** Limits the output for a file that is invalid throughout. */
const MAX_PROBLEMS_PER_FILE = 20;

/**
 * Reads Kubernetes YAML and JSON. *Shape:* the valid objects, and the problems in the order of files and lines. A
 * simulation runs only where there are no problems. *Cost:* O(size of the text).
 */
export function readManifests(sources: readonly ManifestSource[]): ReadManifests {
  const reading: Reading = { problems: [], ignored: [], declared: [], objects: [], generated: new Map() };
  const { objects, problems, passedOver } = readDocuments(sources);
  const written = objects.map((object) => object.written);
  reading.problems.push(...problems, ...emptyFiles(sources, [...written, ...problems, ...passedOver]));
  for (const { today } of objects) for (const object of today) readOne(object, reading);
  // A reference may point into a file that could not be read.
  if (problems.length === 0) checkTogether(reading);
  const order = new Map(sources.map(({ file }, index) => [file, index]));
  const warnings = objects.flatMap((object) => object.warnings);
  return {
    manifests: manifestsOf(withoutCreated(reading)),
    problems: cut(reading.problems, order),
    warnings,
    passedOver,
  };
}

interface Reading {
  readonly problems: ManifestProblem[];
  readonly ignored: IgnoredObject[];
  readonly declared: Declared[];
  readonly objects: (ReadObject & { readonly report: Report; readonly source: SourceObject })[];
  /** The number of pods named from each `generateName`. */
  readonly generated: Map<string, number>;
}

/** Exports of a cluster have workloads and also what these have created, which must not be simulated twice. */
function withoutCreated({ objects, ...reading }: Reading): Reading {
  const kept = objects.filter((read) => {
    const note = createdNote(read, reading.declared);
    if (note !== undefined) reading.ignored.push(ignoredObject(read.source, note));
    return note === undefined;
  });
  return { ...reading, objects: kept };
}

function emptyFiles(
  sources: readonly ManifestSource[],
  read: readonly { readonly file: string }[],
): readonly ManifestProblem[] {
  const allowed = 'at least one object with apiVersion, kind, metadata and spec';
  return sources
    .filter(({ file }) => !read.some((one) => one.file === file))
    .map(({ file }) => ({ file, line: 1, field: '', message: 'the file contains no object', allowed }));
}

function readOne(object: SourceObject, reading: Reading): void {
  const { value } = object;
  const report = reporterOf(object, reading.problems);
  if (!isRecord(value)) return report([], notAnObject(value), 'an object with apiVersion, kind, metadata and spec');
  if (textField(value, 'kind') === 'List') return report(['items'], 'is not a list', 'the objects, each after "- "');
  const found = classify(value);
  switch (found.kind) {
    case 'wrong':
      return report([found.field], found.message, found.allowed);
    case 'ignored':
      reading.ignored.push(ignoredObject(object, found.note));
      return;
    case 'read': {
      const named = withGeneratedName(found.readKind, value, reading.generated);
      reading.declared.push(...declare(found.readKind, { ...object, value: named }, report));
      const read = readObject(found.readKind, named, report);
      if (read === undefined) return;
      const { isLeftOut, notes } = playOf(read);
      if (!isLeftOut) reading.objects.push({ ...read, report, source: object });
      reading.ignored.push(...notes.map((note) => ignoredObject(object, note)));
    }
  }
}

function notAnObject(value: unknown): string {
  if (Array.isArray(value))
    return 'this document is a list: separate the objects with lines of "---", or make them the items of a List';
  return `this document is ${typeof value === 'string' ? 'the text ' : ''}${quote(value)}, not an object`;
}

/** The server completes `generateName` with a random suffix; here the suffix is a number. */
function withGeneratedName(kind: ReadKind, value: UnknownRecord, generated: Map<string, number>): UnknownRecord {
  const metadata = fieldOf(value, 'metadata');
  const start = textField(metadata, 'generateName');
  if (kind !== 'Pod' || !isRecord(metadata) || start === undefined || Object.hasOwn(metadata, 'name')) return value;
  const key = `${textField(metadata, 'namespace') ?? 'default'}/${start}`;
  const count = (generated.get(key) ?? 0) + 1;
  generated.set(key, count);
  return { ...value, metadata: { ...metadata, name: `${start}${String(count).padStart(5, '0')}` } };
}

function declare(kind: ReadKind, object: SourceObject, report: Report): readonly Declared[] {
  const metadata = ownField(object.value, 'metadata');
  const name = textField(metadata, 'name');
  if (name === undefined) return [];
  const namespace = textField(metadata, 'namespace') ?? 'default';
  const place = `${object.file}:${object.document.locate([...object.base, 'metadata', 'name']).line}`;
  return [{ kind, key: isNamespaced(kind) ? `${namespace}/${name}` : name, place, report }];
}

function manifestsOf({ objects, ignored }: Reading): ParsedManifests {
  return {
    nodePools: objects.flatMap((read) => (read.kind === 'NodePool' ? [read.object] : [])),
    nodeClasses: objects.flatMap((read) => (read.kind === 'EC2NodeClass' ? [read.object] : [])),
    deployments: objects.flatMap((read) => (read.kind === 'Deployment' ? [read.object] : [])),
    daemonSets: objects.flatMap((read) => (read.kind === 'DaemonSet' ? [read.object] : [])),
    replicaSets: objects.flatMap((read) => (read.kind === 'ReplicaSet' ? [read.object] : [])),
    statefulSets: objects.flatMap((read) => (read.kind === 'StatefulSet' ? [read.object] : [])),
    jobs: objects.flatMap((read) => (read.kind === 'Job' ? [read.object] : [])),
    horizontalPodAutoscalers: objects.flatMap((read) => (read.kind === 'HorizontalPodAutoscaler' ? [read.object] : [])),
    cronJobs: objects.flatMap((read) => (read.kind === 'CronJob' ? [read.object] : [])),
    pods: objects.flatMap((read) => (read.kind === 'Pod' ? [read.object] : [])),
    podDisruptionBudgets: objects.flatMap((read) => (read.kind === 'PodDisruptionBudget' ? [read.object] : [])),
    nodeOverlays: objects.flatMap((read) => (read.kind === 'NodeOverlay' ? [read.object] : [])),
    capacityBuffers: objects.flatMap((read) => (read.kind === 'CapacityBuffer' ? [read.object] : [])),
    podTemplates: objects.flatMap((read) => (read.kind === 'PodTemplate' ? [read.object] : [])),
    priorityClasses: objects.flatMap((read) => (read.kind === 'PriorityClass' ? [read.object] : [])),
    runtimeClasses: objects.flatMap((read) => (read.kind === 'RuntimeClass' ? [read.object] : [])),
    namespaces: objects.flatMap((read) => (read.kind === 'Namespace' ? [read.object] : [])),
    limitRanges: objects.flatMap((read) => (read.kind === 'LimitRange' ? [read.object] : [])),
    persistentVolumes: objects.flatMap((read) => (read.kind === 'PersistentVolume' ? [read.object] : [])),
    persistentVolumeClaims: objects.flatMap((read) => (read.kind === 'PersistentVolumeClaim' ? [read.object] : [])),
    storageClasses: objects.flatMap((read) => (read.kind === 'StorageClass' ? [read.object] : [])),
    scenarios: objects.flatMap((read) =>
      read.kind === 'Scenario' ? [parseScenario(read.object, read.source.file)] : [],
    ),
    ignored,
  };
}

/** Sorts problems by file and line, and replaces those beyond the limit of a file with their count. */
function cut(problems: readonly ManifestProblem[], order: ReadonlyMap<string, number>): readonly ManifestProblem[] {
  const sorted = problems.toSorted((a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || a.line - b.line);
  return [...order.keys()].flatMap((file) => {
    const ofFile = sorted.filter((problem) => problem.file === file);
    const next = ofFile[MAX_PROBLEMS_PER_FILE];
    if (next === undefined) return ofFile;
    const rest = ofFile.length - MAX_PROBLEMS_PER_FILE;
    return [
      ...ofFile.slice(0, MAX_PROBLEMS_PER_FILE),
      {
        file,
        line: next.line,
        field: '',
        message: `${counted(rest, 'more problem')} from this line on`,
      },
    ];
  });
}
