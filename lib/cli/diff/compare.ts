import { compareText } from '../../core/compare-text.ts';
import type { PodRefusal } from '../../core/provisioning/pod-refusals.ts';
import type { ChangedNode, Outcome } from './outcome.ts';

/** What manifests change in the decisions of Kerf. */
export interface Difference {
  /** Nodes that only the changed manifests remove. */
  readonly removed: readonly ChangedNode[];
  /** Nodes that only the changed manifests launch. */
  readonly launched: readonly ChangedNode[];
  /** Nodes that would be removed, and stay with the changed manifests. */
  readonly kept: readonly ChangedNode[];
  /** Nodes that would be launched, and are not with the changed manifests. */
  readonly notLaunched: readonly ChangedNode[];
  /** Pods that have no place any more, with the reasons, as `namespace/name`. */
  readonly unschedulable: readonly { readonly pod: string; readonly reasons: readonly PodRefusal[] }[];
  /** Pods that have a place now. */
  readonly schedulable: readonly string[];
  readonly before: Figures;
  readonly after: Figures;
}

/** The cluster when the commands have been carried out. */
export interface Figures {
  readonly usdPerHour: number;
  readonly evictions: number;
  /** Nodes whose removal waits for a disruption budget. */
  readonly waiting: number;
}

export function compare(before: Outcome, after: Outcome): Difference {
  return {
    removed: without(after.removed, before.removed),
    launched: without(after.launched, before.launched),
    kept: without(before.removed, after.removed),
    notLaunched: without(before.launched, after.launched),
    unschedulable: [...after.unschedulable]
      .filter(([pod]) => !before.unschedulable.has(pod))
      .map(([pod, reasons]) => ({ pod, reasons }))
      .toSorted((a, b) => compareText(a.pod, b.pod)),
    schedulable: [...before.unschedulable.keys()].filter((pod) => !after.unschedulable.has(pod)).toSorted(compareText),
    before: figuresOf(before),
    after: figuresOf(after),
  };
}

/** Whether the manifests change anything that Kerf would do. */
export function isDifferent({ before, after, ...lists }: Difference): boolean {
  return Object.values(lists).some((list) => list.length > 0) || JSON.stringify(before) !== JSON.stringify(after);
}

function figuresOf({ usdPerHour, evicted, waiting }: Outcome): Figures {
  return { usdPerHour, evictions: evicted.length, waiting };
}

/** The nodes that the other list does not have. Two new nodes of the same kind are two nodes. */
function without(nodes: readonly ChangedNode[], others: readonly ChangedNode[]): readonly ChangedNode[] {
  const counts = new Map<string, number>();
  for (const one of others) counts.set(kindOf(one), (counts.get(kindOf(one)) ?? 0) + 1);
  const left = nodes.filter((one) => {
    const count = counts.get(kindOf(one)) ?? 0;
    counts.set(kindOf(one), count - 1);
    return count <= 0;
  });
  return left.toSorted((a, b) => compareText(kindOf(a), kindOf(b)));
}

/** The same for the same node, whichever method removes it. */
function kindOf({ node, nodePool, instanceType, capacityType, zone, usdPerHour }: ChangedNode): string {
  return JSON.stringify([node ?? '', nodePool, instanceType, capacityType, zone, usdPerHour]);
}
