import { counted } from '../../apis/counted.ts';
import { quote } from '../../apis/formats/quote.ts';
import { BUDGET_TIME_ZONE } from '../../apis/labels.ts';
import type { DisruptionReason, NodePool } from '../../apis/node-pool.ts';
import { optional } from '../../apis/optional.ts';
import type { StateNode } from '../cluster/state-node.ts';
import { compareText } from '../compare-text.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { type Blocked, type Due, nextTick, requeueAt } from '../model/decision.ts';
import { type Refusal, refusal } from '../model/refusal.ts';
import { memoize } from '../scheduling/memoize.ts';
import { type BudgetRoom, budgetRoom, budgetsChangeMs, closingSchedule, invalidTimeZone } from './budgets.ts';
import { type Candidate, poolCounts } from './candidates.ts';
import { savingsRatio } from './cost.ts';

/** The disruptions that the budgets of NodePools still allow in one pass. Each accepted candidate reduces them. */
export interface BudgetLedger {
  /**
   * Accepts candidates in the order of disruption (E17), until the budgets of their pools are exhausted.
   * *Shape:* the accepted candidates, and one refusal for each of the others.
   */
  take(
    candidates: readonly Candidate[],
    reason: DisruptionReason,
  ): { readonly within: readonly Candidate[]; readonly over: readonly Blocked[] };
  /** Returns which candidates could be accepted, in the order of disruption (E17), without accepting them. */
  within(candidates: readonly Candidate[], reason: DisruptionReason): readonly Candidate[];
  /** A ledger with the same entries, for a trial that leaves no trace in this one. */
  copy(): BudgetLedger;
}

interface BudgetTimes {
  readonly nowMs: number;
  /** When replacements were launched for the candidates. @default no candidate has one */
  readonly replacingSinceMs?: number;
}

/**
 * If replacements were launched, the schedules of budgets may also apply as they did then: the end of a window does not stop what was
 * started in it. The budgets themselves, and the nodes that count, are those of now.
 * *Source:* E6, E7, E34: nodes of the snapshot's commands count as disrupting.
 */
export function budgetLedger(
  snapshot: ClusterSnapshot,
  nodes: readonly StateNode[],
  { nowMs, replacingSinceMs = nowMs }: BudgetTimes,
): BudgetLedger {
  const countsOf = memoize((pool: string) => poolCounts(pool, nodes, snapshot));
  return ledgerWith(new Map(), ({ nodePool }, reason, taken) => {
    const { nodes: count, disrupting, unreadable } = countsOf(nodePool.metadata.name);
    const now = { nodes: count, disrupting: disrupting + taken, nowMs };
    const room = budgetRoom(nodePool, reason, now);
    const atStart =
      replacingSinceMs === nowMs ? room : budgetRoom(nodePool, reason, { ...now, nowMs: replacingSinceMs });
    if (atStart.allowed > room.allowed) return { ...atStart, unreadable, schedule: () => undefined };
    return { ...room, unreadable, schedule: () => closingSchedule(nodePool, reason, now) };
  });
}

interface Room extends BudgetRoom {
  readonly unreadable: number;
  /** Computed only for a refusal. */
  readonly schedule: () => string | undefined;
}

/** `taken`: the candidates that were accepted, by NodePool. */
function ledgerWith(
  taken: Map<string, number>,
  roomWith: (candidate: Candidate, reason: DisruptionReason, taken: number) => Room,
): BudgetLedger {
  const roomOf = (candidate: Candidate, reason: DisruptionReason): Room =>
    roomWith(candidate, reason, taken.get(candidate.nodePool.metadata.name) ?? 0);
  return {
    copy: () => ledgerWith(new Map(taken), roomWith),
    take(candidates, reason) {
      const accepted: Candidate[] = [];
      const over: Blocked[] = [];
      for (const [pool, mine] of Map.groupBy(candidates, ({ nodeClaim }) => nodeClaim.nodePool)) {
        const [first] = mine;
        if (first === undefined) continue;
        const room = roomOf(first, reason);
        const inOrder = mine.toSorted(bySavingsRatio);
        const allowed = inOrder.slice(0, room.left);
        taken.set(pool, (taken.get(pool) ?? 0) + allowed.length);
        accepted.push(...allowed);
        const full = { ...room, disrupting: room.disrupting + allowed.length };
        over.push(
          ...inOrder
            .slice(room.left)
            .map(({ stateNode }) => blockedNode(stateNode, whyOver(first.nodePool, reason, full))),
        );
      }
      return { within: accepted, over };
    },
    within(candidates, reason) {
      const left = new Map<string, number>();
      return candidates.toSorted(bySavingsRatio).filter((candidate) => {
        const { name } = candidate.nodePool.metadata;
        const before = left.get(name) ?? roomOf(candidate, reason).left;
        left.set(name, before - 1);
        return before > 0;
      });
    },
  };
}

function whyOver(
  nodePool: NodePool,
  reason: DisruptionReason,
  { allowed, disrupting, unreadable, schedule }: Room,
): Refusal {
  const timeZone = invalidTimeZone(nodePool);
  const numbers = { allowed, disrupting };
  if (timeZone !== undefined)
    return refusal(
      'BudgetTimeZone',
      `the annotation ${BUDGET_TIME_ZONE} of NodePool ${nodePool.metadata.name} is ${quote(timeZone)}, which is not the IANA name of a time zone, so budgets with a schedule allow no disruption`,
      numbers,
    );
  const unknown =
    unreadable === 0 ? '' : `, among them ${counted(unreadable, 'NodeClaim')} whose record cannot be read`;
  const bySchedule = schedule();
  const message = `the budget for ${reason} allows ${counted(allowed, 'disruption')} at once, and ${disrupting} ${disrupting === 1 ? 'is' : 'are'} in progress${unknown}${bySchedule === undefined ? '' : `, by the ${bySchedule}`}`;
  return refusal('BudgetExhausted', message, numbers);
}

/**
 * When candidates that were refused may have room: at the next tick, because a drain may end at any time, and when a window of a budget
 * of their NodePools begins or ends.
 */
export function retryTimes(
  refused: readonly Blocked[],
  { nodePools, nowMs }: Pick<ClusterSnapshot, 'nodePools'> & { readonly nowMs: number },
): readonly Due[] {
  if (refused.length === 0) return [];
  const over = new Set(
    refused.flatMap(({ reason, nodePool }) => (reason === 'BudgetExhausted' ? (nodePool ?? []) : [])),
  );
  const mine = nodePools.filter(({ nodePool }) => over.has(nodePool.metadata.name));
  const changes = mine.map(({ nodePool }) => budgetsChangeMs(nodePool, nowMs)).filter(Number.isFinite);
  return [nextTick(nowMs), ...changes.map(requeueAt)];
}

/** E17: ties by name. */
export function bySavingsRatio(a: Candidate, b: Candidate): number {
  return savingsRatio(b) - savingsRatio(a) || compareText(a.stateNode.name, b.stateNode.name);
}

/** Returns the refusal of a node. */
export function blockedNode(stateNode: StateNode, why: Refusal): Blocked {
  return {
    subject: { kind: 'Node', name: stateNode.name },
    ...optional({ nodePool: stateNode.nodePool }),
    ...why,
  };
}
