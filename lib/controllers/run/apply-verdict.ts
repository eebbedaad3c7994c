import type { SeenObjects } from '../../core/events/events-of.ts';
import type { Blocked, Controller, Decision, Verdict } from '../../core/model/decision.ts';
import { type DecisionSubject, decisionOn } from '../../core/model/decision-id.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { announce } from './announce.ts';
import { type ActPorts, carryOut } from './carry-out.ts';
import type { Aside } from './each-claim.ts';
import type { PublishesDecisions, WritesEvents } from './ports.ts';

/** The decisions and failures that a run reports. */
export interface RunNotes {
  readonly decisions: Decision[];
  readonly failures: Error[];
}

/** What `applyVerdict` needs. */
export type VerdictPorts = ActPorts & PublishesDecisions & WritesEvents;

/** A run that decides for one object at a time. */
export interface ObjectRun<Ports extends VerdictPorts = VerdictPorts> {
  readonly ports: Ports;
  readonly controller: Controller;
  readonly cluster: string;
  readonly notes: RunNotes;
}

export interface VerdictSubject extends DecisionSubject {
  readonly atMs: number;
  /** The objects that Events refer to. */
  readonly seen?: SeenObjects;
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
 * Every refusal is reported, with and without an action. A verdict with actions is also published on the event bus and as Events.
 * A verdict without an action is not published: every run decides it again, and its refusals are already in the conditions of
 * the NodeClaim or the NodeClass.
 *
 * *Errors:* those of the ports, before the report: only actions that were carried out are reported. A failure to publish is
 * added to the notes. *Cost:* a write if the record changes; a bus event and Events if there is an action.
 */
export async function applyVerdict(run: ObjectRun, subject: VerdictSubject, verdict: ObjectVerdict): Promise<void> {
  const written = verdict.record && (await run.ports.store.updateNodeClaim(verdict.record));
  const whenDone = verdict.whenDone && { ...verdict.whenDone, ...(written && { version: written.version }) };
  const whole = { ...verdict, whenDone };
  // One call terminates many instances, and returns after the last of them.
  const isSlow = verdict.actions.some(({ kind }) => kind === 'terminate-instance');
  if (isSlow && subject.aside !== undefined) subject.aside(async () => act(run, subject, whole));
  else await act(run, subject, whole);
}

async function act(run: ObjectRun, subject: VerdictSubject, verdict: ObjectVerdict): Promise<void> {
  const { ports, controller, cluster, notes } = run;
  const decision = decisionOn(subject, { controller, cluster, atMs: subject.atMs }, verdict);
  const refused = await carryOut(ports, decision);
  const reported = withRefusals(decision, refused);
  if (reported.actions.length === 0 && reported.blocked.length === 0) return;
  notes.decisions.push(reported);
  if (reported.actions.length > 0) notes.failures.push(...(await announce(ports, reported, subject.seen)));
  if (verdict.whenDone !== undefined && refused.length === 0) await ports.store.updateNodeClaim(verdict.whenDone);
}

function withRefusals(decision: Decision, refused: readonly Blocked[]): Decision {
  return refused.length === 0 ? decision : { ...decision, blocked: [...decision.blocked, ...refused] };
}
