import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { podRequests } from '../resources/pod-requests.ts';
import type { Resources } from '../resources/resources.ts';
import { type HostPort, hostPorts } from './host-ports.ts';

/** A pod to place, with what is worked out once for it (B27). */
export interface Demand {
  readonly pod: Pod;
  readonly key: string;
  readonly requests: Resources;
  readonly ports: readonly HostPort[];
}

export function demandOf(pod: Pod): Demand {
  return { pod, key: podKey(pod), requests: podRequests(pod), ports: hostPorts(pod) };
}

/** B28: the largest first: cpu, then memory, then the oldest, then by uid. Priority plays no part. */
export function byDescendingSize(a: Demand, b: Demand): number {
  return (
    (b.requests['cpu'] ?? 0) - (a.requests['cpu'] ?? 0) ||
    (b.requests['memory'] ?? 0) - (a.requests['memory'] ?? 0) ||
    compare(a.pod.metadata.creationTimestamp, b.pod.metadata.creationTimestamp) ||
    compare(a.pod.metadata.uid, b.pod.metadata.uid) ||
    compare(a.key, b.key)
  );
}

function compare(a = '', b = ''): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Pods of one class are alike in all that decides a place: what one is refused for, the other is too. */
export function classOf(demand: Demand): string {
  const { metadata, spec } = demand.pod;
  return JSON.stringify([
    metadata.namespace,
    metadata.labels,
    demand.requests,
    demand.ports,
    spec.nodeSelector,
    spec.affinity,
    spec.tolerations,
    spec.topologySpreadConstraints,
  ]);
}
