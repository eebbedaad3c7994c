import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Catalogue } from '../../core/instance-type/facts.ts';
import { lastTypes } from '../../core/instance-type/last-types.ts';
import { withoutLaterLaunches } from '../../core/instance-type/offerings/reserved-offerings.ts';
import {
  markedClass,
  type Placement,
  placementIn,
  unavailability,
  zonesWithAddresses,
} from '../../core/instance-type/offerings/unavailable.ts';
import { doubt } from '../../core/instance-type/offerings/zone-refusals.ts';
import { instanceTypesFor } from '../../core/instance-type/resolve.ts';
import { kubeletExpressionProblem } from '../../core/instance-type/type-kubelet.ts';
import type { NodePoolView } from '../../core/model/cluster-snapshot.ts';
import type { UnavailableOffering } from '../../core/model/decision.ts';
import type { InstanceType } from '../../core/model/instance-type.ts';
import type { LearnedMemory } from '../../core/model/learned-memory.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import type { Reason } from '../../core/model/reasons.ts';
import { whyNotUsable } from '../../core/node-class/status/readiness.ts';
import { whyNotStartable } from '../../core/node-class/user-data/user-data.ts';
import type { HasSettings, ResolvesNodeClasses } from '../run/ports.ts';
import type { Readings } from './readings.ts';
import { observeResolution } from './resolve-node-class.ts';

/** What was read before. */
export interface KnownBefore {
  readonly unavailable: readonly UnavailableOffering[];
  /** The claims that may have taken instances of reservations since EC2 counted these. @default none */
  readonly nodeClaims?: readonly NodeClaimRecord[];
  readonly readings: Readings;
}

export type Launchable = Pick<NodePoolView, 'instanceTypes' | 'unusable'>;

export interface Known extends Required<Omit<KnownBefore, 'readings'>> {
  readonly catalogue: Catalogue | undefined;
  readonly learnedMemory: readonly LearnedMemory[];
  readonly log: Readings;
  readonly tenancy: Pick<Placement, 'tenancy'>;
}

/** The instance types that a NodeClass launches, or why it launches none. */
export async function whatLaunches(
  ports: ResolvesNodeClasses & HasSettings,
  nodeClass: EC2NodeClass,
  known: Known,
): Promise<Launchable> {
  const unready = whyNotUsable(nodeClass);
  if (unready !== undefined) return unusable(unready.reason, unready.message);
  const unstartable = whyNotStartable(nodeClass);
  if (unstartable !== undefined) return unusable('Unsupported', unstartable);
  const resolution = await observeResolution(ports, nodeClass, known.log);
  if (resolution.kind === 'unread') return unusable('NotRead', resolution.message);
  if (resolution.kind === 'unresolved') {
    return unusable(resolution.reason, `EC2NodeClass ${nodeClass.metadata.name}: ${resolution.message}`);
  }
  if (known.catalogue === undefined) {
    return unusable('NoCatalogue', 'the catalogue function has not read instance types and prices yet');
  }
  const { memoryOverhead, reservedEnis, featureGates } = ports.settings;
  const amounts = { memoryOverhead, reservedEnis };
  const problem = kubeletExpressionProblem(nodeClass, known.catalogue.facts, amounts);
  if (problem !== undefined) return unusable(problem.reason, problem.message);
  const { subnets, images, placementGroup, capacityReservations = [], bootstrap } = resolution.nodeClass;
  const reservations = featureGates.reservedCapacity
    ? withoutLaterLaunches(capacityReservations, known.nodeClaims)
    : [];
  const { catalogue, unavailable, learnedMemory, tenancy } = known;
  const zones = zonesWithAddresses(subnets, unavailable);
  const others = { ...tenancy, nodeClass: markedClass(bootstrap.clusterName, nodeClass.metadata.name) };
  const isUnavailable = unavailability(unavailable, placementIn(placementGroup, others));
  const plain = { reservations, images, placementGroup, learnedMemory, ...amounts };
  const inputs = {
    settings: JSON.stringify([nodeClass, plain]),
    capacity: JSON.stringify([[...zones], unavailable, others]),
  };
  const options = { zones, isUnavailable, isDoubted: doubt(unavailable), ...plain };
  const make = (before: readonly InstanceType[]) => instanceTypesFor(catalogue, nodeClass, { ...options, before });
  return { instanceTypes: lastTypes(catalogue, inputs, make) };
}

export function unusable(reason: Reason, message: string): Launchable {
  return { instanceTypes: [], unusable: { reason, message } };
}
