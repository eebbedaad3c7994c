import { counted } from '../../apis/counted.ts';
import { formatTime, MINUTE_MS } from '../../apis/formats/time.ts';
import { type Node, namespaceOf, type Pod } from '../../apis/kubernetes.ts';
import type { PersistentVolumeClaim, VolumeAttachment } from '../../apis/storage.ts';
import { claimNames } from '../cluster/pod-volumes.ts';
import { isTerminal } from '../cluster/pods.ts';
import { compareText } from '../compare-text.ts';
import { type Blocked, type Due, pollAfter, requeueAt } from '../model/decision.ts';
import { type Deletion, drainOverAt, type NodeClaimRecord } from '../model/node-claim-record.ts';
import { type Unread, whyNotRead } from '../observed.ts';
import { isDrained } from './pods-to-drain.ts';
import { LATE_MS } from './poll.ts';

/**
 * D25: the instance is terminated after the volumes of its drained pods are detached. A volume that is still attached when its
 * instance ends cannot be attached to another node until EC2 has detached it, and its file system may be damaged.
 */

/** The volumes of a node without pods to drain. */
export type NodeVolumes =
  | { readonly kind: 'known'; readonly attached: readonly string[] }
  /** They were attached a minute ago at the latest, and are read again in the next minute. */
  | { readonly kind: 'awaited' }
  /** The API server refuses to list VolumeAttachments, or they could not be read for a long time. */
  | { readonly kind: 'unknown'; readonly message: string }
  /** The API server did not answer. */
  | Unread;

/**
 * How long an instance waits for volumes that cannot be read. Kubernetes detaches a volume from a node that does not report after
 * the same time (maxWaitForUnmountDuration of its attach-detach controller).
 */
const LONGEST_UNREAD_MS = 6 * MINUTE_MS;

/** The longest list of volumes in a message. */
const MAX_NAMES = 3;

/** Whether a drain ends volumes of the node: a pod that it evicts has a PersistentVolumeClaim. */
export function drainsVolumes(pods: readonly Pod[], nowMs: number): boolean {
  return pods.some((pod) => isDrained(pod, nowMs) && claimNames(pod).length > 0);
}

/** Whether the instance may have to wait for volumes: its pods with volumes are gone, and its deadline has not passed. */
export function awaitsVolumes({ deletion }: NodeClaimRecord, pods: readonly Pod[], nowMs: number): boolean {
  if (deletion?.volumes !== true || hasEnded(deletion)) return false;
  return nowMs < (deletion.deadlineMs ?? Infinity) && !pods.some((pod) => isDrained(pod, nowMs));
}

/**
 * Whether the volumes are read in this run: in each run of the first minute, then at the start of a minute, because the list can be large.
 * All claims use the same minutes, so one list serves them.
 */
export function readsVolumes({ deletion }: NodeClaimRecord, nowMs: number): boolean {
  return nowMs - (deletion?.volumesAwaitedSinceMs ?? nowMs) < MINUTE_MS || nowMs % MINUTE_MS < LATE_MS;
}

/** When the volumes are read next. */
export function nextVolumeRead({ deletion }: NodeClaimRecord, nowMs: number): Due {
  const next = pollAfter(nowMs);
  const isFirstMinute = next.atMs - (deletion?.volumesAwaitedSinceMs ?? nowMs) < MINUTE_MS;
  return isFirstMinute ? next : requeueAt((Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS);
}

/** Whether EC2 was asked to terminate the instance. */
function hasEnded(deletion: Deletion): boolean {
  return drainOverAt(deletion) !== undefined;
}

/** The pods that run on the node until it is deleted, and have volumes. The volumes of a pod that has ended are detached. */
export function keptWithVolumes(pods: readonly Pod[], nowMs: number): readonly Pod[] {
  return pods.filter((pod) => !isTerminal(pod) && !isDrained(pod, nowMs) && claimNames(pod).length > 0);
}

/** The names of the PersistentVolumes that are attached to the node, other than those of the kept pods. */
export function attachedVolumes(
  node: Node,
  attachments: readonly VolumeAttachment[],
  kept: { readonly pods: readonly Pod[]; readonly claims: readonly PersistentVolumeClaim[] },
): readonly string[] {
  const keptClaims = new Set(kept.pods.flatMap((pod) => claimNames(pod).map((name) => `${namespaceOf(pod)}/${name}`)));
  const keptVolumes = new Set(
    kept.claims
      .filter((claim) => keptClaims.has(`${namespaceOf(claim)}/${claim.metadata.name}`))
      .map(({ spec }) => spec.volumeName),
  );
  return attachments
    .filter(({ spec }) => spec.nodeName === node.metadata.name)
    .flatMap(({ spec }) => spec.source.persistentVolumeName ?? [])
    .filter((name) => !keptVolumes.has(name))
    .toSorted(compareText);
}

/**
 * The record of a node that has pods to drain. If it waited for volumes before, pods were bound to it since, and the wait for their
 * volumes begins anew. *Shape:* itself if it did not wait.
 */
export function withoutVolumeWait(record: NodeClaimRecord): NodeClaimRecord {
  if (record.deletion === undefined) return record;
  const { volumesAwaitedSinceMs, volumesUnreadSinceMs, ...deletion } = record.deletion;
  return (volumesAwaitedSinceMs ?? volumesUnreadSinceMs) === undefined ? record : { ...record, deletion };
}

/** The record with the time since which its volumes cannot be read. *Shape:* itself if nothing changes. */
export function withUnreadVolumes(
  record: NodeClaimRecord,
  volumes: NodeVolumes | undefined,
  nowMs: number,
): NodeClaimRecord {
  const { deletion } = record;
  if (deletion === undefined || volumes === undefined || volumes.kind === 'awaited') return record;
  const isUnread = volumes.kind === 'unread';
  const { volumesUnreadSinceMs, ...rest } = deletion;
  if (isUnread === (volumesUnreadSinceMs !== undefined)) return record;
  return { ...record, deletion: isUnread ? { ...rest, volumesUnreadSinceMs: nowMs } : rest };
}

/** Volumes that cannot be read for six minutes are unknown: their instance is terminated without waiting for them. */
export function knownVolumes(
  { deletion }: NodeClaimRecord,
  volumes: NodeVolumes | undefined,
  nowMs: number,
): NodeVolumes | undefined {
  const { volumesUnreadSinceMs: sinceMs = nowMs } = deletion ?? {};
  if (volumes?.kind !== 'unread' || nowMs - sinceMs < LONGEST_UNREAD_MS) return volumes;
  const minutes = LONGEST_UNREAD_MS / MINUTE_MS;
  const message = `its volumes could not be read for ${minutes} minutes: ${volumes.failure.message}: the instance is terminated without waiting for its volumes`;
  return { kind: 'unknown', message };
}

/** Why the instance is not terminated yet. *Shape:* undefined if it can be terminated. */
export function whyVolumesAwaited(
  { deletion, nodeName = '', nodePool }: NodeClaimRecord,
  volumes: NodeVolumes | undefined,
): Blocked | undefined {
  const node = { subject: { kind: 'Node', name: nodeName } as const, nodePool };
  if (volumes?.kind === 'unread') {
    const { deadlineMs = Infinity, volumesUnreadSinceMs = Infinity } = deletion ?? {};
    const until = formatTime(Math.min(deadlineMs, volumesUnreadSinceMs + LONGEST_UNREAD_MS));
    const message = `${whyNotRead('its volumes', volumes)}: the instance is terminated after they are detached, or at ${until} if they still cannot be read`;
    return { ...node, reason: 'NotRead', message, numbers: {} };
  }
  if (volumes?.kind !== 'known' || volumes.attached.length === 0) return undefined;
  const { attached } = volumes;
  const names = [...attached.slice(0, MAX_NAMES), ...(attached.length > MAX_NAMES ? ['…'] : [])].join(', ');
  const until = deletion?.deadlineMs === undefined ? '' : `, at the latest at ${formatTime(deletion.deadlineMs)}`;
  return {
    ...node,
    reason: 'AwaitingVolumeDetachment',
    message: `${counted(attached.length, 'volume')} not detached yet (${names}): the instance is terminated afterwards${until}`,
    numbers: { volumes: attached.length },
  };
}

/** The refusal for a node whose volumes are unknown. Its instance is terminated without waiting for them. */
export function volumesUnknown({ nodeName = '', nodePool }: NodeClaimRecord, message: string): Blocked {
  return { subject: { kind: 'Node', name: nodeName }, nodePool, reason: 'VolumesUnknown', message, numbers: {} };
}
