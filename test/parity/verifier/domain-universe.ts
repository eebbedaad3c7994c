import type { Cluster } from './cluster.ts';
import type { LabelView } from './label-selectors.ts';
import type { RawNodePool, RawNodeSelectorTerm, RawPodSpec } from './raw-documents.ts';
import { untolerated } from './taints-and-tolerations.ts';
import { type InclusionPolicies, selectionOf } from './topology-hosts.ts';
import { allowedBy, both, exactly, isNothing } from './value-set.ts';
import { HOSTNAME } from './well-known-labels.ts';

/** The labels that a node must have to count. */
interface WithKeys {
  readonly keys: readonly string[];
}

/** Domains without pods: those that NodePools could add, and those of them that a pod may use. */
export interface DomainUniverse {
  /** Values of the label over the available offerings of the pools (B45), for outcomes that match the pod. */
  readonly ofPools: (spec: RawPodSpec, key: string, policies: InclusionPolicies & WithKeys) => readonly string[];
  /** Whether the pod's node selection, read for this label alone, allows the value. */
  readonly mayUse: (spec: RawPodSpec, key: string, value: string) => boolean;
}

export function domainUniverse(cluster: Cluster): DomainUniverse {
  const views = new Map<RawNodePool, readonly LabelView[]>();
  const known = new Map<string, readonly string[]>();
  const viewsOf = (pool: RawNodePool): readonly LabelView[] => {
    const made = views.get(pool) ?? viewsOfPool(cluster, pool);
    views.set(pool, made);
    return made;
  };
  return {
    ofPools: (spec, key, policies) => {
      const pools = [...cluster.pools.values()].filter(
        (pool) => !policies.taints || untolerated(taintsOf(pool), spec.tolerations ?? []) === undefined,
      );
      return pools.flatMap((pool) => {
        const name = JSON.stringify([pool.metadata.name, key, selectionOf(spec), policies]);
        const isMeant = (view: LabelView) =>
          (!policies.affinity || mayGo(spec, view)) &&
          policies.keys.every((one) => one === HOSTNAME || !view(one).absent);
        const values = known.get(name) ?? valuesOf(viewsOf(pool), key, isMeant);
        known.set(name, values);
        return values;
      });
    },
    mayUse,
  };
}

function viewsOfPool(cluster: Cluster, pool: RawNodePool): readonly LabelView[] {
  const allowance = cluster.ofPool(pool);
  return [...cluster.typesOf(pool).values()].flatMap((type) => {
    const options = allowance.optionsOf(type);
    return typeof options === 'string' ? [] : options.map(({ labels }) => labels);
  });
}

function taintsOf({ spec }: RawNodePool) {
  return spec.template.spec.taints ?? [];
}

function valuesOf(views: readonly LabelView[], key: string, isMeant: (view: LabelView) => boolean): readonly string[] {
  const values = new Set<string>();
  for (const view of views) {
    const set = view(key);
    const unseen = set.complement ? [] : [...set.values].filter((value) => !values.has(value));
    if (unseen.length > 0 && isMeant(view)) {
      unseen.forEach((value) => values.add(value));
    }
  }
  return [...values];
}

/** Whether some outcome of the labels matches the pod. */
function mayGo(spec: RawPodSpec, labels: LabelView): boolean {
  return termsOf(spec).some((term) => term.every(({ key, set }) => !isNothing(both(labels(key), set))));
}

function mayUse(spec: RawPodSpec, key: string, value: string): boolean {
  const label = exactly(value);
  return termsOf(spec).some((term) => term.every((one) => one.key !== key || !isNothing(both(label, one.set))));
}

function termsOf({ nodeSelector = {}, affinity }: RawPodSpec) {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}];
  const own = Object.entries(nodeSelector).map(([key, value]) => ({ key, set: exactly(value) }));
  return required.map(({ matchExpressions = [] }: RawNodeSelectorTerm) => [
    ...own,
    ...matchExpressions.map((one) => ({ key: one.key, set: allowedBy(one) })),
  ]);
}
