import type { PodAffinityTerm, TopologySpreadConstraint } from '../../apis/kubernetes.ts';
import type { CountRule } from './scheduler-domain-counts.ts';
import { matchesNodeAffinity, toleratesTaints } from './scheduler-filters.ts';
import { nodeLabelOf } from './scheduler-node.ts';
import type { PodKind } from './scheduler-pod-kind.ts';
import { type PodSelector, simulatedSpreadSelector, termSelector } from './scheduler-selectors.ts';

/** What spread constraints and affinity terms count. */

/** `together` are the constraints that are judged at once: a node must have the labels of all of them to count. */
export function spreadCount(
  constraint: TopologySpreadConstraint,
  kind: PodKind,
  together: readonly TopologySpreadConstraint[],
): CountRule {
  const selector = simulatedSpreadSelector(constraint, kind);
  const keys = [...new Set(together.map((one) => one.topologyKey))].toSorted();
  const affinity = constraint.nodeAffinityPolicy === 'Ignore' ? undefined : nodeAffinityOf(kind);
  const tolerations = constraint.nodeTaintsPolicy === 'Honor' ? (kind.spec.tolerations ?? []) : undefined;
  return {
    id: JSON.stringify(['spread', constraint.topologyKey, selector.id, keys, affinity, tolerations]),
    topologyKey: constraint.topologyKey,
    withTerminating: false,
    counts: selector.selects,
    includes: (node) =>
      keys.every((key) => nodeLabelOf(node, key) !== undefined) &&
      (affinity === undefined || matchesNodeAffinity(node, kind.spec)) &&
      (tolerations === undefined || toleratesTaints(node, kind.spec)),
  };
}

/** Pods that the selector picks, those that are ending too: they are still there. */
export function affinityCount(topologyKey: string, selector: PodSelector): CountRule {
  return {
    id: JSON.stringify(['affinity', topologyKey, selector.id]),
    topologyKey,
    withTerminating: true,
    counts: selector.selects,
    includes: everyNode,
  };
}

/** For each term by which such pods keep others away: a count of the pods that have the term, and whom it means. */
export function keepingAway(
  owner: PodKind,
): readonly { readonly rule: CountRule; readonly keepsAway: (kind: PodKind) => boolean }[] {
  return requiredAntiAffinity(owner).map((term) => {
    const selector = termSelector(term, owner);
    const rule: CountRule = {
      id: keptAwayId(term, owner),
      topologyKey: term.topologyKey,
      withTerminating: true,
      counts: (kind) => requiredAntiAffinity(kind).some((other) => keptAwayId(other, kind) === rule.id),
      includes: everyNode,
    };
    return { rule, keepsAway: selector.selects };
  });
}

export function requiredAntiAffinity({ spec }: PodKind): readonly PodAffinityTerm[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

function keptAwayId(term: PodAffinityTerm, owner: PodKind): string {
  return JSON.stringify(['kept away', term.topologyKey, termSelector(term, owner).id]);
}

/** Undefined where the kind asks for nothing, so that all such kinds share their counts. */
function nodeAffinityOf({ spec }: PodKind): readonly unknown[] | undefined {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return spec.nodeSelector === undefined && required === undefined ? undefined : [spec.nodeSelector, required];
}

function everyNode(): boolean {
  return true;
}
