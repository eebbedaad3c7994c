import { counted } from '../../../apis/counted.ts';
import { namespaceOf, type Pod, type PodDisruptionBudget } from '../../../apis/kubernetes.ts';
import type { DisruptionReason } from '../../../apis/node-pool.ts';
import { isUnhealthyExempt, selectsPod } from '../../cluster/pod-disruption-budgets.ts';
import { isDrainable, isOwnedByDaemonSet } from '../../cluster/pods.ts';
import { activePods, type StateNode } from '../../cluster/state-node.ts';
import { onceFor } from '../../kept-answers.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Blocked } from '../../model/decision.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { blockedNode } from '../budget-ledger.ts';
import { type Candidate, classOf, ignoresPodBlockers } from '../candidates.ts';
import type { Move } from '../method.ts';

/** The evictions of commands, by PodDisruptionBudget. Each command that is taken adds to them. */
export interface EvictionLedger {
  /**
   * Why the nodes would wait for evictions of other commands. One command may evict more pods than a budget allows, because their
   * nodes are drained step by step. *Shape:* undefined if they would not.
   */
  whyWaiting(move: Pick<Move, 'candidates'>, reason: DisruptionReason): Refusal | undefined;
  take(move: Pick<Move, 'candidates'>): void;
}

/** Begins with the evictions of the commands of the snapshot. *Cost:* O(their pods × budgets). */
export function evictionLedger(
  { podDisruptionBudgets: budgets, commands }: Pick<ClusterSnapshot, 'podDisruptionBudgets' | 'commands'>,
  nodes: readonly StateNode[],
): EvictionLedger {
  const taken = new Map<PodDisruptionBudget, number>();
  const evicted = onceFor((stateNode: StateNode) => evictedBy(budgets, stateNode));
  const add = (stateNode: StateNode): void => {
    for (const [budget, pods] of evicted(stateNode)) taken.set(budget, (taken.get(budget) ?? 0) + pods);
  };
  const leaving = new Set(commands.flatMap(({ candidates }) => candidates.map(({ nodeClaim }) => nodeClaim)));
  for (const one of nodes) if (!one.deleting && leaving.has(one.nodeClaim?.name ?? '')) add(one);
  return {
    whyWaiting({ candidates }, reason) {
      const bound = candidates.filter((candidate) => !ignoresPodBlockers(candidate, classOf(reason)));
      const mine = sums(bound.map(({ stateNode }) => evicted(stateNode)));
      for (const [budget, pods] of mine) {
        const before = taken.get(budget) ?? 0;
        const allowed = budget.status?.disruptionsAllowed ?? 0;
        if (before > 0 && before + pods > allowed) return whyInUse(budget, bound, { allowed, before, pods });
      }
      return undefined;
    },
    take({ candidates }) {
      for (const { stateNode } of candidates) add(stateNode);
    },
  };
}

/**
 * Promise 3: nodes of different commands are drained at the same time, so a PodDisruptionBudget needs room for the evictions of all of
 * them. *Shape:* the moves that fit together, in their order, and one refusal for each candidate of the others.
 */
export function withinEvictions(
  moves: readonly Move[],
  {
    snapshot,
    all,
    reason,
  }: {
    readonly snapshot: ClusterSnapshot;
    readonly all: readonly StateNode[];
    readonly reason: DisruptionReason;
  },
): { readonly moves: readonly Move[]; readonly over: readonly Blocked[] } {
  if (moves.length === 0 || snapshot.podDisruptionBudgets.length === 0) return { moves, over: [] };
  const ledger = evictionLedger(snapshot, all);
  const over: Blocked[] = [];
  const fitting = moves.filter((move) => {
    const why = ledger.whyWaiting(move, reason);
    if (why === undefined) ledger.take(move);
    else over.push(...move.candidates.map(({ stateNode }) => blockedNode(stateNode, why)));
    return why === undefined;
  });
  return { moves: fitting, over };
}

/** The number of pods that the removal of a node evicts and that need an eviction allowed, by budget. */
function evictedBy(
  budgets: readonly PodDisruptionBudget[],
  stateNode: StateNode,
): ReadonlyMap<PodDisruptionBudget, number> {
  const found = new Map<PodDisruptionBudget, number>();
  for (const pod of activePods(stateNode).filter(isEvicted))
    for (const budget of budgets)
      if (selectsPod(budget, pod) && !isUnhealthyExempt(budget, pod)) found.set(budget, (found.get(budget) ?? 0) + 1);
  return found;
}

function isEvicted(pod: Pod): boolean {
  return isDrainable(pod) && !isOwnedByDaemonSet(pod);
}

function sums<Key>(all: readonly ReadonlyMap<Key, number>[]): ReadonlyMap<Key, number> {
  const sum = new Map<Key, number>();
  for (const one of all) for (const [key, count] of one) sum.set(key, (sum.get(key) ?? 0) + count);
  return sum;
}

function whyInUse(
  budget: PodDisruptionBudget,
  { length: nodes }: readonly Candidate[],
  { allowed, before, pods }: { readonly allowed: number; readonly before: number; readonly pods: number },
): Refusal {
  const name = `${namespaceOf(budget)}/${budget.metadata.name}`;
  return refusal(
    'PDBInUse',
    `PodDisruptionBudget ${name} allows ${counted(allowed, 'eviction')} now, other commands evict ${before} of its pods, and ${nodes === 1 ? 'the node has' : `the ${nodes} nodes have`} ${pods} more`,
    { disruptionsAllowed: allowed, evictedByOthers: before, pods },
  );
}
