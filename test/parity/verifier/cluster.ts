import { type Daemon, daemonsOf } from './daemons.ts';
import { type ExistingNode, existingNodes, isOver } from './existing-nodes.ts';
import { type TypeView, typesByName } from './instance-type-view.ts';
import { allowances } from './launch-choice.ts';
import type { RawNodePool, RawPod, RawSnapshot } from './raw-documents.ts';
import { type VolumeNeeds, volumeNeeds } from './volumes.ts';
import { HOSTNAME, keyOf, NODE_POOL } from './well-known-labels.ts';

/** A snapshot with the indexes that the checks need. */
export interface Cluster extends ReturnType<typeof allowances> {
  readonly snapshot: RawSnapshot;
  /** The pools that may launch nodes. */
  readonly pools: ReadonlyMap<string, RawNodePool>;
  readonly typesOf: (pool: RawNodePool) => ReadonlyMap<string, TypeView>;
  readonly nodes: ReadonlyMap<string, ExistingNode>;
  readonly daemons: readonly Daemon[];
  readonly pods: ReadonlyMap<string, RawPod>;
  /** The pods that a plan must answer, and those that it may answer (B7, B8). */
  readonly provisionable: ReadonlySet<string>;
  readonly movable: ReadonlySet<string>;
  readonly volumesOf: (pod: RawPod) => VolumeNeeds;
}

export function clusterOf(snapshot: RawSnapshot): Cluster {
  const pods = snapshot.pods ?? [];
  const nodes = existingNodes(snapshot);
  const types = typesByName(snapshot);
  const going = new Set(nodes.filter(({ deleting }) => deleting).map(({ name }) => name));
  const pending = pods.filter(isProvisionable);
  const optional = pods.filter((pod) => going.has(pod.spec.nodeName ?? '') && isMovable(pod));
  const hostnames = nodes.flatMap(({ labels }) => [...labels(HOSTNAME).values]);
  return {
    ...allowances(new Set(hostnames)),
    snapshot,
    pools: new Map((snapshot.nodePools ?? []).filter(isUsable).map((pool) => [pool.metadata.name, pool])),
    typesOf: typesOfPools(snapshot, types),
    nodes: new Map(nodes.map((node) => [node.name, node])),
    daemons: daemonsOf(snapshot),
    pods: new Map(pods.map((pod) => [keyOf(pod.metadata), pod])),
    provisionable: new Set(pending.filter((pod) => !refusesPools(pod)).map((pod) => keyOf(pod.metadata))),
    movable: new Set([...optional, ...pending.filter(refusesPools)].map((pod) => keyOf(pod.metadata))),
    volumesOf: volumeNeeds(snapshot),
  };
}

/** B6: the scheduler found no node. */
function isProvisionable(pod: RawPod): boolean {
  const { spec, status = {}, metadata } = pod;
  const conditions = status.conditions?.filter(({ type }) => type === 'PodScheduled');
  const unschedulable =
    conditions === undefined || conditions.length === 0 || conditions.some(({ reason }) => reason === 'Unschedulable');
  return (
    (spec.nodeName ?? '') === '' &&
    (status.nominatedNodeName ?? '') === '' &&
    (spec.schedulingGates ?? []).length === 0 &&
    metadata.deletionTimestamp === undefined &&
    unschedulable &&
    !isOver(pod) &&
    !isOfNode(pod)
  );
}

function isMovable(pod: RawPod): boolean {
  return !isOver(pod) && !isOfNode(pod);
}

function isOfNode({ metadata }: RawPod): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');
}

/** B8: Karpenter ignores a pod that excludes every NodePool. */
function refusesPools({ spec }: RawPod): boolean {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.some(({ matchExpressions = [] }) =>
    matchExpressions.some(({ key, operator }) => key === NODE_POOL && operator === 'DoesNotExist'),
  );
}

/** B12: ready, not being deleted, not static. */
function isUsable({ metadata, spec, status }: RawNodePool): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'True';
  return metadata.deletionTimestamp === undefined && spec.replicas === undefined && ready === 'True';
}

function typesOfPools(
  { nodePoolInstanceTypes: listed }: RawSnapshot,
  types: ReadonlyMap<string, TypeView>,
): Cluster['typesOf'] {
  const known = new Map<string, ReadonlyMap<string, TypeView>>();
  return ({ metadata: { name } }) => {
    const names = listed === undefined ? undefined : new Set(listed[name] ?? []);
    const made =
      known.get(name) ?? (names === undefined ? types : new Map([...types].filter(([type]) => names.has(type))));
    known.set(name, made);
    return made;
  };
}
