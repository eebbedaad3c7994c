import { nodeLabelOf, type PodCount, type SchedulerNode } from './scheduler-node.ts';
import type { PodKind } from './scheduler-pod-kind.ts';

/** Defines a count: of which pods, on which nodes, by the values of which label. */
export interface CountRule {
  /** Equal for rules with equal counts. */
  readonly id: string;
  readonly topologyKey: string;
  /** Whether terminating pods count. */
  readonly withTerminating: boolean;
  readonly counts: (kind: PodKind) => boolean;
  readonly includes: (node: SchedulerNode) => boolean;
}

/** The number of these pods in each domain, updated with every pod. */
export interface DomainCounts {
  readonly rule: CountRule;
  /** The domain of the node with its current number of pods; undefined if it has none or is not included. */
  readonly domainOf: (node: SchedulerNode) => { readonly pods: number } | undefined;
  /** The number of domains. */
  readonly size: () => number;
  /** The number of pods in all domains. */
  readonly total: () => number;
  /** The lowest number of pods in a domain; 0 without domains. *Cost:* O(1), and O(domains) each time that it rises. */
  readonly least: () => number;
  /** Adds a node without pods. */
  readonly enter: (node: SchedulerNode) => void;
  /** Removes a node whose pods were removed before. */
  readonly leave: (node: SchedulerNode) => void;
  readonly add: (node: SchedulerNode, by: PodCount) => void;
}

export function domainCounts(rule: CountRule): DomainCounts {
  const domainByNode = new Map<SchedulerNode, Domain>();
  const domains = new Map<string, Domain>();
  const minimum = leastOf(domains);
  let total = 0;
  const change = (domain: Domain, by: number): void => {
    const before = domain.pods;
    domain.pods += by;
    total += by;
    minimum.moved(before, domain.pods);
  };
  return {
    rule,
    domainOf: (node) => domainByNode.get(node),
    size: () => domains.size,
    total: () => total,
    least: minimum.value,
    enter(node) {
      const name = nodeLabelOf(node, rule.topologyKey);
      if (name === undefined || !rule.includes(node)) return;
      const domain = domains.get(name) ?? { name, pods: 0, nodes: 0 };
      domain.nodes += 1;
      domainByNode.set(node, domain);
      domains.set(name, domain);
      minimum.forget();
    },
    leave(node) {
      const domain = domainByNode.get(node);
      if (domain === undefined) return;
      domainByNode.delete(node);
      domain.nodes -= 1;
      if (domain.nodes === 0) domains.delete(domain.name);
      minimum.forget();
    },
    add(node, { active, terminating }) {
      const domain = domainByNode.get(node);
      if (domain !== undefined) change(domain, active + (rule.withTerminating ? terminating : 0));
    },
  };
}

interface Domain {
  readonly name: string;
  pods: number;
  nodes: number;
}

interface Minimum {
  readonly value: () => number;
  /** One domain changed from `before` pods to `after`. */
  readonly moved: (before: number, after: number) => void;
  /** Domains were added or removed. */
  readonly forget: () => void;
}

/** Counts domains at the minimum, so that all domains are read again only when that count reaches 0. */
function leastOf(domains: ReadonlyMap<string, Domain>): Minimum {
  let least = 0;
  let atLeast = 0;
  return {
    value() {
      if (atLeast > 0) return least;
      least = Number.POSITIVE_INFINITY;
      for (const { pods } of domains.values()) {
        if (pods < least) [least, atLeast] = [pods, 0];
        if (pods === least) atLeast += 1;
      }
      return domains.size === 0 ? 0 : least;
    },
    moved(before, after) {
      if (atLeast === 0 || before === after) return;
      if (after < least) [least, atLeast] = [after, 1];
      else if (before === least) atLeast -= 1;
    },
    forget() {
      atLeast = 0;
    },
  };
}
