import { SECOND_MS } from '../../apis/formats/time.ts';
import { isLastDelivery } from '../../core/delivery/deliveries.ts';
import { isOver } from '../../core/interruption/event-life.ts';
import type { InterruptionMessage } from '../../core/interruption/message.ts';
import type { Blocked, Decision } from '../../core/model/decision.ts';
import { decisionId } from '../../core/model/decision-id.ts';
import type { InstanceOwner } from '../../ports/cloud-provider.ts';
import { PortError, StaleRecordError } from '../../ports/errors.ts';
import type { HasClock, InspectsInstances, RunReport, SendsWakes, UsesStandby } from '../run/ports.ts';

export type UnrecordedPorts = UsesStandby &
  SendsWakes &
  HasClock &
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
 * Whether the owner of an unknown instance is read from its tags. An event can precede the recorded launch, usually by seconds.
 * EventBridge sends the events of every instance of the account. Warnings are rare: a few hundred a day in a large account, with
 * one call each. State changes are not: an account that terminates 1,000 instances a minute sends 2,000 of them, and their calls
 * would use most of the 20 reads a second that EC2 refills. State changes do not need the call, because lifecycle finds that an
 * ended instance is not in its list, at most 4 minutes after the launch is recorded (D15). A rebalance recommendation needs no action.
 */
export function isLookedUp({ kind }: InterruptionMessage): boolean {
  return kind === 'spot-interruption' || kind === 'reservation-interruption' || kind === 'scheduled-change';
}

interface Unrecorded {
  readonly message: InterruptionMessage;
  /** The number of deliveries of the message, including this one. */
  readonly receives: number;
  readonly instanceIds: readonly string[];
}

/**
 * An instance of Kerf without a record: lifecycle is about to record its launch, resolve its outcome, or adopt it. Lifecycle leaves some
 * instances alone, as those of standalone NodeClaims, so such an event does not become a dead letter.
 * *Shape:* reports where the event is over by any clock, or was delivered for as long as it lasts, so that a further delivery would
 * change nothing. *Errors:* StaleRecordError before.
 * *Cost:* lifecycle is woken by the deliveries 1, 2, 4, 8, 16 and the last one. Its ticks look too.
 */
export async function awaitLaunches(
  ports: UnrecordedPorts,
  { message, receives, instanceIds }: Unrecorded,
): Promise<readonly RunReport[]> {
  const owners = await ports.cloud.instanceOwners(instanceIds);
  const served = owners.filter(({ cluster }) => ports.clusters.has(cluster));
  const idle = await Promise.all(served.map(async ({ cluster }) => await isIdle(ports, cluster)));
  // On standby, no launch is about to be recorded: the instance belongs to another autoscaler.
  const ours = served.filter((_, index) => idle[index]?.idle === false);
  const [first] = ours;
  if (first === undefined) return [];
  const isLast = isLastDelivery(receives);
  const woken = isLast || Number.isInteger(Math.log2(receives)) ? ours : [];
  for (const cluster of new Set(woken.map((owner) => owner.cluster))) {
    await ports.messages.wake('lifecycle', { cluster, reason: 'unrecorded-instance' });
  }
  if (isLast || isOver(message, ports.clock.now())) return ours.map((owner) => overReport(ports, message, owner));
  const others = ours.length === 1 ? '' : `, and ${ours.length - 1} more`;
  throw new StaleRecordError(
    `instance ${first.instanceId} belongs to NodeClaim ${first.nodeClaim} of ${first.cluster}${others}, and its launch is not recorded yet: the event is retried`,
  );
}

/** Lifecycle adopts the instance or finds its end (D15), without the event. */
function overReport(
  { clock }: HasClock,
  { kind, atMs }: InterruptionMessage,
  { cluster, nodeClaim, instanceId }: InstanceOwner,
): RunReport {
  const nowMs = clock.now();
  const ageSeconds = Math.round((nowMs - atMs) / SECOND_MS);
  const message = `${kind} of instance ${instanceId}, whose launch is not recorded, is ${ageSeconds} s old: event dropped, because it is over`;
  const subject = { kind: 'NodeClaim', name: nodeClaim } as const;
  const blocked: readonly Blocked[] = [{ subject, reason: 'NoAction', message, numbers: { ageSeconds } }];
  const id = decisionId('interruption', instanceId, `${kind}-${atMs}`);
  const decision: Decision = { id, cluster, controller: 'interruption', atMs: nowMs, actions: [], blocked };
  return interruptionReport(decision);
}

/** The report of a run for one event. */
export function interruptionReport(decision: Decision, failures: readonly Error[] = []): RunReport {
  const { controller, cluster } = decision;
  return { controller, cluster, decisions: [decision], due: [], gauges: {}, failures };
}

/**
 * Whether interruptions of the cluster's instances are left to another autoscaler. If the mark of standby cannot be read, they
 * are not: the deletion of a claim changes nothing in the cluster while its functions are on standby.
 */
export async function isIdle(
  { shadows, store, clock }: UnrecordedPorts,
  cluster: string,
): Promise<{ readonly idle: boolean; readonly failures: readonly Error[] }> {
  if (shadows.has(cluster)) return { idle: true, failures: [] };
  try {
    return { idle: await store.isOnStandby(cluster, clock.now()), failures: [] };
  } catch (cause) {
    if (!(cause instanceof PortError)) throw cause;
    return { idle: false, failures: [new Error(`read whether Kerf is on standby: ${cause.message}`, { cause })] };
  }
}
