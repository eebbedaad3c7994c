import type { Condition } from '../apis/kubernetes.ts';
import { formatTime } from '../apis/time.ts';
import { sameContent } from './canonical-json.ts';
import { compareText } from './compare-text.ts';
import type { Reason } from './model/reasons.ts';

/** One answer about an object, before it is known since when it holds. */
export type Finding<Type extends string = string, Why extends string = string> =
  | { readonly type: Type; readonly status: 'True'; readonly reason: string; readonly message: string }
  | OpenFinding<Type, Why>;

/** An answer that is not yes. */
export interface OpenFinding<Type extends string = string, Why extends string = string> {
  readonly type: Type;
  readonly status: Exclude<Condition['status'], 'True'>;
  readonly reason: Why;
  readonly message: string;
}

/** What the API server takes of a message. */
const LONGEST_MESSAGE = 32_768;

/** What is found out only after something else is: no reason of its own not to be ready. */
export const DEPENDENCIES_NOT_READY = 'DependenciesNotReady' satisfies Reason;

/** All is well, said as the API's conventions ask for it: a reason is never empty. */
export function holds<Type extends string>(type: Type, message = ''): Finding<Type, never> {
  return { type, status: 'True', reason: type, message };
}

/** Ready sums up: False if one answer is no, else Unknown if one is not known; the first of them gives the reason. */
export function readiness<Why extends string>(findings: readonly Finding<string, Why>[]): Finding<'Ready', Why> {
  const open = findings.filter((one) => isOpen(one)).filter(({ reason }) => reason !== DEPENDENCIES_NOT_READY);
  const [first] = open;
  if (first === undefined) return holds('Ready');
  const message = open.map((one) => one.message).join('; ');
  return { type: 'Ready', status: statusOf(open), reason: first.reason, message };
}

function isOpen<Why extends string>(finding: Finding<string, Why>): finding is OpenFinding<string, Why> {
  return finding.status !== 'True';
}

/** Of answers of which none is yes: no, if one is. */
export function statusOf(open: readonly Finding[]): OpenFinding['status'] {
  return open.some(({ status }) => status === 'False') ? 'False' : 'Unknown';
}

export interface ConditionsBefore {
  readonly conditions: readonly Condition[];
  readonly generation?: number | undefined;
  /** The names that are ours to say: one that is not found any more goes. @default those that are found */
  readonly ours?: readonly string[];
}

/**
 * The conditions as they are to be shown. `lastTransitionTime` moves only where the answer does; what others say of the
 * object, under names that are not ours, stays.
 */
export function conditionsFrom(
  findings: readonly Finding[],
  before: ConditionsBefore,
  nowMs: number,
): readonly Condition[] {
  const { conditions, generation, ours = findings.map(({ type }) => type) } = before;
  const others = conditions.filter(({ type }) => !ours.includes(type));
  const wanted = findings.map(({ type, status, reason, message }): Condition => {
    const former = conditions.find((one) => one.type === type);
    const since = former?.status === status ? former.lastTransitionTime : undefined;
    return {
      type,
      status,
      reason,
      message: message.slice(0, LONGEST_MESSAGE),
      lastTransitionTime: since ?? formatTime(nowMs),
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
  });
  const all = [...wanted, ...others];
  return isSame(conditions, all) ? conditions : all;
}

/** A condition is found by its type: their order says nothing. */
function isSame(a: readonly Condition[], b: readonly Condition[]): boolean {
  return sameContent(a.toSorted(byType), b.toSorted(byType));
}

function byType(a: Condition, b: Condition): number {
  return compareText(a.type, b.type);
}
