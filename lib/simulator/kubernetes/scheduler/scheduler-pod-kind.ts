import { type Labels, type Pod, type PodSpec, podKey } from '../../../apis/kubernetes.ts';
import { compareText } from '../../../core/compare-text.ts';
import { podRequests } from '../../../core/resources/pod-requests.ts';
import type { Resources } from '../../../core/resources/resources.ts';

/** A host port that a pod uses. */
export interface SimulatedHostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

/** The properties of pods that decide where they can be scheduled. Pods with equal properties share one object. */
export interface PodKind {
  readonly namespace: string;
  readonly labels: Labels;
  readonly requests: Resources;
  readonly ports: readonly SimulatedHostPort[];
  readonly spec: Pick<PodSpec, 'nodeSelector' | 'affinity' | 'tolerations' | 'topologySpreadConstraints'>;
}

/** Returns a function that gives the kind of a pod. *Shape:* the same object for every pod of the kind. */
export function podKinds(): (pod: Pod) => PodKind {
  const kinds = new Map<string, PodKind>();
  // Pods of one template share its spec, so it is read once.
  const known = new WeakMap<PodSpec, SpecFacts>();
  return (pod) => {
    const facts = known.get(pod.spec) ?? factsOf(pod);
    known.set(pod.spec, facts);
    const { namespace = 'default', labels = {} } = pod.metadata;
    const id = JSON.stringify([namespace, labels, facts.text]);
    const kind = kinds.get(id) ?? { namespace, labels, ...facts };
    kinds.set(id, kind);
    return kind;
  };
}

/** A pending pod with its kind. */
export interface QueuedPod {
  readonly pod: Pod;
  readonly kind: PodKind;
}

/**
 * The order of pending pods: by priority, then by descending requests, so that pods planned together are bound to the node
 * that was planned for them; then by age.
 */
export function byTurn(a: QueuedPod, b: QueuedPod): number {
  return (
    (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0) ||
    (b.kind.requests['cpu'] ?? 0) - (a.kind.requests['cpu'] ?? 0) ||
    (b.kind.requests['memory'] ?? 0) - (a.kind.requests['memory'] ?? 0) ||
    compareText(a.pod.metadata.creationTimestamp, b.pod.metadata.creationTimestamp) ||
    compareText(a.pod.metadata.uid, b.pod.metadata.uid) ||
    compareText(podKey(a.pod), podKey(b.pod))
  );
}

interface SpecFacts extends Pick<PodKind, 'requests' | 'ports' | 'spec'> {
  readonly text: string;
}

function factsOf(pod: Pod): SpecFacts {
  const requests = podRequests(pod);
  const ports = hostPorts(pod.spec);
  const { nodeSelector, affinity, tolerations, topologySpreadConstraints } = pod.spec;
  const text = JSON.stringify([requests, ports, nodeSelector, affinity, tolerations, topologySpreadConstraints]);
  return { requests, ports, spec: pod.spec, text };
}

/** The host ports of containers and sidecars. The port of an init container is free after it has ended. */
function hostPorts(spec: PodSpec): readonly SimulatedHostPort[] {
  const sidecars = (spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always');
  return [...spec.containers, ...sidecars].flatMap((container) =>
    (container.ports ?? []).flatMap(({ hostPort = 0, hostIP = '', protocol = 'TCP' }) =>
      hostPort === 0 ? [] : [{ ip: hostIP === '' ? '0.0.0.0' : hostIP, port: hostPort, protocol }],
    ),
  );
}
