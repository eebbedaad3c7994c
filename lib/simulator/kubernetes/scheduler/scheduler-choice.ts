import type { SchedulerCache } from './scheduler-cache.ts';
import { admitsKind, nodeHasRoom } from './scheduler-filters.ts';
import type { SchedulerNode } from './scheduler-node.ts';
import type { Nominations } from './scheduler-nominations.ts';
import type { PodKind, QueuedPod } from './scheduler-pod-kind.ts';
import { bestNode, type ScoredNode, scoredNode } from './scheduler-scores.ts';
import type { SimulatedTopologyRules } from './scheduler-topology-rules.ts';
import type { SimulatedPodVolumes } from './scheduler-volumes.ts';

/** Chooses nodes for pending pods. */
export interface Choice {
  /** The node for the pod; undefined if none fits. `volumes` are those of the pod, if it has claims. */
  readonly choose: (queued: QueuedPod, volumes?: SimulatedPodVolumes) => SchedulerNode | undefined;
  /** Whether no node fitted a pod of the kind, and nothing has changed since. */
  readonly hasFailed: (kind: PodKind) => boolean;
  /** Whether the pod fits the node that is nominated for it. Other pods of its kind may not: the node is reserved for this one. */
  readonly fitsNominated: (queued: QueuedPod) => boolean;
  /** Whether a node admits the kind by its taints and labels, with or without room. */
  readonly isAdmitted: (kind: PodKind) => boolean;
  /** Records that a pod of the kind without claims fits no node, also if other pods are deleted for it. */
  readonly failed: (kind: PodKind) => void;
}

/** Cached results for a kind, valid until `loosened` changes. */
interface KindMemory {
  readonly rules: SimulatedTopologyRules;
  readonly loosened: number;
  readonly isAdmitted: boolean;
  openings: readonly ScoredNode[];
}

/**
 * Chooses the node with the highest score among those that fit, as the default scheduler of Kubernetes does.
 * *Cost:* O(nodes with enough resources for the kind); O(1) for a kind that failed before if nothing has changed.
 */
export function choiceFrom(cache: SchedulerCache, nominations: Nominations): Choice {
  const memories = new WeakMap<PodKind, KindMemory>();
  /** The versions at which no node fitted, by kind. */
  const failedAt = new WeakMap<PodKind, number>();
  const version = (): number => cache.version() + nominations.version();
  const remembered = (kind: PodKind): KindMemory => {
    const known = memories.get(kind);
    if (known?.loosened === cache.loosened()) return known;
    const openings = cache
      .nodes()
      .filter((node) => admitsKind(node, kind))
      .map((node) => scoredNode(node, kind));
    const made: KindMemory = {
      rules: cache.topology.rulesOf(kind),
      loosened: cache.loosened(),
      isAdmitted: openings.length > 0,
      openings,
    };
    memories.set(kind, made);
    return made;
  };
  return {
    choose({ pod, kind }, volumes) {
      if (volumes?.refusal !== undefined) return undefined;
      const memory = remembered(kind);
      // A node that is too full stays so until `loosened` changes.
      memory.openings = memory.openings.filter(({ node }) => nodeHasRoom(node, kind));
      const { rules, openings } = memory;
      const check = rules.check();
      const fitting = openings.filter(
        ({ node }) =>
          check?.(node) !== false &&
          nominations.leaveRoom(node, { pod, kind }) &&
          (volumes === undefined || volumes.fits(node)),
      );
      const nominated = fitting.find(({ node }) => node.name === pod.status?.nominatedNodeName);
      return nominated?.node ?? bestNode(fitting, kind, rules);
    },
    fitsNominated({ pod, kind }) {
      const node = cache.named(pod.status?.nominatedNodeName);
      if (node === undefined || !admitsKind(node, kind) || !nodeHasRoom(node, kind)) return false;
      return remembered(kind).rules.check()?.(node) !== false && nominations.leaveRoom(node, { pod, kind });
    },
    hasFailed: (kind) => failedAt.get(kind) === version(),
    isAdmitted: (kind) => remembered(kind).isAdmitted,
    failed: (kind) => void failedAt.set(kind, version()),
  };
}
