import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { isObjectName } from '../../../apis/formats/label-syntax.ts';
import { parseTime } from '../../../apis/formats/time.ts';
import type { Labels, Node } from '../../../apis/kubernetes.ts';
import {
  CAPACITY_TYPE,
  DECISION,
  INITIALIZED,
  INSTANCE_TYPE,
  NODE_CLASS,
  NODE_POOL,
  REGISTERED,
  WELL_KNOWN_LABELS,
  ZONE,
} from '../../../apis/labels.ts';
import type { NodeClaimSpec } from '../../../apis/node-claim.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import { optional } from '../../../apis/optional.ts';
import { digest } from '../../identity.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import type { NodeClaimRecord } from '../../model/node-claim-record.ts';
import { parseResources, type Resources } from '../../resources/resources.ts';
import { isGroupName } from '../launch/launch-groups.ts';
import { isRegistered } from '../registration.ts';
import { claimInFlight } from './claim-in-flight.ts';
import { type ClaimObject, type FoundInstance, progressOf, withCurrentClassHash } from './claim-object.ts';
import { launchTypeOf } from './launch-type.ts';

/** The objects from which the record of a NodeClaim is made. */
export interface ClaimEvidence {
  readonly cluster: string;
  /** @default not launched yet */
  readonly instance?: FoundInstance | undefined;
  readonly nodeClaim?: ClaimObject | undefined;
  readonly nodePool?: NodePool | undefined;
  readonly node?: Node | undefined;
  readonly nodeClass?: EC2NodeClass | undefined;
  /** Kerf's current hash of the NodeClass, as annotations. @default the claim's annotations stay as they are */
  readonly classHash?: Labels | undefined;
  /** D31: whether static NodePools are supported. @default false */
  readonly staticCapacity?: boolean | undefined;
  /** The types that its NodePool may launch, as resolved for its NodeClass. */
  readonly instanceTypes: readonly InstanceType[];
}

/**
 * Makes the record of a NodeClaim from its object, or else from the template of its NodePool and from its node. Adoption,
 * shadow mode and snapshots use it. *Shape:* undefined if there is neither a NodeClaim, nor a NodePool, nor a node.
 * @param unknownSinceMs replaces every time that is not known
 */
export function recordFromObject(evidence: ClaimEvidence, unknownSinceMs: number): NodeClaimRecord | undefined {
  const { cluster, instance, nodeClaim } = evidence;
  const spec = specOf(evidence);
  const nodePool = nameOfPool(evidence);
  const name = nameOf(evidence, nodePool);
  if (spec === undefined || nodePool === undefined || name === undefined) return undefined;
  const { labels = labelsOf(evidence, spec), annotations = annotationsOf(evidence) } = nodeClaim?.metadata ?? {};
  const created = nodeClaim?.metadata.creationTimestamp;
  return {
    cluster,
    name,
    version: 0,
    decisionId: annotations[DECISION] ?? (instance === undefined ? `shown-${name}` : `adoption-${instance.id}`),
    nodePool,
    ...poolUid(evidence),
    labels: labelsOfClaim(labels),
    annotations: withCurrentClassHash(withoutDecision(annotations), evidence.classHash, evidence),
    spec,
    createdAtMs: created === undefined ? (instance?.launchedAtMs ?? unknownSinceMs) : parseTime(created),
    pods: [],
    ...(instance === undefined
      ? claimInFlight({ spec, labels }, evidence.instanceTypes)
      : launchedClaim(evidence, instance, unknownSinceMs)),
    ...progressOf(evidence, unknownSinceMs),
  };
}

/**
 * An instance whose tag has the name of a group gets a name of its own, the same in each run. *Shape:* undefined if the tags of the
 * instance, which anyone can change, do not make the name of an object.
 */
function nameOf({ instance, nodeClaim }: ClaimEvidence, nodePool: string | undefined): string | undefined {
  if (instance === undefined) return nodeClaim?.metadata.name;
  const ofGroup = nodeClaim?.metadata.name ?? `${nodePool}-${digest(instance.id, 8)}`;
  const name = isGroupName(instance.nodeClaim) ? ofGroup : instance.nodeClaim;
  return isObjectName(name) ? name : undefined;
}

type LaunchParts = Pick<NodeClaimRecord, 'options' | 'types' | 'holds' | 'allocatable' | 'launch'>;

function launchedClaim(evidence: ClaimEvidence, instance: FoundInstance, unknownSinceMs: number): LaunchParts {
  const { node, instanceTypes } = evidence;
  const { id, instanceType, zone, capacityType, imageId, reservation } = instance;
  const type = instanceTypes.find((one) => one.name === instanceType);
  const offering = type?.offerings.find((one) => one.zone === zone && one.capacityType === capacityType);
  const priceUsdPerHour = offering?.priceUsdPerHour ?? instance.priceUsdPerHour;
  const option = { instanceType, zone, capacityType, priceUsdPerHour };
  const registered = node !== undefined && isRegistered(node);
  return {
    options: [option],
    types: type === undefined ? [] : [launchTypeOf(type)],
    ...amountsOf(evidence, type),
    launch: {
      kind: 'launched',
      attempt: 1,
      instance: { id, ...option, imageId, ...optional({ reservation }) },
      // If the node has not registered, its registration timeout starts now.
      atMs: registered ? instance.launchedAtMs : unknownSinceMs,
    },
  };
}

/** The record has the name of its decision in a field of its own. */
function withoutDecision(annotations: Labels): Labels {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== DECISION));
}

/** Labels of the claim without those that only the node shows after registration and initialization. */
function labelsOfClaim(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => key !== REGISTERED && key !== INITIALIZED));
}

function specOf(evidence: ClaimEvidence): NodeClaimSpec | undefined {
  const { instance, nodeClaim, nodePool, node } = evidence;
  if (nodeClaim !== undefined) {
    const { spec } = nodeClaim;
    return { ...spec, resources: { requests: spec.resources?.requests ?? {} } };
  }
  if (instance === undefined) return undefined;
  const resources = { requests: {} };
  if (nodePool !== undefined) {
    const { nodeClassRef, taints, startupTaints, expireAfter, terminationGracePeriod } = nodePool.spec.template.spec;
    return {
      nodeClassRef,
      requirements: requirementsOf(nodePool, instance),
      resources,
      ...optional({ taints, startupTaints }),
      expireAfter,
      ...optional({ terminationGracePeriod }),
    };
  }
  const name = instance.nodeClass || node?.metadata.labels?.[NODE_CLASS];
  if (node === undefined || name === undefined) return undefined;
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name };
  // The NodePool is deleted, so its expireAfter is not known.
  return { nodeClassRef, requirements: offeringRequirements(instance), resources, expireAfter: 'Never' };
}

type ClaimRequirements = NodeClaimSpec['requirements'];

/** B38: the requirements of the template, narrowed to the launched offering. */
function requirementsOf(nodePool: NodePool, instance: FoundInstance): ClaimRequirements {
  const launched = offeringRequirements(instance);
  const known = new Set(launched.map(({ key }) => key));
  return [...nodePool.spec.template.spec.requirements.filter(({ key }) => !known.has(key)), ...launched];
}

function offeringRequirements({ instanceType, zone, capacityType }: FoundInstance): ClaimRequirements {
  return [
    { key: INSTANCE_TYPE, operator: 'In', values: [instanceType] },
    { key: ZONE, operator: 'In', values: [zone] },
    { key: CAPACITY_TYPE, operator: 'In', values: [capacityType] },
  ];
}

function nameOfPool(evidence: ClaimEvidence): string | undefined {
  const names = [evidence.nodePool?.metadata.name, evidence.instance?.nodePool, poolNamedBy(evidence)];
  return names.find((name) => name !== undefined && name !== '');
}

/** The NodePool of a claim: from its label, or else its owner reference, or else the label of its node. */
export function poolNamedBy({ nodeClaim, node }: Pick<ClaimEvidence, 'nodeClaim' | 'node'>): string | undefined {
  const { labels, ownerReferences } = nodeClaim?.metadata ?? {};
  const owner = ownerReferences?.find(({ kind }) => kind === 'NodePool');
  return labels?.[NODE_POOL] ?? owner?.name ?? node?.metadata.labels?.[NODE_POOL];
}

function poolUid({ nodeClaim, nodePool }: ClaimEvidence): { readonly nodePoolUid?: string } {
  const owner = nodeClaim?.metadata.ownerReferences?.find(({ kind }) => kind === 'NodePool');
  const uid = nodePool?.metadata.uid ?? owner?.uid;
  return uid === undefined ? {} : { nodePoolUid: uid };
}

/** The template's labels, and one value for each custom label: the value of the node, if it has one (B14). */
function labelsOf(evidence: ClaimEvidence, spec: NodeClaimSpec): Labels {
  const { nodePool, node } = evidence;
  const own = spec.requirements.flatMap(({ key, operator, values = [] }) => {
    if (WELL_KNOWN_LABELS.has(key)) return [];
    const value = node?.metadata.labels?.[key] ?? (operator === 'In' ? values.toSorted()[0] : undefined);
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    ...Object.fromEntries(own),
    ...nodePool?.spec.template.metadata?.labels,
    [NODE_POOL]: nameOfPool(evidence) ?? '',
    [NODE_CLASS]: spec.nodeClassRef.name,
  };
}

/** Registration copied the annotations of the claim to the node. */
function annotationsOf({ nodePool, node }: ClaimEvidence): Labels {
  const ours = Object.entries(node?.metadata.annotations ?? {}).filter(([key]) =>
    /^karpenter\.(sh|k8s\.aws)\//.test(key),
  );
  return { ...nodePool?.spec.template.metadata?.annotations, ...Object.fromEntries(ours) };
}

/**
 * Promise 2: the amounts that count against the limits of the NodePool. The NodeClaim object comes first, because its amounts
 * were counted before the adoption. The node comes last, because a starting node does not report all resources yet.
 */
function amountsOf(
  { nodeClaim, node }: ClaimEvidence,
  type: InstanceType | undefined,
): Pick<NodeClaimRecord, 'holds' | 'allocatable'> {
  const [claimed, reported] = [nodeClaim?.status, node?.status];
  return {
    holds: firstKnown([
      parseResources(claimed?.capacity),
      type?.capacity,
      parseResources(reported?.capacity ?? reported?.allocatable),
    ]),
    allocatable: firstKnown([
      parseResources(claimed?.allocatable),
      type?.allocatable,
      parseResources(reported?.allocatable),
    ]),
  };
}

function firstKnown(amounts: readonly (Resources | undefined)[]): Resources {
  return amounts.find((one) => one !== undefined && Object.keys(one).length > 0) ?? {};
}
