/** Which budgets of a NodePool apply. Not the functions of lib: a rule that calls the code it judges does not find its mistakes. */
import { parseDuration } from '../../../../lib/apis/formats/duration.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../lib/apis/formats/time.ts';
import type { DisruptionBudget, DisruptionReason } from '../../../../lib/apis/node-pool.ts';

/** The reasons of deletions that use budgets. */
export const REASON_OF: ReadonlyMap<string, DisruptionReason> = new Map([
  ['empty', 'Empty'],
  ['underutilized', 'Underutilized'],
  ['drifted', 'Drifted'],
]);

/**
 * Whether the budget applies to the reason. Schedules of stories are `MINUTE HOUR * * *`, and simulations begin at midnight.
 * @param slackMs how long after its begin, and before its end, a window may not be observed yet
 */
export function applies(
  { reasons, schedule, duration }: DisruptionBudget,
  reason: DisruptionReason,
  { nowMs, slackMs = 0 }: { readonly nowMs: number; readonly slackMs?: number },
): boolean {
  if (reasons?.includes(reason) === false) return false;
  if (schedule === undefined) return true;
  const [minute, hour] = schedule.split(' ').map(Number);
  const fromMs = (hour ?? 0) * HOUR_MS + (minute ?? 0) * MINUTE_MS;
  const untilMs = fromMs + (parseDuration(duration ?? '') ?? 0);
  return nowMs >= fromMs + (fromMs === 0 ? 0 : slackMs) && nowMs < untilMs - slackMs;
}
