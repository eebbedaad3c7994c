import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { optional } from '../../apis/optional.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { LaunchContext } from '../../core/node-claim/launch/launch.ts';
import { addressesInFlight } from '../../core/node-claim/launch/launch-subnets.ts';
import type { NodeClaimView, NoLaunchContext } from '../../core/node-claim/lifecycle.ts';
import { unreadySinceMs, whyNotUsable } from '../../core/node-class/status/readiness.ts';
import { type Observed, whyNotRead } from '../../core/observed.ts';
import type { HasClock, HasSettings, ReadsZonalShifts, ResolvesNodeClasses, UsesCatalogue } from '../run/ports.ts';
import { type ObservedUnavailable, observeUnavailable } from './observe-unavailable.ts';
import type { Readings } from './readings.ts';
import { observeResolution } from './resolve-node-class.ts';
import { type SharedRead, sharedRead } from './shared-read.ts';

/** What the launches of one run share. */
export interface ObservedLaunches {
  readonly readings: Readings;
  readonly nodeClasses: Observed<readonly EC2NodeClass[]>;
  /** NodeClasses that this run has resolved, by name. */
  readonly contexts: Map<string, SharedRead<KnownClass>>;
  /** C45: the claims that this run is launching, by name. */
  readonly inFlight: Map<string, NodeClaimRecord>;
  /** The missing capacity, for claims that are planned together. @default read for each claim */
  readonly unavailable?: SharedRead<ObservedUnavailable>;
  /** Whether launches of the cluster take turns. Undefined in a run for a single claim. */
  readonly takeTurns: boolean | undefined;
  /** Until when EC2 refuses further launches. A launch of this run that EC2 throttles delays those after it. */
  readonly throttled: { untilMs: number };
}

/** A resolved NodeClass, or why it cannot be used. */
type KnownClass = Pick<LaunchContext, 'nodeClass' | 'resolved'> | NoLaunchContext;

export type LaunchContextPorts = UsesCatalogue & ResolvesNodeClasses & ReadsZonalShifts & HasClock & HasSettings;

/** What a claim is launched with. Each NodeClass is resolved once in a run, and only for claims that are not launched yet. */
export async function observeLaunchContext(
  ports: LaunchContextPorts,
  record: NodeClaimRecord,
  world: ObservedLaunches,
): Promise<NodeClaimView['launchContext']> {
  const { name } = record.spec.nodeClassRef;
  if (record.launch.kind === 'launched' || record.launch.kind === 'requested') return undefined;
  if (world.nodeClasses.kind === 'unread') return notRead(whyNotRead('the EC2NodeClasses', world.nodeClasses));
  const nodeClass = world.nodeClasses.value.find((one) => one.metadata.name === name);
  if (nodeClass === undefined)
    return { reason: 'NodeClassNotFound', message: `its EC2NodeClass ${name} does not exist`, gone: true };
  if (nodeClass.metadata.deletionTimestamp !== undefined)
    return { reason: 'NodeClassTerminating', message: `its EC2NodeClass ${name} is being deleted`, gone: true };
  const read = world.contexts.get(name) ?? sharedRead(async () => resolve(ports, nodeClass, world.readings));
  world.contexts.set(name, read);
  const known = await read();
  if (!('resolved' in known)) return known;
  // Read again for each step: a refused launch adds missing capacity.
  const { unavailable, hasMarks } = await (world.unavailable?.() ??
    observeUnavailable(ports, record.cluster, world.readings));
  // Without the marks of the last attempt, the next attempt would ask for the same capacity.
  if (!hasMarks && record.launch.kind === 'refused') {
    return notRead('missing capacity could not be read after a refused launch');
  }
  return {
    ...known,
    unavailable,
    inFlight: addressesInFlight(world.inFlight.values()),
    // F18, C60.
    ...(!ports.settings.featureGates.reservedCapacity && { openReservations: true }),
  };
}

async function resolve(ports: ResolvesNodeClasses, nodeClass: EC2NodeClass, log: Readings): Promise<KnownClass> {
  const unready = whyNotUsable(nodeClass);
  if (unready !== undefined) return { ...unready, ...optional({ unreadySinceMs: unreadySinceMs(nodeClass) }) };
  const resolution = await observeResolution(ports, nodeClass, log);
  switch (resolution.kind) {
    case 'resolved':
      return { nodeClass, resolved: resolution.nodeClass };
    case 'unresolved':
      return { reason: resolution.reason, message: resolution.message };
    case 'unread':
      return notRead(resolution.message);
  }
}

function notRead(message: string): NoLaunchContext {
  return { reason: 'NotRead', message, unread: true };
}
