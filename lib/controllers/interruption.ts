import { compareText } from '../core/compare-text.ts';
import { interrupt } from '../core/interruption/interrupt.ts';
import { type InterruptionMessage, parseInterruption } from '../core/interruption/message.ts';
import type { Blocked, Decision } from '../core/model/decision.ts';
import { decisionId } from '../core/model/decision-id.ts';
import type { NodeClaimRecord } from '../core/model/node-claim-record.ts';
import { RefusedError } from '../ports/errors.ts';
import {
  awaitLaunches,
  interruptionReport,
  isIdle,
  isLookedUp,
  type UnrecordedPorts,
} from './instances/unrecorded-instances.ts';
import { carryOutOffCluster, type OffClusterPorts } from './run/carry-out.ts';
import { standbyDecision } from './run/guard.ts';
import type { PublishesDecisions, RunReport } from './run/ports.ts';

export type InterruptionPorts = OffClusterPorts & PublishesDecisions & UnrecordedPorts;

/** What became of an event. */
export interface HandledEvent {
  readonly reports: readonly RunReport[];
  /** If there is one, the event is delivered again. */
  readonly failures: readonly Error[];
}

/**
 * Events of EC2 for an instance → its claim is deleted, with a drain before the instance ends. Instances of others are ignored.
 * Each instance of the event is handled by itself: the failure of one does not affect the others.
 * *Shape:* among the failures, a StaleRecordError for an instance of Kerf whose launch is not recorded yet, except at the last delivery.
 * *Errors:* RefusedError for an event of an unknown kind or version, so that the message is kept.
 * @param receives the number of deliveries of the event, including this one
 */
export async function handleInterruption(
  ports: InterruptionPorts,
  event: unknown,
  receives: number,
): Promise<HandledEvent> {
  const parsed = parseInterruption(event);
  if (parsed.kind === 'irrelevant') return { reports: [], failures: [] };
  if (parsed.kind === 'not-understood') {
    throw new RefusedError(`unsupported interruption event, ${parsed.why}: ${JSON.stringify(event).slice(0, 300)}`);
  }
  const { message } = parsed;
  const unknown: string[] = [];
  const outcomes = await Promise.allSettled(
    message.instanceIds.map(async (instanceId) => {
      // The function of each network gets the events of the whole account.
      const record = await ports.store.findNodeClaim(instanceId, (cluster) => ports.clusters.has(cluster));
      if (record === undefined) unknown.push(instanceId);
      if (record === undefined || record === 'not-served' || record.releasedAtMs !== undefined) return [];
      return await handleOne(ports, { record, instanceId, message });
    }),
  );
  if (unknown.length > 0 && isLookedUp(message)) {
    const unrecorded = { message, receives, instanceIds: unknown.toSorted(compareText) };
    outcomes.push(...(await Promise.allSettled([awaitLaunches(ports, unrecorded)])));
  }
  const unread = (message.setAside ?? []).map(
    (entity) => new RefusedError(`an affected entity has no entityValue: ${entity}`),
  );
  return {
    reports: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : [])),
    failures: [...unread, ...failuresOf(outcomes)],
  };
}

interface InterruptedClaim {
  readonly record: NodeClaimRecord;
  readonly instanceId: string;
  readonly message: InterruptionMessage;
}

/** *Errors:* the failure to delete the claim. The mark of the offering and the publication are hints: their failures are reported. */
async function handleOne(
  ports: InterruptionPorts,
  { record, instanceId, message }: InterruptedClaim,
): Promise<readonly RunReport[]> {
  const { cluster } = record;
  const atMs = ports.clock.now();
  // The active autoscaler gets the event too. After standby, lifecycle finds ended and stopped instances in EC2's list (D15).
  const { idle, failures: unread } = await isIdle(ports, cluster);
  if (idle) return [standbyReport(ports, { record, instanceId })];
  const verdict = interrupt(message, record, atMs);
  // Named after the message, so that a repeated delivery is the same decision.
  const id = decisionId('interruption', instanceId, `${message.kind}-${message.atMs}`);
  const decision: Decision = { id, cluster, controller: 'interruption', atMs, ...verdict };
  const carriedOut = await Promise.allSettled(
    verdict.actions.map(async (action) => carryOutOffCluster(ports, cluster, action)),
  );
  for (const [index, outcome] of carriedOut.entries()) {
    if (verdict.actions[index]?.kind !== 'delete-node-claim') continue;
    if (outcome.status === 'rejected') throw outcome.reason;
    const [lostWake] = outcome.value;
    // The event is delivered again, which is earlier than the next tick.
    if (lostWake !== undefined) throw lostWake;
  }
  const isPublished = verdict.actions.length > 0 || message.kind === 'rebalance-recommendation';
  const [published] = await Promise.allSettled([isPublished ? ports.messages.publish(decision) : undefined]);
  return [interruptionReport(decision, [...unread, ...failuresOf([...carriedOut, published])])];
}

function failuresOf(outcomes: readonly PromiseSettledResult<unknown>[]): readonly Error[] {
  return outcomes.flatMap((outcome) => {
    if (outcome.status === 'fulfilled') return [];
    return [outcome.reason instanceof Error ? outcome.reason : new Error(String(outcome.reason))];
  });
}

function standbyReport(
  ports: InterruptionPorts,
  {
    record: { cluster, name, nodePool },
    instanceId,
  }: { readonly record: NodeClaimRecord; readonly instanceId: string },
): RunReport {
  const message = `EC2 interrupts its instance ${instanceId}, but Kerf is on standby in cluster ${cluster}; event ignored`;
  const subject = { kind: 'NodeClaim', name } as const;
  const blocked: readonly Blocked[] = [{ subject, nodePool, reason: 'StoodDown', message, numbers: {} }];
  return interruptionReport(standbyDecision('interruption', cluster, { blocked, atMs: ports.clock.now() }));
}
