import { controllerOf, type Labels, type Namespace, type Pod, type PodSpec } from '../../../apis/kubernetes.ts';
import { namespaceLabels } from '../../../core/cluster/namespaces.ts';
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
  readonly namespaceLabels: Labels;
  /** Without the labels that differ for each pod, unless a pod reads them. */
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
export function podKinds(namespaces: ReadonlyMap<string, Namespace>): (pod: Pod) => PodKind {
  const kinds = weakValues<PodKind>();
  const read = new Set<string>();
  // Pods of one template share its spec, so it is read once.
  const bySpec = new WeakMap<PodSpec, SpecFacts>();
  return (pod) => {
    const facts = bySpec.get(pod.spec) ?? factsOf(pod);
    bySpec.set(pod.spec, facts);
    const { namespace = 'default' } = pod.metadata;
    for (const label of OWN_LABELS) if (facts.text.includes(label)) read.add(label);
    const labels = withoutOwn(pod.metadata.labels, read);
    const spreadBy = spreadLabels(pod);
    const id = JSON.stringify([namespace, labels, spreadBy !== undefined, facts.text]);
    const known = kinds.get(id);
    if (known !== undefined) return known;
    const found = namespaces.get(namespace) ?? { metadata: { name: namespace } };
    const made = { namespace, namespaceLabels: namespaceLabels(found), labels, spreadBy, ...facts };
    kinds.set(id, made);
    return made;
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

interface SpecFacts extends Omit<PodKind, 'namespace' | 'namespaceLabels' | 'labels' | 'spreadBy'> {
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

/** The labels with which controllers tell their pods apart. The selector of a StatefulSet does not have them. */
const OWN_LABELS: ReadonlySet<string> = new Set([
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
  'batch.kubernetes.io/job-name',
  'batch.kubernetes.io/job-completion-index',
  'job-name',
]);

/**
 * The labels, less those of OWN_LABELS that no constraint or term of a pod so far reads, so that the pods of a StatefulSet, and of
 * Jobs with equal templates, are of one kind.
 */
function withoutOwn(labels: Labels = {}, read: ReadonlySet<string>): Labels {
  const kept = Object.entries(labels).filter(([key]) => !OWN_LABELS.has(key) || read.has(key));
  return Object.fromEntries(kept);
}

interface WeakValues<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
}

/** A map whose values are dropped when nothing else refers to them, so that a long simulation does not keep every kind. */
function weakValues<Value extends object>(): WeakValues<Value> {
  const values = new Map<string, WeakRef<Value>>();
  let sweepAt = 1_000;
  return {
    get: (key) => values.get(key)?.deref(),
    set(key, value) {
      values.set(key, new WeakRef(value));
      if (values.size < sweepAt) return;
      for (const [known, each] of values) if (each.deref() === undefined) values.delete(known);
      sweepAt = Math.max(1_000, 2 * values.size);
    },
  };
}

function spreadLabels(pod: Pod): Labels | undefined {
  const { metadata, spec } = pod;
  const owner = controllerOf(pod);
  if (owner === undefined || !['ReplicaSet', 'StatefulSet', 'ReplicationController'].includes(owner.kind))
    return undefined;
  if ((spec.topologySpreadConstraints ?? []).length > 0) return undefined;
  const labels = withoutOwn(metadata.labels, new Set());
  return Object.keys(labels).length === 0 ? undefined : labels;
}

/** The host ports of containers and sidecars. The port of an init container is free after it has ended. */
function hostPorts(spec: PodSpec): readonly SimulatedHostPort[] {
  const sidecars = (spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always');
  return [...spec.containers, ...sidecars].flatMap((container) =>
    (container.ports ?? []).flatMap(({ containerPort = 0, hostPort = 0, hostIP = '', protocol = 'TCP' }) => {
      // The API server sets the host port of a pod on the network of the node.
      const port = hostPort === 0 && spec.hostNetwork === true ? containerPort : hostPort;
      return port === 0 ? [] : [{ ip: hostIP === '' ? '0.0.0.0' : hostIP, port, protocol }];
    }),
  );
}
