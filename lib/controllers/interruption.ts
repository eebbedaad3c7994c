import { interrupt } from '../core/interruption/interrupt.ts';
import { type InterruptionMessage, parseInterruption } from '../core/interruption/message.ts';
import type { Blocked, Decision } from '../core/model/decision.ts';
import { decisionId } from '../core/model/decision-id.ts';
import type { NodeClaimRecord } from '../core/model/node-claim-record.ts';
import { RefusedError, StaleRecordError } from '../ports/errors.ts';
import { carryOutOffCluster, type OffClusterPorts } from './run/carry-out.ts';
import { standbyDecision } from './run/guard.ts';
import type { InspectsInstances, PublishesDecisions, RunReport, UsesStandby } from './run/ports.ts';

export type InterruptionPorts = OffClusterPorts &
  UsesStandby &
  PublishesDecisions &
  ServedClusters & {
    readonly cloud: Pick<InspectsInstances['cloud'], 'instanceOwners'>;
  };

interface ServedClusters {
  /** Clusters in shadow, in which nothing is done. */
  readonly shadows: ReadonlySet<string>;
  /** The configured clusters. Other deployments in the account have instances with the same kind of tags. */
  readonly clusters: ReadonlySet<string>;
}

/**
 * Events of EC2 for an instance → its claim is deleted, with a drain before the instance ends. Instances of others are ignored.
 * *Errors:* RefusedError for an event of an unknown kind or version, so that the message is kept; StaleRecordError for an
 * instance of Kerf whose launch is not recorded yet, so that the message is delivered again.
 */
export async function handleInterruption(ports: InterruptionPorts, event: unknown): Promise<readonly RunReport[]> {
  const parsed = parseInterruption(event);
  if (parsed.kind === 'irrelevant') return [];
  if (parsed.kind === 'not-understood') {
    throw new RefusedError(`unsupported interruption event, ${parsed.why}: ${JSON.stringify(event).slice(0, 300)}`);
  }
  const { message } = parsed;
  const reports: RunReport[] = [];
  const unknown: string[] = [];
  for (const instanceId of message.instanceIds) {
    const record = await ports.store.findNodeClaim(instanceId);
    if (record === undefined) unknown.push(instanceId);
    else if (record.releasedAtMs === undefined && ports.clusters.has(record.cluster))
      reports.push(await handleOne(ports, { record, instanceId, message }));
  }
  if (unknown.length > 0 && isLookedUp(message)) await awaitLaunches(ports, unknown);
  return reports;
}

async function handleOne(
  ports: InterruptionPorts,
  found: {
    readonly record: NodeClaimRecord;
    readonly instanceId: string;
    readonly message: InterruptionMessage;
  },
): Promise<RunReport> {
  const { record, instanceId, message } = found;
  const { cluster } = record;
  const atMs = ports.clock.now();
  // The active autoscaler gets the event too. After standby, lifecycle finds ended instances in EC2's list (D15).
  if (await isIdle(ports, cluster)) return standbyReport(ports, { record, instanceId });
  const verdict = interrupt(message, record, atMs);
  // Named after the message, so that a repeated delivery is the same decision.
  const id = decisionId('interruption', instanceId, `${message.kind}-${message.atMs}`);
  const decision: Decision = { id, cluster, controller: 'interruption', atMs, ...verdict };
  for (const action of verdict.actions) await carryOutOffCluster(ports, cluster, action);
  if (verdict.actions.length > 0 || message.kind === 'rebalance-recommendation') await ports.messages.publish(decision);
  return { controller: 'interruption', cluster, decisions: [decision], due: [], gauges: {}, failures: [] };
}

async function isIdle({ shadows, store, clock }: InterruptionPorts, cluster: string): Promise<boolean> {
  return shadows.has(cluster) || (await store.isOnStandby(cluster, clock.now()));
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
  const decision = standbyDecision('interruption', cluster, { blocked, atMs: ports.clock.now() });
  return { controller: 'interruption', cluster, decisions: [decision], due: [], gauges: {}, failures: [] };
}

/**
 * Whether the owner of an unknown instance is read from its tags. An event can precede the recorded launch, usually by seconds.
 * EventBridge sends the events of every instance of the account. Warnings are rare: a few hundred a day in a large account, with
 * one call each. State changes are not: an account that terminates 1,000 instances a minute sends 2,000 of them, and their calls
 * would use most of the 20 reads a second that EC2 refills. State changes do not need the call, because lifecycle finds an ended
 * instance in its list within a minute after the launch is recorded (D15). A rebalance recommendation needs no action.
 */
function isLookedUp({ kind }: InterruptionMessage): boolean {
  return kind === 'spot-interruption' || kind === 'reservation-interruption' || kind === 'scheduled-change';
}

/** An instance of Kerf without a record: lifecycle is about to record its launch, resolve its outcome, or adopt it. */
async function awaitLaunches(ports: InterruptionPorts, instanceIds: readonly string[]): Promise<void> {
  const owners = await ports.cloud.instanceOwners(instanceIds);
  const served = owners.filter(({ cluster }) => ports.clusters.has(cluster));
  const idle = await Promise.all(served.map(async ({ cluster }) => await isIdle(ports, cluster)));
  // On standby, no launch is about to be recorded: the instance belongs to another autoscaler.
  const ours = served.filter((_, index) => idle[index] === false);
  const [first] = ours;
  if (first === undefined) return;
  for (const cluster of new Set(ours.map((owner) => owner.cluster))) {
    await ports.messages.wake('lifecycle', { cluster, reason: 'unrecorded-instance' });
  }
  const others = ours.length === 1 ? '' : `, and ${ours.length - 1} more`;
  throw new StaleRecordError(
    `instance ${first.instanceId} belongs to NodeClaim ${first.nodeClaim} of ${first.cluster}${others}, and its launch is not recorded yet: the event is retried`,
  );
}
