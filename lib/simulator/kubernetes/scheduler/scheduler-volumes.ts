import { namespaceOf, type Pod, podKey } from '../../../apis/kubernetes.ts';
import type { PersistentVolumeClaim } from '../../../apis/storage.ts';
import { claimNames } from '../../../core/cluster/pod-volumes.ts';
import type { KubernetesState } from '../state.ts';
import { bindOnNode, classOf, driverOf, isClaimBound, sourceOnNode } from '../storage/bind-claims.ts';
import { reachesVolume } from '../storage/match-volume.ts';
import { attachVolumes } from '../storage/simulated-attachments.ts';
import type { StorageState } from '../storage/storage-state.ts';
import type { SchedulerNode } from './scheduler-node.ts';
import { whyClaimsRefuse } from './volume-refusals.ts';

/** VolumeBinding, VolumeZone, NodeVolumeLimits and VolumeRestrictions for one pod. */
export interface SimulatedPodVolumes {
  /** Why the pod fits no node; undefined if it may fit one. */
  readonly refusal: string | undefined;
  readonly fits: (node: SchedulerNode) => boolean;
  /** Binds the claims that wait for the node of the pod. */
  readonly bind: (node: SchedulerNode) => void;
}

/** *Shape:* undefined for a pod without claims. *Cost:* O(pods) once for each pod with claims; O(claims) for each node. */
export function simulatedPodVolumes(state: KubernetesState, pod: Pod): SimulatedPodVolumes | undefined {
  const names = claimNames(pod);
  if (names.length === 0) return undefined;
  const { storage } = state;
  const found = names.map((name) => storage.claims.get(`${namespaceOf(pod)}/${name}`));
  const claims = found.filter((claim) => claim !== undefined);
  const refusal = whyClaimsRefuse(state, pod);
  const bound = claims.filter(isClaimBound);
  const delayed = claims.filter((claim) => !isClaimBound(claim));
  const volumes = bound.map((claim) => storage.volumes.get(claim.spec.volumeName ?? ''));
  const hasAttachmentsFree = attachmentLimits(state, claims);
  return {
    refusal,
    fits: (node) =>
      refusal === undefined &&
      volumes.every((volume) => volume !== undefined && reachesVolume(node, volume)) &&
      canBind(state, delayed, node) &&
      hasAttachmentsFree(node),
    bind: (node) => {
      for (const claim of delayed) bindOnNode(storage, claim, node);
      attachVolumes(state, pod, node.name);
    },
  };
}

/** Whether each of the claims gets a volume on the node, and no two claims the same one. */
function canBind({ storage }: KubernetesState, claims: readonly PersistentVolumeClaim[], node: SchedulerNode): boolean {
  const taken = new Set<string>();
  return claims.every((claim) => {
    const source = sourceOnNode(storage, claim, { node, taken });
    if (source.kind === 'existing') taken.add(source.volume.metadata.name);
    return source.kind !== 'none';
  });
}

/**
 * NodeVolumeLimits: whether the attachments of the node leave room for the volumes, for each driver with a limit.
 * *Cost:* O(attachments) once, and then O(claims and attachments of the node).
 */
function attachmentLimits(
  { storage }: KubernetesState,
  claims: readonly PersistentVolumeClaim[],
): (node: SchedulerNode) => boolean {
  const added = claims.map((claim) => ({
    driver: isClaimBound(claim) ? driverOfVolume(storage, claim.spec.volumeName ?? '') : provisionerOf(storage, claim),
    volume: claim.spec.volumeName ?? `claim ${podKey(claim)}`,
  }));
  let attached: ReadonlyMap<string, readonly string[]> | undefined;
  return (node) => {
    const drivers = storage.csiNodes.get(node.name)?.spec.drivers ?? [];
    return drivers.every(({ name, allocatable: { count: limit = Infinity } = {} }) => {
      const volumes = added.filter(({ driver }) => driver === name).map(({ volume }) => volume);
      if (volumes.length === 0 || limit === Infinity) return true;
      attached ??= volumesByNode(storage);
      const present = (attached.get(node.name) ?? []).filter((volume) => driverOfVolume(storage, volume) === name);
      return new Set([...present, ...volumes]).size <= limit;
    });
  };
}

function volumesByNode({ attachments }: StorageState): ReadonlyMap<string, readonly string[]> {
  const byNode = new Map<string, string[]>();
  for (const { spec } of attachments.values()) {
    const volumes = byNode.get(spec.nodeName) ?? [];
    byNode.set(spec.nodeName, volumes);
    if (spec.source.persistentVolumeName !== undefined) volumes.push(spec.source.persistentVolumeName);
  }
  return byNode;
}

function driverOfVolume({ volumes }: StorageState, name: string): string | undefined {
  const spec = volumes.get(name)?.spec;
  return spec?.awsElasticBlockStore === undefined ? spec?.csi?.driver : 'ebs.csi.aws.com';
}

function provisionerOf(storage: StorageState, claim: PersistentVolumeClaim): string | undefined {
  const provisioner = classOf(storage, claim)?.provisioner;
  return provisioner === undefined ? undefined : driverOf(provisioner);
}
