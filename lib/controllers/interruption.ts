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
  /** Those in shadow, where nothing is done. */
  readonly shadows: ReadonlySet<string>;
  /** Those that are served: another cluster's instances look just like ours to whoever runs it. */
  readonly clusters: ReadonlySet<string>;
}

/**
 * What EC2 says of an instance → its claim is deleted, in time and drained. Instances that are not ours are none of our
 * business. *Errors:* RefusedError for a message of a kind or version that we do not know: it is kept, not dropped;
 * StaleRecordError for an instance of ours whose launch is not recorded yet: it is to be delivered again.
 */
export async function handleInterruption(ports: InterruptionPorts, event: unknown): Promise<readonly RunReport[]> {
  const parsed = parseInterruption(event);
  if (parsed.kind === 'irrelevant') return [];
  if (parsed.kind === 'not-understood') {
    throw new RefusedError(
      `this is no interruption event that Kerf knows, ${parsed.why}: ${JSON.stringify(event).slice(0, 300)}`,
    );
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
  // Whoever autoscales the cluster instead hears of it as well; what is over by then shows in EC2's list (D15).
  if (await isIdle(ports, cluster)) return silentReport(ports, { record, instanceId });
  const verdict = interrupt(message, record, atMs);
  // Named after the message: delivered again it is the same decision.
  const id = decisionId('interruption', instanceId, `${message.kind}-${message.atMs}`);
  const decision: Decision = { id, cluster, controller: 'interruption', atMs, ...verdict };
  for (const action of verdict.actions) await carryOutOffCluster(ports, cluster, action);
  if (verdict.actions.length > 0 || message.kind === 'rebalance-recommendation') await ports.messages.publish(decision);
  return { controller: 'interruption', cluster, decisions: [decision], due: [], gauges: {}, failures: [] };
}

async function isIdle({ shadows, store, clock }: InterruptionPorts, cluster: string): Promise<boolean> {
  return shadows.has(cluster) || (await store.isOnStandby(cluster, clock.now()));
}

function silentReport(
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
 * Which unknown instances are looked up by their tags. An event can precede the recorded launch, by seconds as a rule. The
 * rules hear of every instance of the account: warnings are rare (a few hundred a day in a large account, a call each), but
 * an account that ends 1,000 instances a minute sends 2,000 state changes, and looking those up would take most of the 20
 * reads a second that EC2 lets it refill. They need it least: that an instance of ours is ending, lifecycle sees by itself in
 * its list within the minute after the launch is recorded (D15). A rebalance recommendation asks for nothing.
 */
function isLookedUp({ kind }: InterruptionMessage): boolean {
  return kind === 'spot-interruption' || kind === 'reservation-interruption' || kind === 'scheduled-change';
}

/** An instance of ours that no record knows: its launch is about to be recorded, settled or adopted, and lifecycle does that. */
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
