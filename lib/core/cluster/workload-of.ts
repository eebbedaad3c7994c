import { controllerOf, namespaceOf, type Pod } from '../../apis/kubernetes.ts';
import { onceFor } from '../kept-answers.ts';

/** What controls pods: a Deployment, a StatefulSet, a Job. */
export interface Workload {
  readonly kind: string;
  readonly name: string;
}

/** The end of the name of a ReplicaSet that a Deployment has created: the letters and digits that Kubernetes uses for hashes. */
const TEMPLATE_HASH = /-[bcdfghjklmnpqrstvwxz2456789]{8,10}$/;

/** The workload of a pod, by the names alone. *Shape:* undefined for a pod without a controller. */
export const workloadIn: (pod: Pod) => Workload | undefined = onceFor((pod: Pod) => {
  const { labels } = pod.metadata;
  const owner = controllerOf(pod);
  if (owner === undefined) return undefined;
  const { kind, name } = owner;
  // A Deployment names its ReplicaSets by the hash of their template, which their pods have as a label.
  const hash = labels?.['pod-template-hash'];
  const revision = hash === undefined ? (TEMPLATE_HASH.exec(name)?.[0] ?? '') : `-${hash}`;
  const isRevision = kind === 'ReplicaSet' && revision.length > 1 && name.endsWith(revision);
  return isRevision ? { kind: 'Deployment', name: name.slice(0, -revision.length) } : { kind, name };
});

/** `Deployment default/web`. *Shape:* undefined for a pod without a controller. */
export function workloadOf(pod: Pod): string | undefined {
  const workload = workloadIn(pod);
  return workload && `${workload.kind} ${namespaceOf(pod)}/${workload.name}`;
}
