import { optional } from '../../apis/optional.ts';
import { maxRefused } from '../../core/events/events-of.ts';
import type { Action, Blocked, Decision } from '../../core/model/decision.ts';
import { isConflict, type PortError, portErrorOf, UnexpectedError } from '../../ports/errors.ts';
import type { HasClock, RemembersRefusals } from '../run/ports.ts';
import type { LostWakes } from '../run/wake-up.ts';
import { inWords, refusalName, subjectOf } from './action-subject.ts';
import { isNewFailure, isNewRefusal } from './is-new-refusal.ts';
import { notAnnounced } from './not-announced.ts';
import { failureOf } from './run-notes.ts';

/** What became of an action. */
export type Outcome =
  | { readonly kind: 'done'; readonly action: Action; readonly lostWakes: LostWakes }
  /** A PodDisruptionBudget allows no eviction now; or the action was carried out, and reports something. */
  | { readonly kind: 'blocked'; readonly action: Action; readonly blocked: Blocked }
  /** The service refuses the action until a configuration or a permission changes. */
  | { readonly kind: 'refused'; readonly action: Action; readonly error: PortError }
  /** The action may succeed later. It is unknown whether it took effect. */
  | { readonly kind: 'failed'; readonly action: Action; readonly error: PortError };

/** Carries out one action. An error that is not one of a port is a refusal of the action. */
export async function outcomeOf(action: Action, carryOut: () => Promise<LostWakes | void>): Promise<Outcome> {
  try {
    return { kind: 'done', action, lostWakes: (await carryOut()) ?? [] };
  } catch (cause) {
    const error = portErrorOf(cause);
    return { kind: error.retryable ? 'failed' : 'refused', action, error };
  }
}

/** The outcomes, with wakes of several actions that could not be sent after the last of them. */
export function withLostWakes(outcomes: readonly Outcome[], lostWakes: LostWakes): readonly Outcome[] {
  const last = outcomes.findLast(({ kind }) => kind === 'done');
  return outcomes.map((one) =>
    one === last && one.kind === 'done' ? { ...one, lostWakes: [...one.lostWakes, ...lostWakes] } : one,
  );
}

/** The outcome of an action that may have something to report: why it was not carried out now, or how. */
export async function outcomeWithReport(
  action: Action,
  carryOut: () => Promise<Blocked | undefined>,
): Promise<Outcome> {
  let blocked: Blocked | undefined;
  const outcome = await outcomeOf(action, async () => {
    blocked = await carryOut();
  });
  return blocked === undefined ? outcome : { kind: 'blocked', action, blocked };
}

/** What a run reports of the outcomes of a decision. */
export interface OutcomeReport {
  /** The actions that were carried out, and the refusals of the others. */
  readonly decision: Decision;
  readonly failures: readonly Error[];
  /** Actions that another run or a user has made outdated: they are decided again. */
  readonly conflict?: PortError;
  /** The first action that may succeed later, without those that are outdated. */
  readonly retry?: PortError;
  /** The first action that is repeated unchanged, because no later run decides it again. */
  readonly repeat?: PortError;
  /** Whether every action was carried out, or is blocked by a PodDisruptionBudget, or is only a hint. */
  readonly isComplete: boolean;
  /** What to publish: the decision without refusals that were published before. They count as published from now on. *Shape:* undefined if nothing is new. */
  readonly news: () => Decision | undefined;
}

/**
 * Sums up the outcomes of a decision. A permanent refusal is a refusal in the decision of each run, and a failure only when it
 * is new: most refused actions are repeated every few seconds. One of the unexpected errors is a failure of each run, so that their problem lasts
 * as long as they do (`problemsIn`). A refusal by a PodDisruptionBudget is announced when it is new.
 */
export function reportOf(
  ports: HasClock & RemembersRefusals,
  decision: Decision,
  outcomes: readonly Outcome[],
): OutcomeReport {
  const done = outcomes.flatMap((one) => (one.kind === 'done' || one.kind === 'blocked' ? [one.action] : []));
  const pdb = outcomes.flatMap((one) => (one.kind === 'blocked' ? [one.blocked] : []));
  const refused = outcomes.flatMap((one) => (one.kind === 'refused' ? [one] : []));
  const failed = outcomes.flatMap((one) => (one.kind === 'failed' ? [one] : []));
  const lost = outcomes.flatMap((one) => (one.kind === 'done' ? one.lostWakes : []));
  const conflict = failed.find(({ error }) => isConflict(error))?.error;
  const nameOf = (action: Action): string => refusalName(decision.cluster, action);
  const fresh = refused.filter(({ action, error }) => isNewFailure(ports, nameOf(action), error.message));
  const held = outcomes.filter(
    (one) => one.kind === 'blocked' && isNewRefusal(ports, nameOf(one.action), one.blocked.message),
  );
  const reported = [
    ...fresh,
    ...[refused.find((one) => one.error instanceof UnexpectedError && !fresh.includes(one)) ?? []].flat(),
    ...failed.filter(({ error }) => !isConflict(error)),
  ];
  return {
    decision: {
      ...decision,
      actions: done,
      blocked: [...decision.blocked, ...pdb, ...refused.map((one) => blockedBy(decision, one))],
    },
    failures: [...reported.map(({ action, error }) => failureOf(inWords(action), error)), ...lost],
    ...optional({ conflict }),
    ...optional({ retry: failed.find((one) => isNeeded(one) && !isConflict(one.error))?.error }),
    ...optional({ repeat: failed.find((one) => isNeeded(one) && !isDecidedAgain(one))?.error }),
    isComplete: ![...failed, ...refused].some(isNeeded),
    news: () => newsOf(ports, decision, { outcomes, fresh: [...fresh, ...held] }),
  };
}

/**
 * What is refused in each poll is published once, although other actions of the decision succeed in each poll. Refused actions are first: if
 * there are more refusals than Events, the others have none.
 */
function newsOf(
  ports: HasClock & RemembersRefusals,
  decision: Decision,
  { outcomes, fresh }: { readonly outcomes: readonly Outcome[]; readonly fresh: readonly Outcome[] },
): Decision | undefined {
  const told = outcomes.filter((one) => one.kind === 'done' || fresh.includes(one));
  if (told.length === 0) return undefined;
  const actions = told.flatMap(({ kind, action }) => (kind === 'done' || kind === 'blocked' ? [action] : []));
  const refusals = told.flatMap((one) => {
    if (one.kind === 'blocked') return [one.blocked];
    return one.kind === 'refused' ? [blockedBy(decision, one)] : [];
  });
  return { ...decision, actions, blocked: [...refusals, ...notAnnounced(ports, decision, maxRefused(decision))] };
}

/**
 * The next run compares the node with what it must have. A node that has changed since never accepts the same patch, and a write that an
 * admission webhook holds or fails for one node must not delay the decisions about others.
 */
function isDecidedAgain({ action }: Failed): boolean {
  return 'patch' in action;
}

/** Nothing depends on what a node teaches about its instance type. */
function isNeeded({ action }: Failed): boolean {
  return action.kind !== 'learn-memory';
}

type Failed = Pick<Outcome & { readonly kind: 'refused' }, 'action' | 'error'>;

function blockedBy({ cluster }: Decision, { action, error }: Failed): Blocked {
  const message = `${inWords(action)} is refused: ${error.message}`;
  return { subject: subjectOf(action, cluster), reason: 'ActionRefused', message, numbers: {} };
}
