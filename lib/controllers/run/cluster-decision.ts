import { SECOND_MS } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import { gaugesOf } from '../../core/cluster/gauges.ts';
import type { DecidedContext } from '../../core/decisions/decided-on.ts';
import type { ClusterSnapshot } from '../../core/model/cluster-snapshot.ts';
import {
  type Controller,
  type Decision,
  type Due,
  pollAfter,
  requeueAt,
  type Verdict,
} from '../../core/model/decision.ts';
import { clusterDecisionId, shadowDecisionId } from '../../core/model/decision-id.ts';
import { decisionParts } from '../../core/provisioning/decision-parts.ts';
import { EpochMovedError } from '../../ports/errors.ts';
import { withoutAnnounced } from '../act/not-announced.ts';
import { reportOf } from '../act/outcomes.ts';
import { type Announces, announce } from './announce.ts';
import { carryOut } from './carry-out.ts';
import { finishDecision, type SettlePorts } from './open-decisions.ts';
import type { HasClock, HasSettings, MayHoldLease, RecordsShadowDecisions, RunReport } from './ports.ts';
import { recordShadow } from './shadow.ts';

/** A decision before its actions are decided. Its id is part of the names of new NodeClaims. */
export type NamedDecision = Omit<Decision, 'actions' | 'blocked' | 'onExistingNodes' | 'price'>;

/** Names the decision on the snapshot, at the current time. */
export function nameDecision(
  { clock, settings }: HasClock & HasSettings,
  controller: Controller,
  snapshot: ClusterSnapshot,
): NamedDecision {
  const { cluster } = snapshot;
  const atMs = clock.now();
  if (settings.shadow) return { id: shadowDecisionId(controller, snapshot), cluster, controller, atMs, shadow: true };
  return { id: clusterDecisionId(controller, snapshot, atMs), cluster, controller, atMs };
}

/** What recording, carrying out and publishing a decision needs. */
export type RecordPorts = SettlePorts & RecordsShadowDecisions & MayHoldLease & Announces;

/**
 * Records the decision, carries it out and publishes it. Recording fails with EpochMovedError if another decision was recorded
 * since the epoch of the snapshot. The decision stays open until it is carried out completely. A large decision is recorded in
 * parts. A proposed disruption has no effect, so it is recorded regardless of the epoch.
 */
export async function recordAndAct(
  ports: RecordPorts,
  snapshot: ClusterSnapshot,
  {
    named,
    verdict,
    context,
  }: { readonly named: NamedDecision; readonly verdict: Verdict; readonly context?: Partial<DecidedContext> },
): Promise<{ readonly report: RunReport } & Pick<RecordedParts, 'carriedOut'>> {
  const { cluster, controller, atMs } = named;
  const { actions, blocked, onExistingNodes, price } = verdict;
  // Field by field: a verdict may have more, for example the schedule of provisioning, which is too large to record.
  const decision = { ...named, actions, blocked, ...optional({ onExistingNodes, price }) };
  const parts = decisionParts(decision);
  const { carriedOut, decisions, failures, isFinished } = await recordParts(ports, parts, snapshot);
  // The next run decides the remaining parts again, on a snapshot that includes the decision of the other run.
  const again = decisions.length < parts.length ? [requeueAt(atMs + SECOND_MS)] : [];
  const due = isFinished ? [...verdict.due, ...again] : dueAgain(verdict.due, ports.clock.now());
  const read = { decisionId: named.id, nowMs: atMs, ...context };
  const decided = [{ controller, snapshot, context: read, verdict, decisions }];
  const gauges = gaugesOf(snapshot, decisions, atMs);
  return { report: { controller, cluster, decisions, decided, due, gauges, failures }, carriedOut };
}

/** A run cannot do more before the unfinished actions succeed, so it does not come earlier for what would follow them. */
function dueAgain(due: readonly Due[], nowMs: number): readonly Due[] {
  const poll = pollAfter(nowMs);
  return [...due.filter(({ atMs }) => atMs > poll.atMs), poll];
}

interface RecordedParts extends Pick<RunReport, 'decisions' | 'failures'> {
  /** The recorded parts with what this run has carried out, also if another run closes and reports them. */
  readonly carriedOut: readonly Decision[];
  /** Whether every action of the recorded parts was carried out or given up. The next run finishes the others first. */
  readonly isFinished: boolean;
}

/**
 * Records, carries out and publishes the parts in order, each in a transaction of its own. *Shape:* the recorded parts: if
 * another decision was recorded between two parts, the remaining parts are left out.
 * *Errors:* EpochMovedError if another decision was recorded before the first part.
 */
async function recordParts(
  ports: RecordPorts,
  parts: readonly Decision[],
  snapshot: ClusterSnapshot,
): Promise<RecordedParts> {
  const carriedOut: Decision[] = [];
  const decisions: Decision[] = [];
  const failures: Error[] = [];
  let isFinished = true;
  for (const part of parts) {
    let published = part;
    let isOwn = true;
    if (isProposal(part)) {
      const report = reportOf(ports, part, await carryOut(ports, part));
      failures.push(...report.failures);
      isFinished = report.isComplete;
      published = report.decision;
      await ports.store.recordShadow(part, part.id);
    } else if (part.actions.length > 0 && part.shadow !== true) {
      try {
        // Each part increases the epoch by one.
        await ports.store.recordDecision(part, snapshot.epoch + decisions.length, ports.lease);
      } catch (error) {
        if (decisions.length === 0 || !(error instanceof EpochMovedError)) throw error;
        break;
      }
      const finished = await finishDecision(ports, part);
      failures.push(...finished.failures);
      isFinished = finished.unfinished === undefined;
      published = finished.decision;
      isOwn = finished.isClosed;
    }
    carriedOut.push(published);
    // The run that closes a decision reports and publishes its actions, and the run that has recorded it the refusals.
    const news = isOwn ? published : { ...published, actions: [] };
    decisions.push(news);
    failures.push(...(await publish(ports, news, snapshot)));
    // The next part is decided as if this one was carried out.
    if (!isFinished) break;
  }
  return { carriedOut, decisions, failures, isFinished };
}

/**
 * A command that is only proposed has no effect: it neither checks nor moves the epoch, so that it is stored however long the
 * search for it took and whatever else was decided meanwhile. Its execution is a decision like any other.
 */
function isProposal({ actions, shadow }: Decision): boolean {
  return shadow !== true && actions.length > 0 && actions.every(({ kind }) => kind === 'start-disruption');
}

async function publish(ports: RecordPorts, part: Decision, snapshot: ClusterSnapshot): Promise<readonly Error[]> {
  const isShadow = part.shadow === true;
  const told = isShadow ? part : withoutAnnounced(ports, part);
  if (told.actions.length === 0 && told.blocked.length === 0) return [];
  if (isShadow) return recordShadow(ports, told);
  const { pods, nodes } = snapshot;
  const nodePools = snapshot.nodePools.map(({ nodePool }) => nodePool);
  return announce(ports, told, { pods, nodes, nodePools });
}
