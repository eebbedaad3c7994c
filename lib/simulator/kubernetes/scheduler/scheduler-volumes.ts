import { namespaceOf, type Pod, podKey } from '../../../apis/kubernetes.ts';
import type { PersistentVolumeClaim } from '../../../apis/storage.ts';
import { claimName, claimNames } from '../../../core/cluster/pod-volumes.ts';
import { isTerminal } from '../../../core/cluster/pods.ts';
import type { KubernetesState } from '../state.ts';
import { bindOnNode, classOf, driverOf, isClaimBound, isDelayed, sourceOnNode } from '../storage/bind-claims.ts';
import { reachesVolume } from '../storage/match-volume.ts';
import { attachVolumes } from '../storage/simulated-attachments.ts';
import type { StorageState } from '../storage/storage-state.ts';
import type { SchedulerNode } from './scheduler-node.ts';

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
  const refusal = whyRefused(state, pod);
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

/** The message of the scheduler for a pod whose claims fit no node. */
function whyRefused(state: KubernetesState, pod: Pod): string | undefined {
  const { claims, volumes } = state.storage;
  for (const volume of pod.spec.volumes ?? []) {
    const name = claimName(pod, volume);
    if (name === undefined) continue;
    const claim = claims.get(`${namespaceOf(pod)}/${name}`);
    if (claim === undefined) return `PersistentVolumeClaim ${name} does not exist`;
    if (isClaimBound(claim)) {
      const { volumeName = '' } = claim.spec;
      if (!volumes.has(volumeName))
        return `PersistentVolume ${volumeName} of PersistentVolumeClaim ${name} does not exist`;
    } else if (claim.spec.volumeName !== undefined || !isDelayed(state.storage, claim))
      return whyUnbound(state, name, claim);
    if (isUsedByAnother(state, pod, { name, claim }))
      return `another pod uses PersistentVolumeClaim ${name}, whose access mode is ReadWriteOncePod`;
  }
  return undefined;
}

function whyUnbound({ storage }: KubernetesState, name: string, claim: PersistentVolumeClaim): string {
  const { storageClassName = '', volumeName = '' } = claim.spec;
  if (volumeName !== '')
    return `PersistentVolumeClaim ${name} cannot be bound to PersistentVolume ${volumeName}: compare their sizes, classes and access modes`;
  if (storageClassName !== '' && classOf(storage, claim) === undefined)
    return `StorageClass ${storageClassName} of PersistentVolumeClaim ${name} does not exist`;
  return `no PersistentVolume matches PersistentVolumeClaim ${name}, and none is provisioned for it`;
}

function isUsedByAnother(
  { pods }: KubernetesState,
  pod: Pod,
  { name, claim }: { readonly name: string; readonly claim: PersistentVolumeClaim },
): boolean {
  if (claim.spec.accessModes?.includes('ReadWriteOncePod') !== true) return false;
  for (const other of pods.values()) {
    if (other === pod || other.spec.nodeName === undefined || isTerminal(other)) continue;
    if (namespaceOf(other) === namespaceOf(pod) && claimNames(other).includes(name)) return true;
  }
  return false;
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
