import { isWindowOpen, parseCron } from '../../apis/formats/cron.ts';
import { parseDuration } from '../../apis/formats/duration.ts';
import { inTimeZone, isTimeZone } from '../../apis/formats/job-schedule.ts';
import { quote } from '../../apis/formats/quote.ts';
import { formatTime } from '../../apis/formats/time.ts';
import { BUDGET_TIME_ZONE } from '../../apis/labels.ts';
import type { DisruptionBudget, DisruptionReason, NodePool } from '../../apis/node-pool.ts';
import { lastFor } from '../kept-answers.ts';

/** How many nodes of a pool may be disrupted at once, and how many are being disrupted. */
export interface BudgetRoom {
  readonly allowed: number;
  readonly disrupting: number;
  /** The remaining number, at least zero. */
  readonly left: number;
}

interface Now {
  readonly nodes: number;
  readonly nowMs: number;
}

/**
 * Returns what the budgets of the pool allow now for a reason. *Source:* E6–E10: the smallest budget that applies to the
 * reason counts; percentages of the pool's nodes round up; a budget with an invalid schedule allows no disruption.
 */
export function budgetRoom(
  nodePool: NodePool,
  reason: DisruptionReason,
  now: Now & { readonly disrupting: number },
): BudgetRoom {
  const { budgets } = nodePool.spec.disruption;
  const timeZone = budgetTimeZone(nodePool) ?? 'UTC';
  const allowed = Math.min(
    ...budgets.map((budget) => allowedBy({ budget, timeZone }, reason, now)),
    Number.MAX_SAFE_INTEGER,
  );
  return { allowed, disrupting: now.disrupting, left: Math.max(0, allowed - now.disrupting) };
}

/** Returns the time zone of the schedules of a NodePool's budgets if it is not valid. Then the budgets with a schedule are closed. */
export function invalidTimeZone(nodePool: NodePool): string | undefined {
  const timeZone = budgetTimeZone(nodePool);
  const isUsed = nodePool.spec.disruption.budgets.some(({ schedule }) => schedule !== undefined);
  return timeZone === undefined || !isUsed || isTimeZone(timeZone) ? undefined : timeZone;
}

function budgetTimeZone({ metadata }: NodePool): string | undefined {
  return metadata.annotations?.[BUDGET_TIME_ZONE];
}

/** The next time at which a schedule begins or ends to apply. *Shape:* Infinity without schedules. */
export function budgetsChangeMs(nodePool: NodePool, nowMs: number): number {
  const timeZone = budgetTimeZone(nodePool) ?? 'UTC';
  const changes = nodePool.spec.disruption.budgets.flatMap((budget) => {
    const { next, durationMs } = windowsOf({ budget, timeZone }) ?? {};
    if (next === undefined || durationMs === undefined) return [];
    const begin = next(nowMs);
    const open = next(nowMs - durationMs);
    return [begin ?? Infinity, open === undefined || open > nowMs ? Infinity : open + durationMs];
  });
  return Math.min(...changes, Infinity);
}

/**
 * The schedule that is the reason why no more nodes may be disrupted: `schedule "0 0 * * *" for 23h, which ends at 2026-01-31T23:00:00Z`.
 * *Shape:* undefined if a budget without a schedule allows as few, or if the schedule is invalid. Without an end if windows follow each
 * other for long.
 */
export function closingSchedule(nodePool: NodePool, reason: DisruptionReason, now: Now): string | undefined {
  return closingOf(nodePool, { reason, nodes: now.nodes, nowMs: now.nowMs });
}

/** Many nodes of a NodePool are refused at the same time. */
const closingOf = lastFor((nodePool: NodePool, of: Now & { readonly reason: DisruptionReason }) => {
  const timeZone = budgetTimeZone(nodePool) ?? 'UTC';
  const all = nodePool.spec.disruption.budgets.map((budget) => ({
    budget,
    allowed: allowedBy({ budget, timeZone }, of.reason, of),
  }));
  const least = Math.min(...all.map(({ allowed }) => allowed));
  const closing = all.filter(({ allowed }) => allowed === least).map(({ budget }) => budget);
  const [first] = closing;
  if (first === undefined || closing.some(({ schedule }) => schedule === undefined)) return undefined;
  const windows = windowsOf({ budget: first, timeZone });
  const beganMs = windows?.next(of.nowMs - windows.durationMs);
  if (windows === undefined || beganMs === undefined) return undefined;
  const endMs = endOfWindows(windows, beganMs);
  const end = endMs === undefined ? '' : `, which ends at ${formatTime(endMs)}`;
  return `schedule ${quote(first.schedule ?? '')} for ${first.duration ?? ''}${end}`;
});

/** So many windows that follow each other are looked at. */
const MAX_WINDOWS = 100;

/** When the window ends, or the last of those that begin before the one before them has ended. *Shape:* undefined if there are too many. */
function endOfWindows({ next, durationMs }: Windows, beganMs: number): number | undefined {
  let lastMs = beganMs;
  for (let windows = 0; windows < MAX_WINDOWS; windows += 1) {
    const followingMs = next(lastMs);
    if (followingMs === undefined || followingMs > lastMs + durationMs) return lastMs + durationMs;
    lastMs = followingMs;
  }
  return undefined;
}

interface Scheduled {
  readonly budget: DisruptionBudget;
  readonly timeZone: string;
}

function allowedBy(scheduled: Scheduled, reason: DisruptionReason, { nodes, nowMs }: Now): number {
  const { budget } = scheduled;
  const open = isOpen(scheduled, nowMs);
  if (open === undefined) return 0;
  if (!open || (budget.reasons !== undefined && !budget.reasons.includes(reason))) return Number.MAX_SAFE_INTEGER;
  return budget.nodes.endsWith('%')
    ? Math.ceil((nodes * Number(budget.nodes.slice(0, -1))) / 100)
    : Number(budget.nodes);
}

/**
 * A budget without a schedule is always active. *Shape:* undefined if the schedule or
 * the time zone is invalid. *Source:* E8.
 */
function isOpen(scheduled: Scheduled, nowMs: number): boolean | undefined {
  const { schedule, duration } = scheduled.budget;
  if (schedule === undefined || duration === undefined) return true;
  const windows = windowsOf(scheduled);
  return windows && isWindowOpen(windows.next, windows.durationMs, nowMs);
}

interface Windows {
  readonly next: (afterMs: number) => number | undefined;
  readonly durationMs: number;
}

/** *Shape:* undefined without a schedule, or if the schedule or the time zone is invalid. */
function windowsOf({ budget: { schedule, duration }, timeZone }: Scheduled): Windows | undefined {
  const cron = schedule === undefined ? undefined : parseCron(schedule);
  const durationMs = duration === undefined ? undefined : parseDuration(duration);
  const next = cron && inTimeZone(cron, timeZone);
  return next === undefined || durationMs === undefined ? undefined : { next, durationMs };
}
