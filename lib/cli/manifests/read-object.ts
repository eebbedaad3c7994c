import { checkNodeClass } from './check-node-class.ts';
import { checkNodePool } from './check-node-pool.ts';
import { checkScenario } from './check-scenario.ts';
import { checkPod, checkPodDisruptionBudget, checkWorkload } from './check-workload.ts';
import type { ReadKind } from './classify.ts';
import type { Report } from './problem.ts';
import { fieldOf, isRecord, type UnknownRecord } from './record.ts';
import { isValid, type ReadObjects, SCHEMAS } from './validate.ts';
import { withoutNulls } from './without-nulls.ts';

interface ReadObjectOf<K extends ReadKind> {
  readonly kind: K;
  readonly object: ReadObjects[K];
}

/** A valid object with its kind, so that a switch tells its type. */
export type ReadObject = { [K in ReadKind]: ReadObjectOf<K> }[ReadKind];

type Reader<K extends ReadKind> = (value: unknown, report: Report) => ReadObjectOf<K> | undefined;

const READERS: { readonly [K in ReadKind]: Reader<K> } = {
  NodePool: reader('NodePool', checkNodePool),
  EC2NodeClass: reader('EC2NodeClass', checkNodeClass),
  Deployment: reader('Deployment', checkWorkload),
  DaemonSet: reader('DaemonSet', checkWorkload),
  Pod: reader('Pod', checkPod),
  PodDisruptionBudget: reader('PodDisruptionBudget', checkPodDisruptionBudget),
  Scenario: reader('Scenario', checkScenario),
};

const CUSTOM: ReadonlySet<ReadKind> = new Set<ReadKind>(['NodePool', 'EC2NodeClass', 'Scenario']);

/** The object, or undefined where faults were reported. Rules over several fields run once every field is sound. */
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

/** The object as the server would store it: no nulls, a namespace where the kind has one, and no status from elsewhere. */
function prepare(kind: ReadKind, value: UnknownRecord): unknown {
  const clean = withoutNulls(value, SCHEMAS[kind], CUSTOM.has(kind));
  if (!isRecord(clean)) return clean;
  const { status: _, ...rest } = clean;
  const metadata = fieldOf(rest, 'metadata');
  return isRecord(metadata) ? { ...rest, metadata: withNamespace(metadata, CUSTOM.has(kind)) } : rest;
}

/** The server drops a namespace from what has none, and `kubectl` fills in `default` for the others. */
function withNamespace(metadata: UnknownRecord, clusterScoped: boolean): UnknownRecord {
  const { namespace, ...rest } = metadata;
  if (clusterScoped && typeof namespace === 'string') return rest;
  return { ...rest, namespace: namespace === undefined || namespace === '' ? 'default' : namespace };
}
