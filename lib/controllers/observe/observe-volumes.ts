import type { Node, Pod } from '../../apis/kubernetes.ts';
import type { PersistentVolumeClaim, VolumeAttachment } from '../../apis/storage.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import {
  attachedVolumes,
  keptWithVolumes,
  type NodeVolumes,
  readsVolumes,
} from '../../core/node-claim/volume-detachment.ts';
import { RefusedError } from '../../ports/errors.ts';
import type { ReadsCluster } from '../run/ports.ts';
import { type SharedRead, sharedRead } from './shared-read.ts';

/** The volumes of the cluster: each list is read when the first node needs it, and once in a run. */
export interface ObservedVolumes {
  readonly attachments: SharedRead<readonly VolumeAttachment[]>;
  readonly claims: SharedRead<readonly PersistentVolumeClaim[]>;
}

export function observeVolumes({ cluster }: ReadsCluster): ObservedVolumes {
  return {
    attachments: sharedRead(async () => cluster.listVolumeAttachments()),
    claims: sharedRead(async () => cluster.listPersistentVolumeClaims()),
  };
}

/**
 * D25: the volumes that are attached to a node. *Cost:* one list for all nodes of a run; another if pods with volumes stay on a
 * node. *Errors:* a refusal of the API server is part of the result, so that missing rights do not stop a drain.
 */
export async function volumesOf(
  { attachments, claims }: ObservedVolumes,
  { record, node, pods }: { readonly record: NodeClaimRecord; readonly node: Node; readonly pods: readonly Pod[] },
  nowMs: number,
): Promise<NodeVolumes> {
  if (!readsVolumes(record, nowMs)) return { kind: 'awaited' };
  const kept = keptWithVolumes(pods, nowMs);
  try {
    const [all, keptClaims] = await Promise.all([attachments(), kept.length === 0 ? [] : claims()]);
    return { kind: 'known', attached: attachedVolumes(node, all, { pods: kept, claims: keptClaims }) };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { kind: 'unknown', message: `${error.message}: the instance is terminated without waiting for its volumes` };
  }
}
