import { isAlwaysOpen, parseCron } from '../../apis/cron.ts';
import { parseDuration } from '../../apis/duration.ts';
import type { DisruptionBudget, DisruptionReason } from '../../apis/node-pool.ts';
import type { FieldProblem } from '../validation/field-problem.ts';

const REASONS: readonly DisruptionReason[] = ['Empty', 'Underutilized', 'Drifted'];
const NEVER = 'so no node of the pool is ever consolidated, nor replaced because it has drifted';
const OPEN = 'a count or percentage above 0, such as "10%"; or a schedule and a duration that leave a pause';
const PATH = ['spec', 'disruption', 'budgets'] as const;

/** E6–E10: budgets that block every reason for all time. One that blocks some reasons, or some hours, is a choice. */
export function budgetAdvice(budgets: readonly DisruptionBudget[]): readonly FieldProblem[] {
  const unreadable = budgets.flatMap(whyUnreadable);
  const closed = budgets.flatMap((budget, index) => {
    const how = alwaysClosed(budget);
    return how === undefined ? [] : [{ budget, index, how, reasons: reasonsOf(budget) }];
  });
  const alone = closed.filter(({ reasons }) => coversAll(reasons));
  if (alone.length > 0) {
    const problems = alone.map(({ budget, index, how }) => ({
      path: [...PATH, index, 'nodes'],
      message: `is ${budget.nodes} ${how}, ${NEVER}`,
      allowed: OPEN,
    }));
    return [...unreadable, ...problems];
  }
  if (!coversAll(closed.flatMap(({ reasons }) => reasons))) return unreadable;
  const each = closed.map(({ index, reasons }) => `budgets[${index}] ${reasons.join(' and ')}`);
  const message = `block all reasons together for all time (${each.join(', ')}), ${NEVER}`;
  return [...unreadable, { path: PATH, message, allowed: `for one of the reasons ${OPEN}` }];
}

/** E8: Karpenter reads the schedule at run time only, and then a fault closes the pool for every reason. */
function whyUnreadable({ schedule }: DisruptionBudget, index: number): readonly FieldProblem[] {
  if (schedule === undefined || parseCron(schedule) !== undefined) return [];
  return [
    {
      path: [...PATH, index, 'schedule'],
      message: `${JSON.stringify(schedule)} is no schedule that can be read, and then no disruption of the pool is allowed at all, whatever nodes and reasons say`,
      allowed: 'minute, hour, day of month, month and day of week, such as "0 9 * * mon-fri", or @daily',
    },
  ];
}

/** How it is closed for all time; undefined where it is not. */
function alwaysClosed({ nodes, schedule, duration }: DisruptionBudget): string | undefined {
  if (Number.parseInt(nodes, 10) !== 0) return undefined;
  if (schedule === undefined || duration === undefined) return 'at all times';
  const cron = parseCron(schedule);
  const durationMs = parseDuration(duration);
  if (cron === undefined || durationMs === undefined || !isAlwaysOpen(cron, durationMs)) return undefined;
  return `at all times, since "${schedule}" comes again by the time its ${duration} are over`;
}

function reasonsOf({ reasons }: DisruptionBudget): readonly DisruptionReason[] {
  return REASONS.filter((reason) => reasons?.includes(reason) ?? true);
}

function coversAll(reasons: readonly DisruptionReason[]): boolean {
  return REASONS.every((reason) => reasons.includes(reason));
}
