import { withDefaults } from '../../apis/formats/with-defaults.ts';
import { fieldOf, isRecord, type UnknownRecord } from '../../apis/record.ts';
import { suggest } from '../../core/suggest.ts';
import { amountProblems, durationProblems } from '../../core/validation/decoding.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';
import { nodeClassProblems } from '../../core/validation/node-class.ts';
import { nodeOverlayProblems } from '../../core/validation/node-overlay.ts';
import { nodePoolProblems } from '../../core/validation/node-pool.ts';
import { checkAutoscaler } from '../check/check-autoscaler.ts';
import { checkCronJob, checkJob } from '../check/check-job.ts';
import { checkScenario } from '../check/check-scenario.ts';
import { checkPersistentVolume, checkPriorityClass, checkVolumeClaim } from '../check/check-storage.ts';
import {
  checkPod,
  checkPodDisruptionBudget,
  checkPodTemplate,
  checkStatefulSet,
  checkWorkload,
} from '../check/check-workload.ts';
import { isValid, type ReadObjects, SCHEMAS } from '../check/validate.ts';
import type { Path, Report } from '../explain/problem.ts';
import type { ReadKind } from './classify.ts';
import { withoutNulls } from './without-nulls.ts';

interface ReadObjectOf<K extends ReadKind> {
  readonly kind: K;
  readonly object: ReadObjects[K];
}

/** A valid object with its kind, so that a switch on the kind narrows its type. */
export type ReadObject = { [K in ReadKind]: ReadObjectOf<K> }[ReadKind];

type Reader<K extends ReadKind> = (value: unknown, report: Report) => ReadObjectOf<K> | undefined;

const READERS: { readonly [K in ReadKind]: Reader<K> } = {
  NodePool: reader('NodePool', (nodePool, report) => reportAll(nodePoolProblems(nodePool), [], report)),
  NodeClaim: reader('NodeClaim', ({ spec }, report) => {
    const { expireAfter, terminationGracePeriod, resources } = spec;
    reportAll(durationProblems({ expireAfter, terminationGracePeriod }, ['spec']), [], report);
    reportAll(amountProblems(resources?.requests, ['spec', 'resources', 'requests']), [], report);
  }),
  NodeOverlay: reader('NodeOverlay', (overlay, report) => reportAll(nodeOverlayProblems(overlay), [], report)),
  EC2NodeClass: reader('EC2NodeClass', (nodeClass, report) => reportAll(nodeClassProblems(nodeClass), [], report)),
  CapacityBuffer: reader('CapacityBuffer', ({ spec }, report) =>
    reportAll(amountProblems(spec.limits, ['spec', 'limits']), [], report),
  ),
  Deployment: reader('Deployment', checkWorkload),
  DaemonSet: reader('DaemonSet', checkWorkload),
  ReplicaSet: reader('ReplicaSet', checkWorkload),
  StatefulSet: reader('StatefulSet', checkStatefulSet),
  Job: reader('Job', checkJob),
  CronJob: reader('CronJob', checkCronJob),
  HorizontalPodAutoscaler: reader('HorizontalPodAutoscaler', checkAutoscaler),
  Pod: reader('Pod', checkPod),
  PodTemplate: reader('PodTemplate', checkPodTemplate),
  PodDisruptionBudget: reader('PodDisruptionBudget', checkPodDisruptionBudget),
  PersistentVolume: reader('PersistentVolume', checkPersistentVolume),
  PersistentVolumeClaim: reader('PersistentVolumeClaim', checkVolumeClaim),
  StorageClass: reader('StorageClass', () => {}),
  PriorityClass: reader('PriorityClass', checkPriorityClass),
  LimitRange: reader('LimitRange', () => {}),
  RuntimeClass: reader('RuntimeClass', () => {}),
  Namespace: reader('Namespace', () => {}),
  Scenario: reader('Scenario', checkScenario),
};

/** The kinds that a CRD defines: their fields have defaults, and a null value differs from an absent field. */
const CUSTOM: ReadonlySet<ReadKind> = new Set<ReadKind>([
  'NodePool',
  'NodeClaim',
  'NodeOverlay',
  'EC2NodeClass',
  'CapacityBuffer',
  'Scenario',
]);

const CLUSTER_SCOPED: ReadonlySet<ReadKind> = new Set<ReadKind>([
  'PersistentVolume',
  'StorageClass',
  'PriorityClass',
  'RuntimeClass',
  'Namespace',
]);

/** True for kinds that are namespaced. */
export function isNamespaced(kind: ReadKind): boolean {
  return kind === 'CapacityBuffer' || !(CUSTOM.has(kind) || CLUSTER_SCOPED.has(kind));
}

/** Returns the object, or undefined where errors were reported. Rules over several fields run only if every field is valid. */
export function readObject(kind: ReadKind, value: UnknownRecord, report: Report): ReadObject | undefined {
  let faults = 0;
  const counted: Report = (...fault) => {
    faults += 1;
    report(...fault);
  };
  const read = READERS[kind](prepare(kind, value), counted);
  return faults === 0 ? read : undefined;
}

function reader<K extends ReadKind>(kind: K, check: (object: ReadObjects[K], report: Report) => void): Reader<K> {
  return (value, report) => {
    if (!isValid(kind, value, report)) return undefined;
    check(value, report);
    return { kind, object: value };
  };
}

function reportAll(problems: readonly FieldProblem[], base: Path, report: Report): void {
  for (const { path, message, allowed, known = [] } of problems) {
    const meant = suggest(String(path.at(-1)), known);
    report([...base, ...path], meant === undefined ? message : `${message}; did you mean ${meant}?`, allowed);
  }
}

/** The object as the server would store it: without nulls and status, with defaults, and namespaced if its kind is. */
function prepare(kind: ReadKind, value: UnknownRecord): unknown {
  const custom = CUSTOM.has(kind);
  const clean = withoutNulls(value, SCHEMAS[kind], custom);
  if (!isRecord(clean)) return clean;
  const { status: _, ...rest } = clean;
  const metadata = fieldOf(rest, 'metadata');
  const whole = isRecord(metadata)
    ? { ...rest, metadata: withNamespace(withName(metadata), isNamespaced(kind)) }
    : rest;
  return custom ? withDefaults(whole, SCHEMAS[kind]) : whole;
}

/** The server completes `generateName` with five characters. */
function withName(metadata: UnknownRecord): UnknownRecord {
  const { name, generateName } = metadata;
  if ((name !== undefined && name !== '') || typeof generateName !== 'string' || generateName === '') return metadata;
  return { ...metadata, name: `${generateName.slice(0, 58)}00000` };
}

/** The server drops the namespace of cluster-scoped objects; `kubectl` fills in `default` for namespaced ones. */
function withNamespace(metadata: UnknownRecord, namespaced: boolean): UnknownRecord {
  const { namespace, ...rest } = metadata;
  if (!namespaced && typeof namespace === 'string') return rest;
  return { ...rest, namespace: namespace === undefined || namespace === '' ? 'default' : namespace };
}
