import { untoleratedTaint } from '../../apis/taints.ts';
import type { SchedulerCache } from './scheduler-cache.ts';
import { admitsKind, matchesTerm, nodeHasRoom } from './scheduler-filters.ts';
import type { SchedulerNode } from './scheduler-node.ts';
import type { PodKind } from './scheduler-pod-kind.ts';
import type { SimulatedTopologyRules } from './scheduler-topology-rules.ts';

/** Chooses the node for the next pod of a kind; undefined where none takes it. */
export type Choose = (kind: PodKind) => SchedulerNode | undefined;

/** What a PreferNoSchedule taint weighs: as much as the heaviest preference. */
const TAINT_WEIGHT = 100;

/** A node that may take pods of the kind, and the weight of their wishes that it does not meet by itself. */
interface Opening {
  readonly node: SchedulerNode;
  readonly unmet: number;
}

/** What is remembered of a kind until the cache has moved past it. */
interface KindMemory {
  readonly rules: SimulatedTopologyRules;
  readonly loosened: number;
  openings: readonly Opening[];
  /** The cache's version at which no node took such a pod. */
  failedAt?: number;
}

/**
 * Of the nodes that take the pod, the one with the least weight of unmet wishes; of those the one with the most room left
 * afterwards, which is what Kubernetes's default scoring comes to; of those the first by name.
 * *Cost:* O(nodes that still have room for the kind), O(1) for a kind that failed and nothing moved.
 */
export function chooseFrom(cache: SchedulerCache): Choose {
  const memories = new Map<PodKind, KindMemory>();
  const remembered = (kind: PodKind): KindMemory => {
    const known = memories.get(kind);
    if (known?.loosened === cache.loosened()) return known;
    const made: KindMemory = {
      rules: cache.topology.rulesOf(kind),
      loosened: cache.loosened(),
      openings: cache
        .nodes()
        .filter((node) => admitsKind(node, kind))
        .map((node) => ({ node, unmet: unmetByNode(node, kind) })),
    };
    memories.set(kind, made);
    return made;
  };
  return (kind) => {
    const memory = remembered(kind);
    if (memory.failedAt === cache.version()) return undefined;
    // Until something loosens, a node that is too full stays so.
    memory.openings = memory.openings.filter(({ node }) => nodeHasRoom(node, kind));
    const chosen = best(memory, kind);
    if (chosen === undefined) memory.failedAt = cache.version();
    return chosen;
  };
}

function best({ openings, rules }: KindMemory, kind: PodKind): SchedulerNode | undefined {
  let [chosen, leastUnmet, mostRoom]: [SchedulerNode | undefined, number, number] = [undefined, 0, 0];
  for (const { node, unmet: unmetHere } of openings) {
    const room = roomAfter(node, kind);
    if (chosen !== undefined && leastUnmet === 0 && room <= mostRoom) continue;
    if (!rules.allows(node)) continue;
    const unmet = unmetHere + rules.unmetWishes(node);
    const isBetter = unmet < leastUnmet || (unmet === leastUnmet && room > mostRoom);
    if (chosen === undefined || isBetter) [chosen, leastUnmet, mostRoom] = [node, unmet, room];
  }
  return chosen;
}

/** The preferred terms of node affinity that the node does not match, and the taints that it had rather not bear. */
function unmetByNode(node: SchedulerNode, { spec }: PodKind): number {
  let unmet = 0;
  const preferences = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  for (const { weight, preference } of preferences) if (!matchesTerm(node, preference)) unmet += weight;
  for (const taint of node.taints) {
    const isSoft = taint.effect === 'PreferNoSchedule';
    if (isSoft && untoleratedTaint([taint], spec.tolerations) !== undefined) unmet += TAINT_WEIGHT;
  }
  return unmet;
}

/** The share of cpu and memory that would be left. */
function roomAfter({ free, allocatable }: SchedulerNode, { requests }: PodKind): number {
  const cpu = ((free.get('cpu') ?? 0) - (requests['cpu'] ?? 0)) / Math.max(1, allocatable['cpu'] ?? 1);
  const memory = ((free.get('memory') ?? 0) - (requests['memory'] ?? 0)) / Math.max(1, allocatable['memory'] ?? 1);
  return cpu + memory;
}
