import { namespaceOf, type Pod, podKey } from '../../../apis/kubernetes.ts';
import type { PersistentVolumeClaim } from '../../../apis/storage.ts';
import { claimNames } from '../../../core/cluster/pod-volumes.ts';
import { isTerminal } from '../../../core/cluster/pods.ts';
import type { KubernetesState } from '../state.ts';
import { classOf, hasStaticSourceOnly, isClaimBound, isDelayed, sourceOnNode } from '../storage/bind-claims.ts';
import { reachesVolume, volumeFor } from '../storage/match-volume.ts';
import { labelsOfNode } from './scheduler-node.ts';

/** Why the claims of a pod keep it pending, in the words of a user. */

/** Why the claims of a pod fit no node at all. *Shape:* undefined if they may fit one. */
export function whyClaimsRefuse(state: KubernetesState, pod: Pod): string | undefined {
  const { claims, volumes } = state.storage;
  for (const name of claimNames(pod)) {
    const claim = claims.get(`${namespaceOf(pod)}/${name}`);
    if (claim === undefined) return `PersistentVolumeClaim ${name} does not exist`;
    if (isClaimBound(claim)) {
      const { volumeName = '' } = claim.spec;
      if (!volumes.has(volumeName))
        return `PersistentVolume ${volumeName} of PersistentVolumeClaim ${name} does not exist`;
    } else if (claim.spec.volumeName !== undefined || !isDelayed(state.storage, claim) || isWithoutVolume(state, claim))
      return whyUnbound(state, name, claim);
    const user = userOf(state, pod, { name, claim });
    if (user !== undefined)
      return `pod ${podKey(user)} uses PersistentVolumeClaim ${name}, whose access mode is ReadWriteOncePod`;
  }
  return undefined;
}

/** Whether no volume matches the claim, and none is provisioned for it. */
function isWithoutVolume({ storage }: KubernetesState, claim: PersistentVolumeClaim): boolean {
  return hasStaticSourceOnly(storage, claim) && volumeFor(storage.volumes.values(), claim) === undefined;
}

function whyUnbound({ storage }: KubernetesState, name: string, claim: PersistentVolumeClaim): string {
  const { storageClassName = '', volumeName = '' } = claim.spec;
  if (volumeName !== '')
    return `PersistentVolumeClaim ${name} cannot be bound to PersistentVolume ${volumeName}: compare their sizes, classes and access modes`;
  if (storageClassName !== '' && classOf(storage, claim) === undefined)
    return `StorageClass ${storageClassName} of PersistentVolumeClaim ${name} does not exist`;
  return `no PersistentVolume matches PersistentVolumeClaim ${name}, and none is provisioned for it`;
}

/** The other pod on a node that uses a claim which only one pod may use. */
function userOf(
  { pods }: KubernetesState,
  pod: Pod,
  { name, claim }: { readonly name: string; readonly claim: PersistentVolumeClaim },
): Pod | undefined {
  if (claim.spec.accessModes?.includes('ReadWriteOncePod') !== true) return undefined;
  for (const other of pods.values()) {
    if (other === pod || other.spec.nodeName === undefined || isTerminal(other)) continue;
    if (namespaceOf(other) === namespaceOf(pod) && claimNames(other).includes(name)) return other;
  }
  return undefined;
}

/** Why the claims of a pod fit none of the nodes that exist. *Shape:* undefined if each claim fits a node. *Cost:* O(claims × nodes). */
export function whyNodesRefuseClaims({ storage, nodes }: KubernetesState, pod: Pod): string | undefined {
  const all = [...nodes.values()].map(labelsOfNode);
  if (all.length === 0) return undefined;
  for (const name of claimNames(pod)) {
    const claim = storage.claims.get(`${namespaceOf(pod)}/${name}`);
    if (claim === undefined) continue;
    if (!isClaimBound(claim)) {
      if (all.some((node) => sourceOnNode(storage, claim, { node, taken: new Set() }).kind !== 'none')) continue;
      return `no node of the cluster reaches an available PersistentVolume to bind to PersistentVolumeClaim ${name}`;
    }
    const { volumeName = '' } = claim.spec;
    const volume = storage.volumes.get(volumeName);
    if (volume !== undefined && !all.some((node) => reachesVolume(node, volume)))
      return `no node of the cluster reaches PersistentVolume ${volumeName} of PersistentVolumeClaim ${name}`;
  }
  return undefined;
}
