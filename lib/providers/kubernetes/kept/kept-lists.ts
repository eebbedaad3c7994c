import type { Node, ScalableWorkload } from '../../../apis/kubernetes.ts';
import type { CsiNode, PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from '../../../apis/storage.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ScalableKind } from '../../../ports/cluster.ts';
import type { ApiClient } from '../client/api-client.ts';
import { NODES, PODS, SCALABLE } from '../client/kinds.ts';
import type { ListOptions } from '../client/lists.ts';
import type { RunEnd } from '../client/run-end.ts';
import type { Patience } from '../client/watch.ts';
import { CSI_NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, VOLUME_ATTACHMENTS } from '../storage.ts';
import { KeptBytes, type KeptBytesOptions } from './kept-bytes.ts';
import { KeptList } from './kept-list.ts';
import { KeptPods } from './kept-pods.ts';
import type { Named } from './list-view.ts';

export interface KeptListsOptions extends KeptBytesOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  /** Kinds with fewer objects are listed completely each time. */
  readonly keptFrom: number;
  /** A kubelet updates the status of its node often, so a complete list is cheaper than a watch. */
  readonly nodesKeptFrom: number;
  readonly patience: Patience;
  readonly runEnd: RunEnd;
}

/** The kinds with many objects, cached in memory while the function is warm. */
export interface KeptLists {
  readonly pods: KeptPods;
  readonly nodes: KeptList<Node>;
  readonly persistentVolumeClaims: KeptList<PersistentVolumeClaim>;
  readonly persistentVolumes: KeptList<PersistentVolume>;
  readonly csiNodes: KeptList<CsiNode>;
  readonly volumeAttachments: KeptList<VolumeAttachment>;
  readonly scalable: Readonly<Record<ScalableKind, KeptList<ScalableWorkload>>>;
}

export function keptLists(options: KeptListsOptions): KeptLists {
  const { client, clock, keptFrom, nodesKeptFrom, patience, runEnd } = options;
  const kept = new KeptBytes(options);
  const list = <T extends Named>(kind: ListOptions<T>): KeptList<T> =>
    new KeptList({ client, kind, kept, keptFrom, patience, runEnd });
  return {
    pods: new KeptPods({ client, kind: PODS, kept, keptFrom, patience, runEnd, clock }),
    nodes: new KeptList({ client, kind: NODES, kept, keptFrom: nodesKeptFrom, patience, runEnd }),
    persistentVolumeClaims: list(PERSISTENT_VOLUME_CLAIMS),
    persistentVolumes: list(PERSISTENT_VOLUMES),
    csiNodes: list(CSI_NODES),
    volumeAttachments: list(VOLUME_ATTACHMENTS),
    scalable: {
      Deployment: list(SCALABLE.Deployment),
      StatefulSet: list(SCALABLE.StatefulSet),
      ReplicaSet: list(SCALABLE.ReplicaSet),
    },
  };
}
