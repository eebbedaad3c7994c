import { optional } from '../../apis/optional.ts';
import type { SeenObjects } from '../../core/events/events-of.ts';
import { type Action, type Controller, type Decision, pollAfter, type Verdict } from '../../core/model/decision.ts';
import { type DecisionSubject, decisionOn } from '../../core/model/decision-id.ts';
import { type NodeClaimRecord, runningInstanceOf } from '../../core/model/node-claim-record.ts';
import type { PortError } from '../../ports/errors.ts';
import { type Outcome, reportOf } from '../act/outcomes.ts';
import { noteFailure, type RunNotes } from '../act/run-notes.ts';
import { type Announces, announce } from './announce.ts';
import { type ActPorts, carryOut } from './carry-out.ts';
import type { Aside } from './each-claim.ts';
import type { RemembersRefusals } from './ports.ts';

/** What `applyVerdict` needs. */
export type VerdictPorts = ActPorts & Announces & RemembersRefusals;

/** A run that decides for one object at a time. */
export interface ObjectRun<Ports extends VerdictPorts = VerdictPorts> {
  readonly ports: Ports;
  readonly controller: Controller;
  readonly cluster: string;
  readonly notes: RunNotes;
  /** As in the wake of the run. @default none */
  readonly conflicts?: number | undefined;
}

export interface VerdictSubject extends DecisionSubject {
  readonly atMs: number;
  /** The objects that Events refer to. */
  readonly seen?: SeenObjects;
  /** The NodeClaim of the decision, for the record of its instance. @default not a decision on a NodeClaim */
  readonly claim?: NodeClaimRecord;
  /** Terminates instances without delaying other claims. @default in turn */
  readonly aside?: Aside | undefined;
}

export interface ObjectVerdict extends Pick<Verdict, 'actions' | 'blocked'> {
  /** The record to write before the actions. @default no change */
  readonly record?: NodeClaimRecord | undefined;
  /** The record to write after all actions have succeeded. @default no change */
  readonly whenDone?: NodeClaimRecord | undefined;
}

/**
 * Applies the verdict on one object: writes the record, carries out the actions, reports, publishes, writes the record of
 * actions that succeeded.
 *
 * An action that fails does not stop the others; it is a failure of the run, and the run is repeated within five seconds. If the
 * record cannot be written, only a launch waits for it (D36). Every refusal is reported, with and without an action. A verdict
 * with actions is also published on the event bus and as Events. A verdict without an action is not published: every run decides
 * it again, and its refusals are already in the conditions of the NodeClaim or the NodeClass.
 *
 * *Shape:* whether the record and every action were carried out. *Errors:* a conflict: of the record before any action, and of
 * an action after the others; the object is decided again. *Cost:* a write if the record changes; a bus event and Events if
 * there is an action.
 */
export async function applyVerdict(run: ObjectRun, subject: VerdictSubject, verdict: ObjectVerdict): Promise<boolean> {
  const { failure, written } = await writeRecord(run, verdict.record);
  const actions = failure === undefined ? verdict.actions : verdict.actions.filter(({ kind }) => !needsRecord(kind));
  // What actions have shown is recorded after the record that was written before them.
  const { whenDone } = failure === undefined ? verdict : {};
  const possible = {
    actions,
    blocked: verdict.blocked,
    whenDone: whenDone && { ...whenDone, ...(written && { version: written.version }) },
  };
  // One call terminates many instances, and returns after the last of them.
  const isSlow = actions.some(({ kind }) => kind === 'terminate-instance');
  if (isSlow && subject.aside !== undefined) {
    subject.aside(async () => act(run, subject, possible));
    return failure === undefined;
  }
  return (await act(run, subject, possible)) && failure === undefined;
}

/** *Shape:* the written record, or why it could not be written. */
async function writeRecord(
  run: ObjectRun,
  record: NodeClaimRecord | undefined,
): Promise<{ readonly written?: NodeClaimRecord; readonly failure?: PortError }> {
  if (record === undefined) return {};
  let written: NodeClaimRecord | undefined;
  const failure = await noteFailure(run, `write the record of NodeClaim ${record.name}`, async () => {
    written = await run.ports.store.updateNodeClaim(record);
  });
  return optional({ written, failure });
}

/** D36: an instance is launched only with a recorded request. Every other action can be repeated without a record of it. */
function needsRecord(kind: Action['kind']): boolean {
  return kind === 'launch-instance';
}

async function act(run: ObjectRun, subject: VerdictSubject, verdict: ObjectVerdict): Promise<boolean> {
  const { ports } = run;
  // Most verdicts: nothing to report, and no name of a decision is needed.
  if (verdict.actions.length === 0 && verdict.blocked.length === 0) return writeLast(run, verdict);
  const { actions, blocked } = verdict;
  const carryOutAll = async (decision: Decision): Promise<readonly Outcome[]> => carryOut(ports, decision);
  const { isComplete, isDone } = await reportActions(run, subject, { actions, blocked, carryOutAll });
  return isDone ? writeLast(run, verdict) : isComplete;
}

/**
 * Carries out the actions of a verdict in its own way, reports and publishes their outcomes. *Shape:* `isDone` if every action was
 * carried out without a refusal, `isComplete` as in `OutcomeReport`. *Errors:* a conflict of an action, after the others.
 */
export async function reportActions(
  { ports, controller, cluster, notes }: ObjectRun,
  subject: VerdictSubject,
  { actions, blocked, carryOutAll }: CarriedOut,
): Promise<{ readonly isComplete: boolean; readonly isDone: boolean }> {
  const planned = decisionOn(subject, { controller, cluster, atMs: subject.atMs }, { actions, blocked });
  const report = reportOf(ports, planned, await carryOutAll(planned));
  const { decision, conflict, retry, isComplete } = report;
  const news = report.news();
  notes.failures.push(...report.failures.map((failure) => ofClaim(subject, failure)));
  if (retry !== undefined) notes.due.push(pollAfter(ports.clock.now()));
  if (decision.actions.length > 0 || decision.blocked.length > 0) notes.decisions.push(decision);
  const running = decision.actions.length === 0 ? undefined : subject.claim && runningInstanceOf(subject.claim);
  if (running !== undefined) notes.instances?.set(subject.name, running);
  if (news !== undefined) notes.failures.push(...(await announce(ports, news, subject.seen)));
  if (conflict !== undefined) throw conflict;
  return { isComplete, isDone: isComplete && decision.blocked.length === planned.blocked.length };
}

interface CarriedOut extends Pick<ObjectVerdict, 'actions' | 'blocked'> {
  readonly carryOutAll: (decision: Decision) => Promise<readonly Outcome[]>;
}

async function writeLast(run: ObjectRun, { whenDone }: ObjectVerdict): Promise<boolean> {
  return (await writeRecord(run, whenDone)).failure === undefined;
}

function ofClaim({ name }: VerdictSubject, failure: Error): Error {
  return new Error(`${name}: ${failure.message}`, { cause: failure.cause });
}
