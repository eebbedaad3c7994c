import {
  type LabelSelector,
  type LabelSelectorRequirement,
  type Labels,
  namespaceOf,
  type ObjectMeta,
  type OwnerReference,
  type Pod,
  type Service,
  type TopologySpreadConstraint,
} from '../../apis/kubernetes.ts';
import type { DefaultConstraint } from './default-constraint-problems.ts';

/** The objects that a pod's default selector is read from. */
export interface SelectorOwners {
  readonly services: readonly Service[];
  readonly replicationControllers: readonly Service[];
  readonly replicaSets: readonly Selecting[];
  readonly statefulSets: readonly Selecting[];
}

interface Selecting {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly selector?: LabelSelector };
}

/**
 * B22: the pods as the kube-scheduler will see them, with the cluster's default spread where they declare none.
 * *Shape:* a pod that declares one of its own, or for which no selector can be told, is the very object that came in.
 * *Cost:* O(pods + kinds of pods × services of their namespace).
 */
export function withDefaultConstraints(
  pods: readonly Pod[],
  constraints: readonly DefaultConstraint[],
  owners: SelectorOwners,
): readonly Pod[] {
  if (constraints.length === 0) return pods;
  const sources = indexed(owners);
  const known = new Map<string, readonly TopologySpreadConstraint[]>();
  return pods.map((pod) => {
    if ((pod.spec.topologySpreadConstraints ?? []).length > 0) return pod;
    const key = kindOf(pod);
    const ofPod = known.get(key) ?? constraintsFor(pod, constraints, sources);
    known.set(key, ofPod);
    return ofPod.length === 0 ? pod : { ...pod, spec: { ...pod.spec, topologySpreadConstraints: ofPod } };
  });
}

interface Sources {
  readonly services: ReadonlyMap<string, readonly Service[]>;
  /** What a controller adds to the selector, by its API version, kind, namespace and name. */
  readonly controllers: ReadonlyMap<string, LabelSelector>;
}

function indexed({ services, replicationControllers, replicaSets, statefulSets }: SelectorOwners): Sources {
  const named = (kind: string, one: Pick<Selecting, 'metadata'>): string =>
    keyOf(kind, namespaceOf(one), one.metadata.name);
  return {
    services: Map.groupBy(services, namespaceOf),
    controllers: new Map<string, LabelSelector>([
      ...replicationControllers.map(
        (one) => [named('v1/ReplicationController', one), { matchLabels: one.spec.selector ?? {} }] as const,
      ),
      ...replicaSets.map((one) => [named('apps/v1/ReplicaSet', one), asExpressions(one.spec.selector)] as const),
      ...statefulSets.map((one) => [named('apps/v1/StatefulSet', one), asExpressions(one.spec.selector)] as const),
    ]),
  };
}

/** A ReplicaSet's word stands beside a Service's even where they differ; a ReplicationController's replaces it. */
function asExpressions({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): LabelSelector {
  const exact = sorted(matchLabels).map(
    ([key, value]): LabelSelectorRequirement => ({ key, operator: 'In', values: [value] }),
  );
  return { matchExpressions: [...exact, ...matchExpressions] };
}

/** Pods of one namespace, controller and set of labels get the same selector. */
function kindOf(pod: Pod): string {
  const { metadata } = pod;
  return JSON.stringify([namespaceOf(pod), controllerOf(metadata), sorted(metadata.labels ?? {})]);
}

function constraintsFor(
  pod: Pod,
  constraints: readonly DefaultConstraint[],
  sources: Sources,
): readonly TopologySpreadConstraint[] {
  const labelSelector = defaultSelector(pod, sources);
  return labelSelector === undefined ? [] : constraints.map((one) => ({ ...one, labelSelector }));
}

/** Undefined where nothing selects the pod: an empty selector would count every pod of the namespace. */
function defaultSelector(pod: Pod, { services, controllers }: Sources): LabelSelector | undefined {
  const namespace = namespaceOf(pod);
  const owner = controllerOf(pod.metadata);
  const ofOwner =
    owner === undefined ? {} : controllers.get(keyOf(`${owner.apiVersion}/${owner.kind}`, namespace, owner.name));
  const ofServices = (services.get(namespace) ?? [])
    .map(({ spec }) => spec.selector)
    .filter((one) => selects(one, pod.metadata));
  const matchLabels = Object.fromEntries(
    [...ofServices, ofOwner?.matchLabels].flatMap((one) => Object.entries(one ?? {})),
  );
  const matchExpressions = ofOwner?.matchExpressions ?? [];
  const labelled = Object.keys(matchLabels).length > 0;
  if (!labelled && matchExpressions.length === 0) return undefined;
  return {
    ...(labelled ? { matchLabels } : {}),
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
  };
}

/** A Service without a selector selects nothing; one with an empty selector has nothing to say. */
function selects(selector: Labels | undefined, { labels = {} }: ObjectMeta): boolean {
  return selector !== undefined && Object.entries(selector).every(([key, value]) => labels[key] === value);
}

function controllerOf({ ownerReferences = [] }: ObjectMeta): OwnerReference | undefined {
  return ownerReferences.find((owner) => owner.controller === true);
}

function keyOf(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

function sorted(labels: Labels): readonly (readonly [string, string])[] {
  return Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
