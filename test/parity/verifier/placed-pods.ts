import type { Cluster } from './cluster.ts';
import { isOver } from './existing-nodes.ts';
import { expressionsOf, selects } from './label-selectors.ts';
import type { PlannedClaim } from './planned-claim.ts';
import type { RawAffinityTerm, RawLabels, RawPlan, RawPod, RawSelector } from './raw-documents.ts';
import { type Host, topologyHosts } from './topology-hosts.ts';
import { keyOf } from './well-known-labels.ts';

/** A pod in the final state: where it was before, or where the plan places it. */
export interface PlacedPod {
  readonly name: string;
  readonly pod: RawPod;
  readonly host: Host;
  /** Placed by this plan. */
  readonly isNew: boolean;
}

/** The final state; pods with the same namespace and labels form a group. */
export interface Placement {
  readonly hosts: readonly Host[];
  readonly placed: readonly PlacedPod[];
  /** Pods that a selector matches; namespaces undefined means all. */
  readonly matching: (selector: RawSelector | undefined, namespaces?: ReadonlySet<string>) => readonly PlacedPod[];
  /** The namespaces of an affinity term of a pod (B52). */
  readonly namespacesOf: (term: RawAffinityTerm, own: string) => ReadonlySet<string>;
}

export function placementOf(cluster: Cluster, plan: RawPlan, claims: readonly PlannedClaim[]): Placement {
  const hosts = topologyHosts(cluster, claims);
  const placed = new Map<string, PlacedPod>();
  const place = (pod: RawPod, host: Host, isNew: boolean) => {
    const name = keyOf(pod.metadata);
    placed.set(name, { name, pod, host, isNew });
  };
  for (const { name, pods } of cluster.nodes.values()) {
    const host = hosts.nodes.get(name);
    for (const pod of pods.filter((one) => staysThere(cluster, plan, one))) {
      if (host !== undefined) {
        place(pod, host, false);
      }
    }
  }
  for (const { node, pods } of plan.existing ?? []) {
    const host = hosts.nodes.get(node);
    for (const pod of pods.flatMap((name) => cluster.pods.get(name) ?? [])) {
      if (host !== undefined) {
        place(pod, host, true);
      }
    }
  }
  for (const [claim, host] of hosts.claims) {
    for (const pod of claim.pods) {
      place(pod, host, true);
    }
  }
  const all = [...placed.values()];
  return {
    hosts: [...hosts.nodes.values(), ...hosts.claims.values()],
    placed: all,
    matching: matcher(all),
    namespacesOf: namespaceResolver(cluster),
  };
}

/**
 * B46: a pod that is being deleted does not count. A pod on a node that is being deleted does not count if the plan answers it,
 * also with an error.
 */
function staysThere({ movable }: Cluster, { podErrors = {} }: RawPlan, pod: RawPod): boolean {
  const name = keyOf(pod.metadata);
  const isMoving = movable.has(name) && podErrors[name] !== undefined;
  return pod.metadata.deletionTimestamp === undefined && !isOver(pod) && !isMoving;
}

interface PodClass {
  readonly namespace: string;
  readonly labels: RawLabels;
  readonly pods: PlacedPod[];
}

function matcher(placed: readonly PlacedPod[]): Placement['matching'] {
  const classes = new Map<string, PodClass>();
  for (const one of placed) {
    const { namespace = 'default', labels = {} } = one.pod.metadata;
    const name = JSON.stringify([
      namespace,
      Object.keys(labels)
        .toSorted()
        .map((key) => [key, labels[key]]),
    ]);
    const its = classes.get(name) ?? { namespace, labels, pods: [] };
    its.pods.push(one);
    classes.set(name, its);
  }
  const byLabel = new Map<string, PodClass[]>();
  for (const one of classes.values()) {
    for (const [key, value] of Object.entries(one.labels)) {
      const list = byLabel.get(`${key}=${value}`) ?? [];
      list.push(one);
      byLabel.set(`${key}=${value}`, list);
    }
  }
  return (selector, namespaces) => {
    const candidates = selector === undefined ? [] : candidatesFor(selector, byLabel, classes);
    return candidates
      .filter(
        ({ namespace, labels }) => (namespaces === undefined || namespaces.has(namespace)) && selects(selector, labels),
      )
      .flatMap(({ pods }) => pods);
  };
}

/** The groups with one label that the selector requires, if there is one; otherwise all groups. */
function candidatesFor(
  selector: RawSelector,
  byLabel: ReadonlyMap<string, readonly PodClass[]>,
  classes: ReadonlyMap<string, PodClass>,
): readonly PodClass[] {
  const fixed = expressionsOf(selector).find(({ operator, values = [] }) => operator === 'In' && values.length === 1);
  return fixed === undefined ? [...classes.values()] : (byLabel.get(`${fixed.key}=${fixed.values?.[0] ?? ''}`) ?? []);
}

function namespaceResolver({ snapshot, pods }: Cluster): Placement['namespacesOf'] {
  const named = new Map((snapshot.namespaces ?? []).map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const inUse = [...pods.values()].map(({ metadata }) => metadata.namespace ?? 'default');
  const all = new Map([...inUse.map((name) => [name, {}] as const), ...named]);
  const labelled = [...all].map(([name, labels]) => ({
    name,
    labels: { 'kubernetes.io/metadata.name': name, ...labels },
  }));
  const selected = new Map<string, readonly string[]>();
  return ({ namespaces = [], namespaceSelector }, own) => {
    if (namespaceSelector === undefined) {
      return new Set(namespaces.length === 0 ? [own] : namespaces);
    }
    const name = JSON.stringify(namespaceSelector);
    const found =
      selected.get(name) ?? labelled.filter((one) => selects(namespaceSelector, one.labels)).map((one) => one.name);
    selected.set(name, found);
    return new Set([...namespaces, ...found]);
  };
}
