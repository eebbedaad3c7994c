import { SECOND_MS } from '../../../apis/formats/time.ts';
import { namespaceOf, type Pod } from '../../../apis/kubernetes.ts';
import type { VolumeAttachment } from '../../../apis/storage.ts';
import { claimNames } from '../../../core/cluster/pod-volumes.ts';
import type { Timetable } from '../../timetable.ts';
import type { KubernetesState } from '../state.ts';
import { podsWithClaims } from './pods-with-claims.ts';

/** The time from the end of a pod until its volume is unmounted and detached. */
const DETACH_MS = 12 * SECOND_MS;

/** The attach-detach controller: it attaches the volumes of bound pods to their nodes, and detaches them afterwards, unless `keepsVolumes`. */
export function attachDetach(
  state: KubernetesState,
  timetable: Timetable,
  keepsVolumes: () => boolean = () => false,
): { reconcile(): void } {
  const withClaims = podsWithClaims(state);
  const detaching = new Set<string>();
  const detach = (name: string): void => {
    if (keepsVolumes()) return void timetable.after(DETACH_MS, () => detach(name));
    detaching.delete(name);
    if (!wantedAttachments(state, withClaims()).has(name)) state.storage.attachments.delete(name);
  };
  return {
    reconcile() {
      const wanted = wantedAttachments(state, withClaims());
      for (const [name, attachment] of wanted) state.storage.attachments.set(name, attachment);
      for (const name of state.storage.attachments.keys()) {
        if (wanted.has(name) || detaching.has(name)) continue;
        detaching.add(name);
        timetable.after(DETACH_MS, () => detach(name));
      }
    },
  };
}

/** Attaches the volumes of the pod to the node. */
export function attachVolumes(state: KubernetesState, pod: Pod, nodeName: string): void {
  for (const [name, attachment] of attachmentsOf(state, pod, nodeName)) state.storage.attachments.set(name, attachment);
}

function wantedAttachments(state: KubernetesState, pods: Iterable<Pod>): ReadonlyMap<string, VolumeAttachment> {
  const wanted = new Map<string, VolumeAttachment>();
  for (const pod of pods) {
    const { nodeName } = pod.spec;
    if (nodeName === undefined) continue;
    for (const [name, attachment] of attachmentsOf(state, pod, nodeName)) wanted.set(name, attachment);
  }
  return wanted;
}

function attachmentsOf(
  { storage }: KubernetesState,
  pod: Pod,
  nodeName: string,
): readonly (readonly [string, VolumeAttachment])[] {
  return claimNames(pod).flatMap((claim) => {
    const persistentVolumeName = storage.claims.get(`${namespaceOf(pod)}/${claim}`)?.spec.volumeName;
    if (persistentVolumeName === undefined) return [];
    const name = `csi-${persistentVolumeName}-${nodeName}`;
    return [[name, { metadata: { name }, spec: { nodeName, source: { persistentVolumeName } } }] as const];
  });
}
