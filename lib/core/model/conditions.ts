import { formatTime } from '../../apis/formats/time.ts';
import type { Condition } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { sameContent } from '../canonical-json.ts';
import { compareText } from '../compare-text.ts';
import type { Reason } from './reasons.ts';

/** A condition without its transition time and observed generation. */
export type ConditionFinding<Type extends string = string, Why extends string = string> =
  | { readonly type: Type; readonly status: 'True'; readonly reason: string; readonly message: string }
  | OpenFinding<Type, Why>;

/** A finding that is False or Unknown. */
export interface OpenFinding<Type extends string = string, Why extends string = string> {
  readonly type: Type;
  readonly status: Exclude<Condition['status'], 'True'>;
  readonly reason: Why;
  readonly message: string;
}

/** The longest message that the API server accepts. */
const MAX_MESSAGE_LENGTH = 32_768;

/** The reason of a finding that depends on another finding. Ready does not repeat it. */
export const DEPENDENCIES_NOT_READY = 'DependenciesNotReady' satisfies Reason;

/** A finding that is True. The API conventions require a reason, so the type is repeated there. */
export function holds<Type extends string>(type: Type, message = ''): ConditionFinding<Type, never> {
  return { type, status: 'True', reason: type, message };
}

/** The Ready condition: False if a finding is False, else Unknown if one is Unknown, else True. The first open finding gives the reason. */
export function readiness<Why extends string>(
  findings: readonly ConditionFinding<string, Why>[],
): ConditionFinding<'Ready', Why> {
  const open = findings.filter((one) => isOpen(one)).filter(({ reason }) => reason !== DEPENDENCIES_NOT_READY);
  const [first] = open;
  if (first === undefined) return holds('Ready');
  const message = open.map((one) => one.message).join('; ');
  return { type: 'Ready', status: statusOf(open), reason: first.reason, message };
}

function isOpen<Why extends string>(finding: ConditionFinding<string, Why>): finding is OpenFinding<string, Why> {
  return finding.status !== 'True';
}

/** The status of open findings together: False if one of them is False. */
export function statusOf(open: readonly ConditionFinding[]): OpenFinding['status'] {
  return open.some(({ status }) => status === 'False') ? 'False' : 'Unknown';
}

export interface ConditionsBefore {
  readonly conditions: readonly Condition[];
  readonly generation?: number | undefined;
  /** The condition types that Kerf owns. One without a finding is removed. @default the types of the findings */
  readonly ours?: readonly string[];
}

/**
 * The conditions to write. `lastTransitionTime` changes only together with the status. Conditions of other owners stay.
 */
export function conditionsFrom(
  findings: readonly ConditionFinding[],
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
      message: message.slice(0, MAX_MESSAGE_LENGTH),
      lastTransitionTime: since ?? formatTime(nowMs),
      ...optional({ observedGeneration: generation }),
    };
  });
  const all = [...wanted, ...others];
  return isSame(conditions, all) ? conditions : all;
}

/** Compares conditions by type, because their order has no meaning. */
function isSame(a: readonly Condition[], b: readonly Condition[]): boolean {
  return sameContent(a.toSorted(byType), b.toSorted(byType));
}

function byType(a: Condition, b: Condition): number {
  return compareText(a.type, b.type);
}
