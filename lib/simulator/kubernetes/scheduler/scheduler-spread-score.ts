import type { TopologySpreadConstraint } from '../../../apis/kubernetes.ts';
import { HOSTNAME, ZONE } from '../../../apis/labels.ts';
import type { CountRule, DomainCounts } from './scheduler-domain-counts.ts';
import { nodeLabelOf, type SchedulerNode } from './scheduler-node.ts';
import type { PodKind } from './scheduler-pod-kind.ts';
import { spreadCount } from './scheduler-topology-counts.ts';

/** The constraints that the scheduler adds to pods of a ReplicaSet or StatefulSet without constraints. */
const DEFAULTS = [
  { topologyKey: HOSTNAME, whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: ZONE, whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
] as const;

interface Counted {
  readonly constraint: TopologySpreadConstraint;
  readonly counts: DomainCounts;
}

/**
 * The scores of PodTopologySpread, for ScheduleAnyway constraints and for the defaults of the scheduler: 100 for nodes whose domains
 * have the fewest pods. *Shape:* undefined if the kind has neither. *Source:* podtopologyspread/scoring.go of Kubernetes 1.35.
 */
export function spreadScorer(
  kind: PodKind,
  countFor: (rule: CountRule) => DomainCounts,
): ((nodes: readonly SchedulerNode[]) => readonly number[]) | undefined {
  const own = (kind.spec.topologySpreadConstraints ?? []).filter((one) => one.whenUnsatisfiable === 'ScheduleAnyway');
  const labelSelector = { matchLabels: kind.spreadBy ?? {} };
  const constraints: readonly TopologySpreadConstraint[] =
    kind.spreadBy === undefined ? own : DEFAULTS.map((one) => ({ ...one, labelSelector }));
  if (constraints.length === 0) return undefined;
  const counted = constraints.map((constraint) => ({
    constraint,
    counts: countFor(spreadCount(constraint, kind, kind.spreadBy === undefined ? own : [constraint])),
  }));
  // A node without a label of the pod's own constraints has the score 0. The defaults count the labels that a node has.
  const isScored = (node: SchedulerNode): boolean =>
    kind.spreadBy !== undefined || own.every(({ topologyKey }) => nodeLabelOf(node, topologyKey) !== undefined);
  return (nodes) => normalized(rawScores(nodes, counted, isScored));
}

/** The weighted number of pods in the domains of each node; undefined for nodes that are not scored. */
function rawScores(
  nodes: readonly SchedulerNode[],
  counted: readonly Counted[],
  isScored: (node: SchedulerNode) => boolean,
): readonly (number | undefined)[] {
  const scored = nodes.filter(isScored);
  const weighted = counted.map(({ constraint, counts }) => {
    const size =
      constraint.topologyKey === HOSTNAME ? scored.length : new Set(scored.map((node) => counts.domainOf(node))).size;
    return { maxSkew: constraint.maxSkew, counts, weight: Math.log(size + 2) };
  });
  return nodes.map((node) => {
    if (!isScored(node)) return undefined;
    let score = 0;
    for (const { maxSkew, counts, weight } of weighted) {
      const domain = counts.domainOf(node);
      if (domain !== undefined) score += domain.pods * weight + maxSkew - 1;
    }
    return Math.round(score);
  });
}

function normalized(raw: readonly (number | undefined)[]): readonly number[] {
  let [least, most] = [Infinity, 0];
  for (const score of raw) {
    if (score !== undefined) [least, most] = [Math.min(least, score), Math.max(most, score)];
  }
  return raw.map((score) => {
    if (score === undefined) return 0;
    return most === 0 ? 100 : Math.trunc((100 * (most + least - score)) / most);
  });
}
