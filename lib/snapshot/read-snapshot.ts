import type { CapacityBuffer } from '../apis/capacity-buffer.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import { parseTime } from '../apis/formats/time.ts';
import type { LimitRange, NamedPodTemplate, ScalableWorkload, Service } from '../apis/kubernetes.ts';
import type { NodeOverlay } from '../apis/node-overlay.ts';
import { optional } from '../apis/optional.ts';
import { filledNamespaces } from '../core/cluster/namespaces.ts';
import { namesOf, withoutLostNominations } from '../core/cluster/nominated-node.ts';
import { UNAVAILABLE_MS } from '../core/instance-type/offerings/unavailable.ts';
import type { ClusterSnapshot } from '../core/model/cluster-snapshot.ts';
import type { UnavailableOffering } from '../core/model/decision.ts';
import type { PassMemory } from '../core/model/disruption/pass-memory.ts';
import { commandFromStored } from '../core/model/disruption-command.ts';
import type { InstanceType } from '../core/model/instance-type.ts';
import type { NodeClaimRecord } from '../core/model/node-claim-record.ts';
import type { SchedulingOptions } from '../core/model/scheduling-options.ts';
import { DEFAULT_SETTINGS } from '../core/model/settings.ts';
import { suggest } from '../core/suggest.ts';
import { ENTRY_SCHEMAS, type GivenNomination, type ListName } from './document-schemas.ts';
import { filledNode, filledPod, withDefaultNamespace } from './fill-in.ts';
import { HEAD_SCHEMA, type SnapshotHead, type StoredDecision } from './head-schema.ts';
import { readInstanceTypes } from './instance-type-files.ts';
import { instanceTypesFrom } from './instance-types.ts';
import { type ClaimContext, nodeClaimRecords } from './node-claim-records.ts';
import { nodePoolViews } from './node-pool-views.ts';
import { readDocument, refuse, type SnapshotDocument } from './read-document.ts';
import type { TextReader } from './read-snapshot-text.ts';
import { readSnapshotText } from './read-snapshot-text.ts';
import { refuseDuplicates } from './refuse-duplicates.ts';

/** A snapshot file in the form that decisions read, with the objects that are processed separately. */
export interface ReadSnapshot {
  readonly snapshot: ClusterSnapshot;
  /** The time of the snapshot. */
  readonly nowMs: number;
  readonly seed: number;
  readonly options: NonNullable<SnapshotHead['options']>;
  /** All instance types of the files, for all NodePools. */
  readonly instanceTypes: readonly InstanceType[];
  readonly instanceTypesOf: (nodePool: string) => readonly InstanceType[];
  /** In a complete snapshot: why NodePools cannot launch nodes. */
  readonly unusable?: NonNullable<SnapshotHead['unusableNodePools']>;
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
  /** They apply to pods that a plan adds. */
  readonly limitRanges: readonly LimitRange[];
  /** The decision that was made on the snapshot. @default none is in the file */
  readonly decided?: StoredDecision;
  /** Warnings about probable mistakes. */
  readonly warnings: readonly string[];
}

export interface SnapshotSource {
  readonly path: string;
  /** The current time, for a snapshot without a time. */
  readonly nowMs: number;
}

/**
 * Reads a snapshot and adds defaults. *Errors:* BadInputError with the field, its value and what is allowed.
 * *Cost:* O(size of the files).
 */
export function readSnapshot(context: TextReader, { path, nowMs: clockMs }: SnapshotSource): ReadSnapshot {
  const document = readDocument(readSnapshotText(context, path, path), path, 'snapshot');
  const { head } = document;
  const { options = {}, seed = 1, name: cluster = 'snapshot', complete = false, epoch = 0 } = head;
  const nowMs = options.now === undefined ? clockMs : parseTime(options.now);
  const unavailable = unavailableFrom(document, nowMs);
  const nodeClasses = document.list('nodeClasses');
  const { instanceTypes, instanceTypesOf, warnings } = readTypes(context, document, unavailable);
  const unusable = complete ? { unusable: head.unusableNodePools ?? {} } : {};
  const nodePools = nodePoolViews(document.list('nodePools'), { nodeClasses, instanceTypesOf, ...unusable });
  const ignoreAtZero = options.ignoreAtZero ?? (complete ? [] : DEFAULT_SETTINGS.ignoreAtZero);
  const { buffers, services, limitRanges, ...objects } = readObjects(document);
  return {
    snapshot: {
      cluster,
      epoch,
      nodePools,
      ...objects,
      bufferPods: document.list('bufferPods'),
      nodeClaims: readClaims(document, {
        cluster,
        nodes: objects.nodes,
        nodePools: document.list('nodePools'),
        staticCapacity: options.staticCapacity,
        instanceTypesOf,
      }),
      commands: document.list('commands').map(commandFromStored),
      ...passMemoryFrom({
        rejected: document.list('rejectedNodes'),
        stopped: document.list('stoppedMethods'),
        failing: document.list('failingPools'),
      }),
      ...(document.list('pastMoves').length > 0 && { pastMoves: document.list('pastMoves') }),
      ...(document.list('unusedLaunches').length > 0 && { unusedLaunches: document.list('unusedLaunches') }),
      unavailable,
      nominated: nominatedFrom(document.list('nominations'), nowMs),
      options: schedulingOptions(options),
      ignoreAtZero,
      ignoredObjects: document.list('ignoredObjects'),
    },
    nowMs,
    seed,
    options,
    instanceTypes,
    instanceTypesOf,
    ...unusable,
    nodeClasses,
    nodeOverlays: document.list('nodeOverlays'),
    buffers,
    services,
    limitRanges,
    ...optional({ decided: head.decided }),
    warnings: [...warningsOf(document), ...warnings],
  };
}

function passMemoryFrom(passMemory: PassMemory): Pick<ClusterSnapshot, 'passMemory'> {
  return Object.values(passMemory).every(({ length }) => length === 0) ? {} : { passMemory };
}

/** The instance types of all files, and those of each NodePool. */
function readTypes(context: TextReader, document: SnapshotDocument, unavailable: readonly UnavailableOffering[]) {
  const { instanceTypeNames, nodePoolInstanceTypes = {}, options = {}, complete = false } = document.head;
  const sources = readInstanceTypes(context, document);
  const kept = instanceTypeNames === undefined ? undefined : new Set(instanceTypeNames);
  const given = sources.map(({ type }) => type).filter(({ name }) => kept?.has(name) ?? true);
  const reservedCapacity = options.reservedCapacity === true;
  const instanceTypes = instanceTypesFrom(given, { unavailable, reservedCapacity, complete });
  return {
    instanceTypes,
    instanceTypesOf: (nodePool: string): readonly InstanceType[] => {
      const names = Object.hasOwn(nodePoolInstanceTypes, nodePool)
        ? new Set(nodePoolInstanceTypes[nodePool])
        : undefined;
      if (names === undefined && given.every((type) => type.nodePools === undefined)) return instanceTypes;
      return instanceTypes.filter(
        ({ name }, index) => (names?.has(name) ?? true) && (given[index]?.nodePools?.includes(nodePool) ?? true),
      );
    },
    warnings: unknownTypes(document, new Set(sources.map(({ type }) => type.name))),
  };
}

/** Records come before NodeClaim objects, because they are complete. */
function readClaims(document: SnapshotDocument, surroundings: ClaimContext): readonly NodeClaimRecord[] {
  const records = document.list('nodeClaimRecords');
  const broken = records.findIndex(({ launch }) => launch.kind === 'launched' && !Object.hasOwn(launch, 'instance'));
  if (broken >= 0)
    refuse(document.file, [
      `nodeClaimRecords[${broken}].launch: kind is launched, but instance is missing; add the instance`,
    ]);
  const known = new Set(records.map(({ name }) => name));
  const others = document.list('nodeClaims').filter(({ metadata }) => !known.has(metadata.name));
  return [...records, ...nodeClaimRecords(others, surroundings)];
}

function schedulingOptions(options: ReadSnapshot['options']): SchedulingOptions {
  const { preferencePolicy, preferencePriceFactor, minValuesPolicy, reservedFallback } = options;
  const { spotToSpotConsolidation, fleetConsolidation, lowScoreWaits, softTaints, staticCapacity } = options;
  return {
    ...optional({ reservedFallback, preferencePolicy, preferencePriceFactor, minValuesPolicy }),
    ...optional({ fleetConsolidation, lowScoreWaits, softTaints, spotToSpotConsolidation, staticCapacity }),
  };
}

/** The Kubernetes objects, complete and without duplicates. */
function readObjects(document: SnapshotDocument) {
  const { file, fields, head } = document;
  const { complete = false } = head;
  const pods = complete ? document.list('pods') : document.list('pods').map(filledPod);
  refuseDuplicates(file, 'pods', pods);
  for (const name of ['nodes', 'nodePools', 'nodeClasses', 'nodeClaims', 'namespaces'] as const)
    refuseDuplicates(file, name, document.list(name));
  const daemonSets = document.list('daemonSets').map(withDefaultNamespace);
  const namespaces = document.list('namespaces');
  const nodes = complete ? document.list('nodes') : document.list('nodes').map(filledNode);
  const isKnown = (...names: readonly ListName[]): boolean => !complete || names.some((name) => fields.includes(name));
  return {
    nodes,
    pods: isKnown('nodes') ? withoutLostNominations(pods, namesOf(nodes)) : pods,
    daemonSets,
    podDisruptionBudgets: document.list('pdbs').map(withDefaultNamespace),
    ...(isKnown('namespaces') && {
      namespaces: complete ? namespaces : filledNamespaces(namespaces, [...pods, ...daemonSets]),
    }),
    ...(isKnown('pvcs', 'pvs', 'storageClasses', 'csiNodes') && {
      storage: {
        persistentVolumeClaims: document.list('pvcs').map(withDefaultNamespace),
        persistentVolumes: document.list('pvs'),
        storageClasses: document.list('storageClasses'),
        csiNodes: document.list('csiNodes'),
        ...(isKnown('volumeAttachments') && { volumeAttachments: document.list('volumeAttachments') }),
      },
    }),
    buffers: {
      capacityBuffers: document.list('capacityBuffers').map(withDefaultNamespace),
      podTemplates: document.list('podTemplates').map(withDefaultNamespace),
      deployments: document.list('deployments').map(withDefaultNamespace),
      replicaSets: document.list('replicaSets').map(withDefaultNamespace),
      statefulSets: document.list('statefulSets').map(withDefaultNamespace),
    },
    services: document.list('services').map(withDefaultNamespace),
    limitRanges: document.list('limitRanges').map(withDefaultNamespace),
  };
}

/** C32: an unavailable offering without a time was marked just now. Expired marks are left out. */
function unavailableFrom(document: SnapshotDocument, nowMs: number): readonly UnavailableOffering[] {
  const all = document
    .list('unavailableOfferings')
    .map(({ until, markedAt, reason = 'InsufficientInstanceCapacity', ...offering }) => ({
      ...offering,
      untilMs: until === undefined ? nowMs + UNAVAILABLE_MS : parseTime(until),
      ...(markedAt === undefined ? {} : { markedAtMs: parseTime(markedAt) }),
      reason,
    }));
  return document.head.complete === true ? all : all.filter(({ untilMs }) => untilMs > nowMs);
}

function nominatedFrom(given: readonly GivenNomination[], nowMs: number): readonly string[] {
  const promised = given.filter(({ until }) => until === undefined || parseTime(until) > nowMs);
  return [...new Set(promised.map(({ node }) => node))].toSorted();
}

const FIELDS = Object.keys({ ...HEAD_SCHEMA.properties, ...ENTRY_SCHEMAS });

/** Warns of unknown fields whose names are similar to known fields. */
function warningsOf({ file, fields }: SnapshotDocument): readonly string[] {
  const missing = FIELDS.filter((name) => !fields.includes(name));
  return fields
    .filter((name) => !FIELDS.includes(name))
    .flatMap((name) => {
      const meant = suggest(name, missing);
      return meant === undefined
        ? []
        : [`${file}: ${JSON.stringify(name)} is not a known field; did you mean ${meant}?`];
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
    return [`${file}: ${field}: the snapshot has no instance type ${JSON.stringify(first)}${others}`];
  });
}
