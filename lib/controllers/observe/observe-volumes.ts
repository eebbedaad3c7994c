import type { Node, Pod } from '../../apis/kubernetes.ts';
import type { PersistentVolumeClaim, VolumeAttachment } from '../../apis/storage.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import {
  attachedVolumes,
  keptWithVolumes,
  type NodeVolumes,
  readsVolumes,
} from '../../core/node-claim/volume-detachment.ts';
import { type Observed, read, type Unread } from '../../core/observed.ts';
import { RefusedError } from '../../ports/errors.ts';
import type { ReadsCluster } from '../run/ports.ts';
import type { Readings } from './readings.ts';
import { type SharedRead, sharedRead } from './shared-read.ts';

/** The volumes of the cluster: each list is read when the first node needs it, and once in a run. */
export interface ObservedVolumes {
  readonly attachments: SharedRead<Observed<readonly VolumeAttachment[]>>;
  readonly claims: SharedRead<Observed<readonly PersistentVolumeClaim[]>>;
}

export function observeVolumes({ cluster }: ReadsCluster, log: Readings): ObservedVolumes {
  return {
    attachments: sharedRead(async () => log.observe('VolumeAttachments', async () => cluster.listVolumeAttachments())),
    claims: sharedRead(async () =>
      log.observe('PersistentVolumeClaims', async () => cluster.listPersistentVolumeClaims()),
    ),
  };
}

/**
 * D25: the volumes that are attached to a node. *Cost:* one list for all nodes of a run; another if pods with volumes stay on a
 * node. *Shape:* unknown if the API server refuses the list, so that missing rights do not stop a termination.
 */
export async function volumesOf(
  { attachments, claims }: ObservedVolumes,
  { record, node, pods }: { readonly record: NodeClaimRecord; readonly node: Node; readonly pods: readonly Pod[] },
  nowMs: number,
): Promise<NodeVolumes> {
  if (!readsVolumes(record, nowMs)) return { kind: 'awaited' };
  const kept = keptWithVolumes(pods, nowMs);
  const [all, keptClaims] = await Promise.all([attachments(), kept.length === 0 ? read([]) : claims()]);
  if (all.kind === 'unread') return unknownIfRefused(all);
  if (keptClaims.kind === 'unread') return unknownIfRefused(keptClaims);
  return { kind: 'known', attached: attachedVolumes(node, all.value, { pods: kept, claims: keptClaims.value }) };
}

function unknownIfRefused(unread: Unread): NodeVolumes {
  const { failure } = unread;
  if (!(failure instanceof RefusedError)) return unread;
  return { kind: 'unknown', message: `${failure.message}: the instance is terminated without waiting for its volumes` };
}
