import { formatTime } from '../../../apis/formats/time.ts';
import { type Labels, type OwnerReference, type Pod, type PodTemplate } from '../../../apis/kubernetes.ts';
import { isActive, isTerminal } from '../../../core/cluster/pods.ts';
import { fingerprint } from '../../../core/identity.ts';
import type { Clock } from '../../../ports/clock.ts';
import { createPod } from '../create-pod.ts';
import type { KubernetesState } from '../state.ts';
import { WORKLOAD } from './simulated-workload.ts';

/** The pods that the controllers of workloads create. */

/** The controller of pods. */
export interface PodOwner {
  readonly reference: OwnerReference;
  readonly namespace: string;
  /** For reports: `Deployment default/web`. */
  readonly workload: string;
  /** Labels of all its pods, beside those of the template. @default none */
  readonly labels?: Labels;
}

/** What a controller changes in the template for one pod. */
export interface PodIdentity {
  /** @default the name of the owner with a hash */
  readonly name?: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
}

/** Creates a pod from the template of its owner. */
export type CreatePod = (owner: PodOwner, template: PodTemplate, identity?: PodIdentity) => Pod;

export function podCreator(state: KubernetesState, clock: Clock): CreatePod {
  let made = 0;
  return ({ reference, namespace, workload, labels: ofOwner }, template, identity = {}) => {
    made += 1;
    const name = identity.name ?? `${reference.name}-${fingerprint(`${reference.uid}/${made}`, 5)}`;
    const { labels, annotations } = template.metadata ?? {};
    const pod: Pod = {
      metadata: {
        ...template.metadata,
        ...((ofOwner ?? identity.labels) !== undefined && { labels: { ...labels, ...ofOwner, ...identity.labels } }),
        annotations: { ...annotations, ...identity.annotations, [WORKLOAD]: workload },
        name,
        namespace,
        uid: `pod-${made}-${name}`,
        ownerReferences: [reference],
        creationTimestamp: formatTime(clock.now()),
      },
      spec: template.spec,
      status: { phase: 'Pending' },
    };
    createPod(state, pod);
    return pod;
  };
}

export function controllerReference(
  apiVersion: string,
  kind: string,
  { name, uid }: { readonly name: string; readonly uid: string },
): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true };
}

/** The pods of each owner, kept up to date with each write. */
export interface OwnedPods {
  /** In the order of their creation. */
  of(ownerUid: string): readonly Pod[];
  /** The number of its pods that are neither terminal nor terminating. */
  activeOf(ownerUid: string): number;
  /** The owners whose pods have changed since the last call. */
  takeChanged(): ReadonlySet<string>;
  /** Finished pods of all owners and without one, in the order in which they finished. */
  finished(): readonly Pod[];
}

export function ownedPods(state: KubernetesState): OwnedPods {
  const byOwner = new Map<string, Map<string, Pod>>();
  const active = new Map<string, number>();
  const finished = new Map<string, Pod>();
  let changed = new Set<string>();
  const update = (before: Pod | undefined, after: Pod | undefined): void => {
    const pod = after ?? before;
    if (pod === undefined) return;
    // Another pod may have got the name.
    if (before !== undefined && before.metadata.uid !== pod.metadata.uid) update(before, undefined);
    const uid = pod.metadata.uid ?? '';
    if (after !== undefined && isTerminal(after)) finished.set(uid, after);
    else finished.delete(uid);
    const owner = pod.metadata.ownerReferences?.[0]?.uid;
    if (owner === undefined) return;
    changed.add(owner);
    const pods = byOwner.get(owner) ?? new Map<string, Pod>();
    const change = countOf(after) - countOf(pods.get(uid));
    active.set(owner, (active.get(owner) ?? 0) + change);
    if (after === undefined) pods.delete(uid);
    else pods.set(uid, after);
    if (pods.size > 0) byOwner.set(owner, pods);
    else {
      byOwner.delete(owner);
      active.delete(owner);
    }
  };
  for (const pod of state.pods.values()) update(undefined, pod);
  state.watchers.push({ pod: update });
  return {
    of: (ownerUid) => [...(byOwner.get(ownerUid)?.values() ?? [])],
    activeOf: (ownerUid) => active.get(ownerUid) ?? 0,
    takeChanged() {
      const taken = changed;
      changed = new Set();
      return taken;
    },
    finished: () => [...finished.values()],
  };
}

function countOf(pod: Pod | undefined): number {
  return Number(pod !== undefined && isActive(pod));
}
