import { type Labels, type Pod, type PodSpec, podKey } from '../../apis/kubernetes.ts';
import { compareText } from '../../core/compare-text.ts';
import { podRequests } from '../../core/resources/pod-requests.ts';
import type { Resources } from '../../core/resources/resources.ts';

/** A port of the node that a pod takes. */
export interface SimulatedHostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

/** What is alike in pods that the scheduler cannot tell apart: whatever decides where they may be. One object a kind. */
export interface PodKind {
  readonly namespace: string;
  readonly labels: Labels;
  readonly requests: Resources;
  readonly ports: readonly SimulatedHostPort[];
  readonly spec: Pick<PodSpec, 'nodeSelector' | 'affinity' | 'tolerations' | 'topologySpreadConstraints'>;
}

/** Tells a pod's kind. *Shape:* the same object for every pod of the kind. */
export function podKinds(): (pod: Pod) => PodKind {
  const kinds = new Map<string, PodKind>();
  // Pods of one template share its spec: it is read once.
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

/** The pod as the queue knows it. */
export interface QueuedPod {
  readonly pod: Pod;
  readonly kind: PodKind;
}

/**
 * The order in which pending pods have their turn: by priority, then the largest first, which packs what was planned
 * together onto the node that it was planned for; then by age.
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

/** Those of containers and sidecars. An init container's port is free again once it has ended. */
function hostPorts(spec: PodSpec): readonly SimulatedHostPort[] {
  const sidecars = (spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always');
  return [...spec.containers, ...sidecars].flatMap((container) =>
    (container.ports ?? []).flatMap(({ hostPort = 0, hostIP = '', protocol = 'TCP' }) =>
      hostPort === 0 ? [] : [{ ip: hostIP === '' ? '0.0.0.0' : hostIP, port: hostPort, protocol }],
    ),
  );
}
