import { parseCron } from '../../apis/formats/cron.ts';
import type { DisruptionBudget, DisruptionReason } from '../../apis/node-pool.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';
import { leaveNoPause, type Windows, windowsOf } from './budget-windows.ts';

const REASONS: readonly DisruptionReason[] = ['Empty', 'Underutilized', 'Drifted'];
const NEVER = 'so the nodes of the pool are never consolidated or replaced because of drift';
const OPEN =
  'a count or percentage above 0, such as "10%"; or a schedule and a duration that leave time without this budget';
const PATH = ['spec', 'disruption', 'budgets'] as const;

interface Closed {
  readonly budget: DisruptionBudget;
  readonly index: number;
  readonly windows: Windows;
  readonly reasons: readonly DisruptionReason[];
}

/** E6–E10: warns of budgets that always block every reason. Blocking some reasons or some hours is a valid choice. */
export function budgetAdvice(budgets: readonly DisruptionBudget[]): readonly FieldProblem[] {
  const unreadable = budgets.flatMap(whyUnreadable);
  const closed = budgets
    .map((budget, index) => ({ budget, index, windows: windowsOf(budget), reasons: reasonsOf(budget) }))
    .filter(({ budget, windows }) => Number.parseInt(budget.nodes, 10) === 0 && windows.kind !== 'other');
  const alone = closed.filter(({ windows, reasons }) => windows.kind === 'always' && reasons.length === REASONS.length);
  if (alone.length > 0) return [...unreadable, ...alone.map(closedAlone)];
  return closed.length > 1 && closesAll(closed) ? [...unreadable, closedTogether(closed)] : unreadable;
}

function closesAll(closed: readonly Closed[]): boolean {
  return REASONS.every((reason) =>
    leaveNoPause(closed.filter(({ reasons }) => reasons.includes(reason)).map(({ windows }) => windows)),
  );
}

function closedAlone({ budget, index, windows }: Closed): FieldProblem {
  const because = windows.kind === 'always' ? windows.because : '';
  return {
    path: [...PATH, index, 'nodes'],
    message: `is ${budget.nodes} at all times${because}, ${NEVER}`,
    allowed: OPEN,
  };
}

/** Reports only the budgets that are needed to block all reasons. */
function closedTogether(closed: readonly Closed[]): FieldProblem {
  const needed = closed.reduce((left, one) => {
    const others = left.filter((other) => other !== one);
    return closesAll(others) ? others : left;
  }, closed);
  const each = needed.map(({ budget, index, windows }) => {
    const when = windows.kind === 'weekly' ? ` "${budget.schedule}" for ${budget.duration}` : '';
    return `budgets[${index}]${when}${budget.reasons === undefined ? '' : ` ${budget.reasons.join(' and ')}`}`;
  });
  const message = `together always block all reasons (${each.join(', ')}), ${NEVER}`;
  return { path: PATH, message, allowed: `for one of the reasons ${OPEN}` };
}

/** E8: Karpenter parses the schedule only at run time. An invalid schedule then blocks every reason of the pool. */
function whyUnreadable({ schedule }: DisruptionBudget, index: number): readonly FieldProblem[] {
  if (schedule === undefined || parseCron(schedule) !== undefined) return [];
  return [
    {
      path: [...PATH, index, 'schedule'],
      message: `${JSON.stringify(schedule)} is not a valid schedule, so all disruption of the pool is blocked, regardless of nodes and reasons`,
      allowed: 'minute, hour, day of month, month and day of week, such as "0 9 * * mon-fri", or @daily',
    },
  ];
}

function reasonsOf({ reasons }: DisruptionBudget): readonly DisruptionReason[] {
  return REASONS.filter((reason) => reasons?.includes(reason) ?? true);
}
