import { SECOND_MS } from '../../../apis/formats/time.ts';
import { namespaceOf, type Pod } from '../../../apis/kubernetes.ts';
import type { PersistentVolumeClaim, VolumeAttachment } from '../../../apis/storage.ts';
import { claimNames } from '../../../core/cluster/pod-volumes.ts';
import { isTerminal } from '../../../core/cluster/pods.ts';
import type { Timetable } from '../../timetable.ts';
import type { KubernetesState } from '../state.ts';

/** The time from the end of a pod until its volume is unmounted and detached. */
const DETACH_MS = 12 * SECOND_MS;

/** The PersistentVolumeClaims of the pods that have a node, each bound to a volume of its own. */
export function boundClaims(pods: readonly Pod[]): readonly PersistentVolumeClaim[] {
  const bound = pods.filter(({ spec }) => spec.nodeName !== undefined);
  return bound.flatMap((pod) =>
    claimNames(pod).map((name) => ({
      metadata: { name, namespace: namespaceOf(pod) },
      spec: { volumeName: volumeName(pod, name) },
    })),
  );
}

function volumeName(pod: Pod, claim: string): string {
  return `pv-${namespaceOf(pod)}-${claim}`;
}

/** The attach-detach controller: it attaches the volumes of bound pods to their nodes, and detaches them afterwards, unless `keepsVolumes`. */
export function attachDetach(
  state: KubernetesState,
  timetable: Timetable,
  keepsVolumes: () => boolean = () => false,
): { reconcile(): void } {
  const detaching = new Set<string>();
  const detach = (name: string): void => {
    if (keepsVolumes()) return void timetable.after(DETACH_MS, () => detach(name));
    detaching.delete(name);
    if (!wantedAttachments(state).has(name)) state.storage.attachments.delete(name);
  };
  return {
    reconcile() {
      const wanted = wantedAttachments(state);
      for (const [name, attachment] of wanted) state.storage.attachments.set(name, attachment);
      for (const name of state.storage.attachments.keys()) {
        if (wanted.has(name) || detaching.has(name)) continue;
        detaching.add(name);
        timetable.after(DETACH_MS, () => detach(name));
      }
    },
  };
}

function wantedAttachments({ pods }: KubernetesState): ReadonlyMap<string, VolumeAttachment> {
  const mounting = [...pods.values()].filter((pod) => !isTerminal(pod));
  return new Map(
    mounting.flatMap((pod) => {
      const { nodeName } = pod.spec;
      if (nodeName === undefined) return [];
      return claimNames(pod).map((claim) => attachmentOf(nodeName, volumeName(pod, claim)));
    }),
  );
}

function attachmentOf(nodeName: string, persistentVolumeName: string): readonly [string, VolumeAttachment] {
  const name = `csi-${persistentVolumeName}-${nodeName}`;
  return [name, { metadata: { name }, spec: { nodeName, source: { persistentVolumeName } } }];
}
