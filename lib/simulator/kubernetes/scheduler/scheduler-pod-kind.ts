import type { Labels, Pod, PodSpec } from '../../../apis/kubernetes.ts';
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
  /** The cpu and memory that scores count: a container without a request has a default. */
  readonly assumed: { readonly cpu: number; readonly memory: number };
  readonly ports: readonly SimulatedHostPort[];
  readonly priority: number;
  /** Whether pods of lower priority can be deleted for it. */
  readonly preempts: boolean;
  /** The labels of its ReplicaSet or StatefulSet, whose pods are spread although they do not ask for it. @default not spread */
  readonly spreadBy: Labels | undefined;
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
    const spreadBy = spreadLabels(pod);
    const id = JSON.stringify([namespace, labels, spreadBy !== undefined, facts.text]);
    const kind = kinds.get(id) ?? { namespace, labels, spreadBy, ...facts };
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
 * The order of the queue: by priority, then by the time at which a pod came into the queue. Since Kubernetes 1.33, a pod that failed
 * is tried again without a back-off when something changes and no other pod waits, so its age is the time of its creation.
 */
export function byTurn(a: QueuedPod, b: QueuedPod): number {
  return (
    b.kind.priority - a.kind.priority || compareText(a.pod.metadata.creationTimestamp, b.pod.metadata.creationTimestamp)
  );
}

interface SpecFacts extends Omit<PodKind, 'namespace' | 'labels' | 'spreadBy'> {
  readonly text: string;
}

function factsOf(pod: Pod): SpecFacts {
  const requests = podRequests(pod);
  const assumed = assumedRequests(pod.spec, requests);
  const ports = hostPorts(pod.spec);
  const { nodeSelector, affinity, tolerations, topologySpreadConstraints, priority = 0, preemptionPolicy } = pod.spec;
  const preempts = preemptionPolicy !== 'Never';
  const read = [nodeSelector, affinity, tolerations, topologySpreadConstraints];
  const text = JSON.stringify([requests, assumed, ports, priority, preempts, ...read]);
  return { requests, assumed, ports, priority, preempts, spec: pod.spec, text };
}

const ASSUMED_MILLICORES = 100;
const ASSUMED_BYTES = 200 * 1024 * 1024;

function assumedRequests(spec: PodSpec, requests: Resources): PodKind['assumed'] {
  const without = (name: string): number =>
    spec.resources?.requests?.[name] === undefined
      ? spec.containers.filter(
          ({ resources }) => ({ ...resources?.limits, ...resources?.requests })[name] === undefined,
        ).length
      : 0;
  return {
    cpu: (requests['cpu'] ?? 0) + ASSUMED_MILLICORES * without('cpu'),
    memory: (requests['memory'] ?? 0) + ASSUMED_BYTES * without('memory'),
  };
}

/** The labels that the controllers give each pod of a StatefulSet, which the selector of the StatefulSet does not have. */
const OWN_LABELS: ReadonlySet<string> = new Set(['statefulset.kubernetes.io/pod-name', 'apps.kubernetes.io/pod-index']);

function spreadLabels({ metadata, spec }: Pod): Labels | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || !['ReplicaSet', 'StatefulSet', 'ReplicationController'].includes(owner.kind))
    return undefined;
  if ((spec.topologySpreadConstraints ?? []).length > 0) return undefined;
  const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => !OWN_LABELS.has(key));
  return labels.length === 0 ? undefined : Object.fromEntries(labels);
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
