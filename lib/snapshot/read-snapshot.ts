import type { CapacityBuffer } from '../apis/capacity-buffer.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import type { NamedPodTemplate, ScalableWorkload, Service } from '../apis/kubernetes.ts';
import type { NodeOverlay } from '../apis/node-overlay.ts';
import { parseTime } from '../apis/time.ts';
import { suggest } from '../cli/manifests/suggest.ts';
import type { UnavailableOffering } from '../core/action.ts';
import { DEFAULT_SETTINGS } from '../core/cluster/settings.ts';
import type { ClusterSnapshot } from '../core/cluster/snapshot.ts';
import type { InstanceType } from '../core/instance-type/instance-type.ts';
import { UNAVAILABLE_MS } from '../core/instance-type/unavailable.ts';
import type { SchedulingOptions } from '../core/scheduling/options.ts';
import {
  ENTRY_SCHEMAS,
  type GivenNomination,
  type GivenUnavailableOffering,
  HEAD_SCHEMA,
  type SnapshotHead,
} from './document-schemas.ts';
import { filledNamespaces, filledNode, filledPod, withNamespace } from './fill-in.ts';
import { readInstanceTypes } from './instance-type-files.ts';
import { instanceTypesFrom } from './instance-types.ts';
import { nodeClaimRecords } from './node-claim-records.ts';
import { nodePoolViews } from './node-pool-views.ts';
import { readDocument, type SnapshotDocument } from './read-document.ts';
import type { TextReader } from './read-snapshot-text.ts';
import { readSnapshotText } from './read-snapshot-text.ts';
import { refuseDuplicates } from './refuse-duplicates.ts';

/** A snapshot file as decisions take it, and what of it they are not given as it is. */
export interface ReadSnapshot {
  readonly snapshot: ClusterSnapshot;
  /** The moment that it shows. */
  readonly nowMs: number;
  readonly seed: number;
  readonly options: NonNullable<SnapshotHead['options']>;
  /** Every instance type of the files, whichever pool sees it. */
  readonly instanceTypes: readonly InstanceType[];
  readonly nodePoolInstanceTypes: NonNullable<SnapshotHead['nodePoolInstanceTypes']>;
  readonly nodeClasses: readonly EC2NodeClass[];
  readonly nodeOverlays: readonly NodeOverlay[];
  readonly buffers: {
    readonly capacityBuffers: readonly CapacityBuffer[];
    readonly podTemplates: readonly NamedPodTemplate[];
    readonly deployments: readonly ScalableWorkload[];
    readonly replicaSets: readonly ScalableWorkload[];
    readonly statefulSets: readonly ScalableWorkload[];
  };
  readonly services: readonly Service[];
  /** What is surely not meant, a line each. */
  readonly warnings: readonly string[];
}

export interface SnapshotSource {
  readonly path: string;
  /** The wall clock, for a snapshot that does not say when it was taken. */
  readonly nowMs: number;
}

/**
 * Reads a snapshot and fills in what it leaves out. *Errors:* BadInputError that names the field, its value and what is
 * allowed. *Cost:* O(size of the files).
 */
export function readSnapshot(context: TextReader, { path, nowMs: clockMs }: SnapshotSource): ReadSnapshot {
  const document = readDocument(readSnapshotText(context, path, path), path);
  const { head } = document;
  const { options = {}, seed = 1, name: cluster = 'snapshot', nodePoolInstanceTypes = {} } = head;
  const nowMs = options.now === undefined ? clockMs : parseTime(options.now);
  const objects = readObjects(document);
  const unavailable = unavailableFrom(document.list('unavailableOfferings'), nowMs);
  const sources = readInstanceTypes(context, document);
  const kept = head.instanceTypeNames === undefined ? undefined : new Set(head.instanceTypeNames);
  const given = sources.map(({ type }) => type).filter(({ name }) => kept?.has(name) ?? true);
  const reservedCapacity = options.reservedCapacity === true;
  const instanceTypes = instanceTypesFrom(given, { unavailable, reservedCapacity });
  const nodeClasses = document.list('nodeClasses');
  const nodePools = nodePoolViews(document.list('nodePools'), { nodeClasses, instanceTypes, nodePoolInstanceTypes });
  const typesOf = new Map(nodePools.map((view) => [view.nodePool.metadata.name, view.instanceTypes]));
  const { nodes, pods, namespaces, storage, buffers, services, ...workloads } = objects;
  return {
    snapshot: {
      cluster,
      epoch: 0,
      nodePools,
      nodes,
      pods,
      namespaces,
      storage,
      ...workloads,
      nodeClaims: nodeClaimRecords(document.list('nodeClaims'), {
        cluster,
        nodes,
        instanceTypesOf: (nodePool) => typesOf.get(nodePool) ?? instanceTypes,
      }),
      commands: document.list('commands'),
      unavailable,
      nominated: nominatedFrom(document.list('nominations'), nowMs),
      options: schedulingOptions(options),
      ignoreAtZero: options.ignoreAtZero ?? DEFAULT_SETTINGS.ignoreAtZero,
    },
    nowMs,
    seed,
    options,
    instanceTypes,
    nodePoolInstanceTypes,
    nodeClasses,
    nodeOverlays: document.list('nodeOverlays'),
    buffers,
    services,
    warnings: [...warningsOf(document), ...unknownTypes(document, new Set(sources.map(({ type }) => type.name)))],
  };
}

function schedulingOptions({ preferencePolicy, minValuesPolicy }: ReadSnapshot['options']): SchedulingOptions {
  return {
    ...(preferencePolicy === undefined ? {} : { preferencePolicy }),
    ...(minValuesPolicy === undefined ? {} : { minValuesPolicy }),
  };
}

/** The objects of Kubernetes itself, whole and each once. */
function readObjects(document: SnapshotDocument) {
  const { file } = document;
  const pods = document.list('pods').map(filledPod);
  refuseDuplicates(file, 'pods', pods);
  for (const name of ['nodes', 'nodePools', 'nodeClasses', 'nodeClaims', 'namespaces'] as const)
    refuseDuplicates(file, name, document.list(name));
  const daemonSets = document.list('daemonSets').map(withNamespace);
  return {
    nodes: document.list('nodes').map(filledNode),
    pods,
    daemonSets,
    podDisruptionBudgets: document.list('pdbs').map(withNamespace),
    namespaces: filledNamespaces(document.list('namespaces'), [...pods, ...daemonSets]),
    storage: {
      persistentVolumeClaims: document.list('pvcs').map(withNamespace),
      persistentVolumes: document.list('pvs'),
      storageClasses: document.list('storageClasses'),
      csiNodes: document.list('csiNodes'),
    },
    buffers: {
      capacityBuffers: document.list('capacityBuffers').map(withNamespace),
      podTemplates: document.list('podTemplates').map(withNamespace),
      deployments: document.list('deployments').map(withNamespace),
      replicaSets: document.list('replicaSets').map(withNamespace),
      statefulSets: document.list('statefulSets').map(withNamespace),
    },
    services: document.list('services').map(withNamespace),
  };
}

/** C32: what does not say for how long has only just been refused. */
function unavailableFrom(given: readonly GivenUnavailableOffering[], nowMs: number): readonly UnavailableOffering[] {
  return given
    .map(({ instanceType, zone, capacityType, until, reason = 'InsufficientInstanceCapacity' }) => ({
      instanceType,
      zone,
      capacityType,
      untilMs: until === undefined ? nowMs + UNAVAILABLE_MS : parseTime(until),
      reason,
    }))
    .filter(({ untilMs }) => untilMs > nowMs);
}

function nominatedFrom(given: readonly GivenNomination[], nowMs: number): ReadonlySet<string> {
  return new Set(given.filter(({ until }) => until === undefined || parseTime(until) > nowMs).map(({ node }) => node));
}

const FIELDS = Object.keys({ ...HEAD_SCHEMA.properties, ...ENTRY_SCHEMAS });

/** A field that nobody reads may be a slip in the name of one that is missing. */
function warningsOf({ file, fields }: SnapshotDocument): readonly string[] {
  const missing = FIELDS.filter((name) => !fields.includes(name));
  return fields
    .filter((name) => !FIELDS.includes(name))
    .flatMap((name) => {
      const meant = suggest(name, missing);
      return meant === undefined ? [] : [`${file}: ${JSON.stringify(name)} is not read; did you mean ${meant}?`];
    });
}

function unknownTypes({ file, head }: SnapshotDocument, known: ReadonlySet<string>): readonly string[] {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['instanceTypeNames', head.instanceTypeNames ?? []],
    ...Object.entries(head.nodePoolInstanceTypes ?? {}).map(
      ([nodePool, names]) => [`nodePoolInstanceTypes.${nodePool}`, names] as const,
    ),
  ];
  return lists.flatMap(([field, names]) => {
    const [first, ...more] = names.filter((name) => !known.has(name));
    if (first === undefined) return [];
    const others = more.length === 0 ? '' : ` and ${more.length} more`;
    return [`${file}: ${field}: no instance type of the snapshot has the name ${JSON.stringify(first)}${others}`];
  });
}
