import { namespaceOf, type Pod, podKey } from '../../../apis/kubernetes.ts';
import type { PersistentVolumeClaim } from '../../../apis/storage.ts';
import { claimNames } from '../../../core/cluster/pod-volumes.ts';
import { compareText } from '../../../core/compare-text.ts';
import { labelsOfNode } from '../scheduler/scheduler-node.ts';
import type { KubernetesState } from '../state.ts';
import { type AttachableVolumes, csiNodeOf } from './attachable-volumes.ts';
import { bindClaimNow, bindOnNode, isClaimBound } from './bind-claims.ts';
import { type ClaimWorld, createClaims, deleteClaims, standInForClass } from './pod-claims.ts';
import { podsWithClaims } from './pods-with-claims.ts';
import { zoneTurns } from './zone-turns.ts';

/**
 * The volume controllers of the cluster: they create and delete the claims of ephemeral volumes, bind the claims that do not wait
 * for a node, and provision their volumes. The scheduler binds the claims that wait for a node.
 */
export interface VolumeController {
  reconcile(): void;
}

export interface VolumeWorld {
  /** The zones of the region. */
  readonly zones: readonly string[];
  readonly attachable: AttachableVolumes;
}

export function volumeController(state: KubernetesState, { zones, attachable }: VolumeWorld): VolumeController {
  const { storage } = state;
  const withClaims = podsWithClaims(state);
  const zoneFor = zoneTurns(state, zones);
  state.watchers.push({
    pod: (before, after) => {
      if (before !== undefined && after === undefined) deleteClaims(state, before);
    },
    node: (before, after) => {
      if (after === undefined) storage.csiNodes.delete(before?.metadata.name ?? '');
      else if (before === undefined) storage.csiNodes.set(after.metadata.name, csiNodeOf(after, attachable));
    },
  });
  let versionSeen: number | undefined;
  return {
    reconcile() {
      const pods = [...withClaims()];
      for (const pod of pods) createClaims(state, pod);
      if (storage.version === versionSeen) return;
      bindClaims(state, [...storage.claims.values()], zoneFor);
      for (const pod of pods) bindPlaced(state, pod);
      versionSeen = storage.version;
    },
  };
}

/** Binds those of the claims that wait neither for a node nor for a volume, in the order of their names. */
export function bindClaims(
  world: ClaimWorld,
  claims: readonly PersistentVolumeClaim[],
  zoneFor: ReturnType<typeof zoneTurns>,
): void {
  const unbound = claims.filter((claim) => !isClaimBound(claim));
  for (const claim of unbound.toSorted((a, b) => compareText(podKey(a), podKey(b))))
    bindClaimNow(world.storage, standInForClass(world, claim), zoneFor);
}

/** Binds the claims of a pod that got its node without the scheduler. */
function bindPlaced({ storage, nodes }: KubernetesState, pod: Pod): void {
  const node = nodes.get(pod.spec.nodeName ?? '');
  if (node === undefined) return;
  for (const name of claimNames(pod)) {
    const claim = storage.claims.get(`${namespaceOf(pod)}/${name}`);
    if (claim !== undefined && !isClaimBound(claim)) bindOnNode(storage, claim, labelsOfNode(node));
  }
}
