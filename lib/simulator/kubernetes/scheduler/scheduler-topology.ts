import { type CountRule, type DomainCounts, domainCounts } from './scheduler-domain-counts.ts';
import type { PodCount, SchedulerNode } from './scheduler-node.ts';
import type { PodKind } from './scheduler-pod-kind.ts';
import { attractedBy, keepingAway } from './scheduler-topology-counts.ts';
import { type SimulatedTopologyRules, topologyRules, type WeightedCounts } from './scheduler-topology-rules.ts';

/**
 * PodTopologySpread and InterPodAffinity. Each count exists once and is updated with every pod that is added or removed.
 * *Cost:* O(counts of the pod) for each added or removed pod; O(constraints and terms of the kind) for each node.
 */
export interface SchedulerTopology {
  /** Adds a node with its pods. */
  readonly enter: (node: SchedulerNode) => void;
  /** Removes a node; called before the node changes. */
  readonly leave: (node: SchedulerNode) => void;
  /** Adds pods of the kind to the node's counts; called before the node changes. */
  readonly add: (node: SchedulerNode, kind: PodKind, by: PodCount) => void;
  readonly rulesOf: (kind: PodKind) => SimulatedTopologyRules;
}

export function schedulerTopology(): SchedulerTopology {
  const nodes = new Set<SchedulerNode>();
  const counts = new Map<string, DomainCounts>();
  const all: DomainCounts[] = [];
  const countFor = (rule: CountRule): DomainCounts => {
    const known = counts.get(rule.id);
    if (known !== undefined) return known;
    const made = domainCounts(rule);
    for (const node of nodes) {
      made.enter(node);
      for (const [kind, count] of node.pods) if (rule.counts(kind)) made.add(node, count);
    }
    counts.set(rule.id, made);
    all.push(made);
    return made;
  };
  const countsWith = growingList(all, (one, kind) => one.rule.counts(kind));
  const { meet, avoiding, attracting } = termsOfPods(counts, countFor);
  const rules = new WeakMap<PodKind, SimulatedTopologyRules>();
  return {
    enter(node) {
      nodes.add(node);
      for (const one of all) one.enter(node);
      for (const [kind, count] of node.pods) for (const one of countsWith(kind)) one.add(node, count);
    },
    leave(node) {
      nodes.delete(node);
      for (const [kind, { active, terminating }] of node.pods) {
        for (const one of countsWith(kind)) one.add(node, { active: -active, terminating: -terminating });
      }
      for (const one of all) one.leave(node);
    },
    add(node, kind, by) {
      meet(kind);
      for (const one of countsWith(kind)) one.add(node, by);
    },
    rulesOf(kind) {
      meet(kind);
      const known =
        rules.get(kind) ??
        topologyRules(kind, { countFor, avoiding: () => avoiding(kind), attracting: () => attracting(kind) });
      rules.set(kind, known);
      return known;
    },
  };
}

interface TermsOfPods {
  /** Adds the counts for the terms of a kind when its first pod is added. */
  readonly meet: (kind: PodKind) => void;
  readonly avoiding: (kind: PodKind) => readonly { readonly counts: DomainCounts }[];
  readonly attracting: (kind: PodKind) => readonly WeightedCounts[];
}

/** The affinity and anti-affinity terms of all pods, by the kinds that they select. */
function termsOfPods(
  counts: ReadonlyMap<string, DomainCounts>,
  countFor: (rule: CountRule) => DomainCounts,
): TermsOfPods {
  const avoided: { readonly counts: DomainCounts; readonly keepsAway: (kind: PodKind) => boolean }[] = [];
  const attracted: (WeightedCounts & { readonly attracts: (kind: PodKind) => boolean })[] = [];
  const met = new WeakSet<PodKind>();
  return {
    avoiding: growingList(avoided, (one, kind) => one.keepsAway(kind)),
    attracting: growingList(attracted, (one, kind) => one.attracts(kind)),
    meet(kind) {
      if (met.has(kind)) return;
      met.add(kind);
      for (const { rule, keepsAway } of keepingAway(kind)) {
        if (!counts.has(rule.id)) avoided.push({ counts: countFor(rule), keepsAway });
      }
      for (const { rule, attracts, weight } of attractedBy(kind)) {
        if (!counts.has(rule.id)) attracted.push({ counts: countFor(rule), attracts, weight });
      }
    },
  };
}

/** The items of a growing list that apply to a kind. Each item is tested once for each kind. */
function growingList<One>(
  list: readonly One[],
  appliesTo: (one: One, kind: PodKind) => boolean,
): (kind: PodKind) => readonly One[] {
  const byKind = new WeakMap<PodKind, { readonly found: One[]; upTo: number }>();
  return (kind) => {
    const known = byKind.get(kind) ?? { found: [], upTo: 0 };
    byKind.set(kind, known);
    for (const one of list.slice(known.upTo)) if (appliesTo(one, kind)) known.found.push(one);
    known.upTo = list.length;
    return known.found;
  };
}
