import { untoleratedTaint } from '../../../apis/taints.ts';
import type { SchedulerCache } from './scheduler-cache.ts';
import { admitsKind, matchesTerm, nodeHasRoom } from './scheduler-filters.ts';
import type { SchedulerNode } from './scheduler-node.ts';
import type { PodKind } from './scheduler-pod-kind.ts';
import type { SimulatedTopologyRules } from './scheduler-topology-rules.ts';

/** Chooses the node for the next pod of a kind; undefined if none fits. */
export type Choose = (kind: PodKind) => SchedulerNode | undefined;

/** The weight of a PreferNoSchedule taint: that of the heaviest preference. */
const TAINT_WEIGHT = 100;

/** A node that fits pods of the kind, and the weight of their preferences that its own properties do not meet. */
interface Opening {
  readonly node: SchedulerNode;
  readonly unmet: number;
}

/** Cached results for a kind, valid until `loosened` changes. */
interface KindMemory {
  readonly rules: SimulatedTopologyRules;
  readonly loosened: number;
  openings: readonly Opening[];
  /** The version of the cache at which no node fitted. */
  failedAt?: number;
}

/**
 * Returns a function that chooses among the nodes that fit: first by the lowest weight of unmet preferences, then by the
 * largest share of free resources afterwards (as the default scoring of Kubernetes does), then by name.
 * *Cost:* O(nodes with enough resources for the kind); O(1) for a kind that failed before if nothing has changed.
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
    // A node that is too full stays so until `loosened` changes.
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

/** The weight of the unmatched preferred node affinity terms and the untolerated PreferNoSchedule taints. */
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

/** The share of cpu and memory that would be free afterwards. */
function roomAfter({ free, allocatable }: SchedulerNode, { requests }: PodKind): number {
  const cpu = ((free.get('cpu') ?? 0) - (requests['cpu'] ?? 0)) / Math.max(1, allocatable['cpu'] ?? 1);
  const memory = ((free.get('memory') ?? 0) - (requests['memory'] ?? 0)) / Math.max(1, allocatable['memory'] ?? 1);
  return cpu + memory;
}
