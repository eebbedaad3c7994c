import { isWindowOpen, parseCron } from '../../apis/formats/cron.ts';
import { parseDuration } from '../../apis/formats/duration.ts';
import type { DisruptionBudget, DisruptionReason, NodePool } from '../../apis/node-pool.ts';

/** How many nodes of a pool may be disrupted at once, and how many are being disrupted. */
export interface BudgetRoom {
  readonly allowed: number;
  readonly disrupting: number;
  /** The remaining number, at least zero. */
  readonly left: number;
}

/**
 * Returns what the budgets of the pool allow now for a reason. *Source:* E6–E10: the smallest budget that applies to the
 * reason counts; percentages of the pool's nodes round up; a budget with an invalid schedule allows no disruption.
 */
export function budgetRoom(
  nodePool: NodePool,
  reason: DisruptionReason,
  now: { readonly nodes: number; readonly disrupting: number; readonly nowMs: number },
): BudgetRoom {
  const { budgets } = nodePool.spec.disruption;
  const allowed = Math.min(...budgets.map((budget) => allowedBy(budget, reason, now)), Number.MAX_SAFE_INTEGER);
  return { allowed, disrupting: now.disrupting, left: Math.max(0, allowed - now.disrupting) };
}

function allowedBy(
  budget: DisruptionBudget,
  reason: DisruptionReason,
  { nodes, nowMs }: { readonly nodes: number; readonly nowMs: number },
): number {
  const open = isOpen(budget, nowMs);
  if (open === undefined) return 0;
  if (!open || (budget.reasons !== undefined && !budget.reasons.includes(reason))) return Number.MAX_SAFE_INTEGER;
  return budget.nodes.endsWith('%')
    ? Math.ceil((nodes * Number(budget.nodes.slice(0, -1))) / 100)
    : Number(budget.nodes);
}

/** A budget without a schedule is always active. *Shape:* undefined if the schedule is invalid. */
function isOpen({ schedule, duration }: DisruptionBudget, nowMs: number): boolean | undefined {
  if (schedule === undefined || duration === undefined) return true;
  const cron = parseCron(schedule);
  const durationMs = parseDuration(duration);
  return cron === undefined || durationMs === undefined ? undefined : isWindowOpen(cron, durationMs, nowMs);
}
