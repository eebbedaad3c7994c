import { type Labels, podKey } from '../../apis/kubernetes.ts';
import {
  CAPACITY_OVERLAY_APPLIED,
  CAPACITY_TYPE,
  GRACEFUL_EXPIRATION,
  HOSTNAME,
  INSTANCE_TYPE,
  MIN_VALUES_RELAXED,
  PRICE_OVERLAY_APPLIED,
  WELL_KNOWN_LABELS,
  ZONE,
} from '../../apis/labels.ts';
import { optional } from '../../apis/optional.ts';
import { isBufferPod } from '../cluster/buffer-pod.ts';
import { digest } from '../identity.ts';
import { valuesOf } from '../instance-type/type-requirements.ts';
import { onceFor } from '../kept-answers.ts';
import type { InstanceType } from '../model/instance-type.ts';
import type { LaunchOption, LaunchType, NodeClaimRecord, StartTurn } from '../model/node-claim-record.ts';
import { launchTypeOf } from '../node-claim/adoption/launch-type.ts';
import { nodePoolHash } from '../node-pool/node-pool-hash.ts';
import { admits, allowsAbsence, inRequirement, type Requirement } from '../requirements/requirement.ts';
import { type Requirements, toNodeSelector, withRequirement } from '../requirements/requirements.ts';
import { formatResources, type Resources, smaller } from '../resources/resources.ts';
import { launchOptions, typesOfOptions } from '../scheduling/pools/launch-options.ts';
import { largestCapacity } from '../scheduling/pools/limits.ts';
import type { MinValues } from '../scheduling/pools/min-values.ts';
import type { PlannedNodeClaim } from '../scheduling/schedule.ts';

export interface NewNodeClaimContext {
  readonly cluster: string;
  readonly decisionId: string;
  readonly nowMs: number;
  /** B67, in the order of the claims. @default each node is registered as soon as it joins */
  readonly startTurns?: readonly StartTurn[] | undefined;
}

/**
 * The record of a planned claim. Its name is derived from the ID of the decision, so repeating the decision creates the same
 * claim. *Source:* A2.3, B14, B38.
 */
export function newNodeClaim(claim: PlannedNodeClaim, index: number, context: NewNodeClaimContext): NodeClaimRecord {
  const { template } = claim;
  const { name: pool, uid, annotations: ofPool = {} } = template.nodePool.metadata;
  const gracefulExpiration = ofPool[GRACEFUL_EXPIRATION];
  const { spec } = template.nodePool.spec.template;
  const options = launchOptions(claim.instanceTypes, claim.requirements, claim);
  const sent = typesOfOptions(claim.instanceTypes, options);
  const bufferPods = claim.pods.filter(isBufferPod).map(podKey);
  const requirements = asLaunched(claim.requirements, options);
  return {
    cluster: context.cluster,
    name: `${pool}-${digest(`${context.decisionId}/${index}`, 8)}`,
    version: 0,
    decisionId: context.decisionId,
    nodePool: pool,
    ...optional({ nodePoolUid: uid }),
    labels: { ...customLabels(requirements), ...template.labels },
    annotations: {
      ...template.annotations,
      ...nodePoolHash(template.nodePool),
      ...overlayAnnotations(sent),
      ...optional({ [GRACEFUL_EXPIRATION]: gracefulExpiration }),
      [MIN_VALUES_RELAXED]: String(claim.minValuesRelaxed),
    },
    spec: {
      nodeClassRef: spec.nodeClassRef,
      requirements: toNodeSelector(requirements),
      resources: { requests: formatResources(claim.requests) },
      ...optional({ taints: spec.taints, startupTaints: spec.startupTaints }),
      expireAfter: spec.expireAfter,
      ...optional({ terminationGracePeriod: spec.terminationGracePeriod }),
    },
    createdAtMs: context.nowMs,
    pods: claim.pods.map(podKey),
    ...(bufferPods.length === 0 ? {} : { bufferPods }),
    ...optional({ startTurn: context.startTurns?.[index] }),
    options,
    types: sent.map((type) => ({ ...launchTypeOf(type), ...countedFor(type, template.minValues) })),
    holds: largestCapacity(sent),
    allocatable: smallestAllocatable(sent),
    launch: { kind: 'planned' },
  };
}

/** B24: the launch counts the values again. */
function countedFor(type: InstanceType, minValues: MinValues): Partial<Pick<LaunchType, 'counted'>> {
  if (minValues.length === 0) return {};
  return { counted: Object.fromEntries(minValues.map(({ key }) => [key, valuesOf(type, key)])) };
}

/** A4.10: annotations that show which NodeOverlays changed its launch options. */
function overlayAnnotations(types: readonly InstanceType[]): Labels {
  const priced = types.some(hasOverlaidPrice);
  const enlarged = types.some(({ capacityOverlaid }) => capacityOverlaid === true);
  return {
    ...(priced ? { [PRICE_OVERLAY_APPLIED]: 'true' } : {}),
    ...(enlarged ? { [CAPACITY_OVERLAY_APPLIED]: 'true' } : {}),
  };
}

const hasOverlaidPrice = onceFor(({ offerings }: InstanceType) =>
  offerings.some(({ priceOverlaid }) => priceOverlaid === true),
);

/** B38: the requirements, narrowed to the launch options, without the placeholder hostname. */
function asLaunched(requirements: Requirements, options: readonly LaunchOption[]): Requirements {
  const narrowed = new Map(requirements);
  narrowed.delete(HOSTNAME);
  return [
    inRequirement(
      INSTANCE_TYPE,
      options.map((option) => option.instanceType),
    ),
    inRequirement(
      ZONE,
      options.map((option) => option.zone),
    ),
    inRequirement(
      CAPACITY_TYPE,
      options.map((option) => option.capacityType),
    ),
  ].reduce<Requirements>(withRequirement, narrowed);
}

/** B14: a custom label gets one value: the first of those allowed, or a generated one. */
function customLabels(requirements: Requirements): Labels {
  const labels: Record<string, string> = {};
  for (const [key, one] of requirements) {
    const [value] = one.complement ? madeUpValues(one) : [...one.values].toSorted();
    if (!WELL_KNOWN_LABELS.has(key) && value !== undefined) labels[key] = value;
  }
  return labels;
}

/** A value for a label that must exist and has only excluded values. Without it, the pods could not be bound. */
function madeUpValues(one: Requirement): readonly string[] {
  if (allowsAbsence(one)) return [];
  const candidates = Array.from({ length: one.values.size + 1 }, (_, at) => String(BigInt(at) + (one.gte ?? 1n)));
  return [...candidates, '0'].filter((value) => admits(one, value));
}

function smallestAllocatable(types: readonly InstanceType[]): Resources {
  const [first, ...others] = types;
  return others.reduce<Resources>((least, type) => smaller(least, type.allocatable), first?.allocatable ?? {});
}
