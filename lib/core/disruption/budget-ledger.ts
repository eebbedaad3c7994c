import { counted } from '../../apis/counted.ts';
import type { DisruptionReason } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import type { StateNode } from '../cluster/state-node.ts';
import { compareText } from '../compare-text.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Blocked } from '../model/decision.ts';
import type { Refusal } from '../model/refusal.ts';
import { type BudgetRoom, budgetRoom } from './budgets.ts';
import { type Candidate, describeCandidate, poolCounts } from './candidates.ts';

/** The disruptions that the budgets of NodePools still allow in one pass. Each accepted candidate reduces them. */
export interface BudgetLedger {
  /**
   * Accepts candidates, the most expensive first (E17), until the budgets of their pools are exhausted.
   * *Shape:* the accepted candidates, and one refusal for each of the others.
   */
  take(
    candidates: readonly Candidate[],
    reason: DisruptionReason,
  ): { readonly within: readonly Candidate[]; readonly over: readonly Blocked[] };
}

/** *Source:* E6, E7: nodes of the snapshot's commands count as disrupting. */
export function budgetLedger(snapshot: ClusterSnapshot, nodes: readonly StateNode[], nowMs: number): BudgetLedger {
  const taken = new Map<string, number>();
  const roomOf = ({ nodePool }: Candidate, reason: DisruptionReason): BudgetRoom & { readonly unreadable: number } => {
    const { name } = nodePool.metadata;
    const counts = poolCounts(name, nodes, snapshot);
    const disrupting = counts.disrupting + (taken.get(name) ?? 0);
    return {
      ...budgetRoom(nodePool, reason, { nodes: counts.nodes, disrupting, nowMs }),
      unreadable: counts.unreadable,
    };
  };
  return {
    take(candidates, reason) {
      const within: Candidate[] = [];
      const over: Blocked[] = [];
      for (const [pool, mine] of Map.groupBy(candidates, ({ nodeClaim }) => nodeClaim.nodePool)) {
        const [first] = mine;
        if (first === undefined) continue;
        const room = roomOf(first, reason);
        const dearest = mine.toSorted(byDescendingPrice);
        const allowed = dearest.slice(0, room.left);
        taken.set(pool, (taken.get(pool) ?? 0) + allowed.length);
        within.push(...allowed);
        const full = { ...room, disrupting: room.disrupting + allowed.length };
        over.push(
          ...dearest.slice(room.left).map(({ stateNode }) =>
            blockedNode(stateNode, {
              reason: 'BudgetExhausted',
              message: describeRoom(reason, full),
              numbers: { allowed: full.allowed, disrupting: full.disrupting },
            }),
          ),
        );
      }
      return { within, over };
    },
  };
}

function describeRoom(
  reason: DisruptionReason,
  { allowed, disrupting, unreadable }: BudgetRoom & { readonly unreadable: number },
): string {
  const unknown =
    unreadable === 0 ? '' : `, among them ${counted(unreadable, 'NodeClaim')} whose record cannot be read`;
  return `the budget for ${reason} allows ${counted(allowed, 'disruption')} at once, and ${disrupting} are in progress${unknown}`;
}

function byDescendingPrice(a: Candidate, b: Candidate): number {
  return priceOf(b) - priceOf(a) || compareText(a.stateNode.name, b.stateNode.name);
}

function priceOf(candidate: Candidate): number {
  return describeCandidate(candidate).priceUsdPerHour;
}

/** Returns the refusal of a node. */
export function blockedNode(stateNode: StateNode, refusal: Refusal): Blocked {
  return {
    subject: { kind: 'Node', name: stateNode.name },
    ...optional({ nodePool: stateNode.nodePool }),
    ...refusal,
  };
}
