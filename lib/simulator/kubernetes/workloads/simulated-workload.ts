import { namespaceOf, type Pod, podKey } from '../../../apis/kubernetes.ts';

/** The annotation that names the workload of a pod, which its owner alone does not tell: a ReplicaSet may be that of a Deployment. */
export const WORKLOAD = 'kerf.dev/simulated-workload';

/** The workload of a pod: `Deployment default/web`, `CronJob default/nightly`, `Pod default/one`. */
export function workloadOf(pod: Pod): string {
  const named = pod.metadata.annotations?.[WORKLOAD];
  if (named !== undefined) return named;
  const owner = pod.metadata.ownerReferences?.[0];
  return owner === undefined ? `Pod ${podKey(pod)}` : `${owner.kind} ${namespaceOf(pod)}/${owner.name}`;
}
