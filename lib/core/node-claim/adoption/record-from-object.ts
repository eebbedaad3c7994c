import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { parseTime } from '../../../apis/formats/time.ts';
import type { Labels, Node } from '../../../apis/kubernetes.ts';
import {
  CAPACITY_TYPE,
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
import type { InstanceType } from '../../model/instance-type.ts';
import type { NodeClaimRecord } from '../../model/node-claim-record.ts';
import { parseResources, type Resources } from '../../resources/resources.ts';
import { isRegistered } from '../registration.ts';
import { claimInFlight } from './claim-in-flight.ts';
import { launchTypeOf } from './launch-type.ts';
import { type ClaimObject, type FoundInstance, progressOf, withCurrentClassHash } from './left-claim.ts';

/** All that shows what a NodeClaim without a record is. */
export interface ClaimEvidence {
  readonly cluster: string;
  /** @default it is not launched yet */
  readonly instance?: FoundInstance | undefined;
  readonly nodeClaim?: ClaimObject | undefined;
  readonly nodePool?: NodePool | undefined;
  readonly node?: Node | undefined;
  readonly nodeClass?: EC2NodeClass | undefined;
  /** Ours of the class as it is today, as annotations. @default what the claim carries stays */
  readonly classHash?: Labels | undefined;
  /** The types that its NodePool may launch, as its NodeClass makes them. */
  readonly instanceTypes: readonly InstanceType[];
}

/**
 * The record of a NodeClaim that has none: its object says what it was, else its pool's template and its node. Adoption, shadow
 * mode and snapshots make their records here. *Shape:* undefined where nothing is left that says how it is to be treated.
 * @param unknownSinceMs stands for every time that nothing tells
 */
export function recordFromObject(evidence: ClaimEvidence, unknownSinceMs: number): NodeClaimRecord | undefined {
  const { cluster, instance, nodeClaim } = evidence;
  const spec = specOf(evidence);
  const nodePool = nameOfPool(evidence);
  const name = instance?.nodeClaim ?? nodeClaim?.metadata.name;
  if (spec === undefined || nodePool === undefined || name === undefined) return undefined;
  const { labels = labelsOf(evidence, spec), annotations = annotationsOf(evidence) } = nodeClaim?.metadata ?? {};
  const created = nodeClaim?.metadata.creationTimestamp;
  return {
    cluster,
    name,
    version: 0,
    decisionId: instance === undefined ? `shown-${name}` : `adoption-${instance.id}`,
    nodePool,
    ...poolUid(evidence),
    labels: promisedLabels(labels),
    annotations: withCurrentClassHash(annotations, evidence.classHash, evidence),
    spec,
    createdAtMs: created === undefined ? (instance?.launchedAtMs ?? unknownSinceMs) : parseTime(created),
    pods: [],
    ...(instance === undefined
      ? claimInFlight({ spec, labels }, evidence.instanceTypes)
      : launchedClaim(evidence, instance, unknownSinceMs)),
    ...progressOf(evidence, unknownSinceMs),
  };
}

type Became = Pick<NodeClaimRecord, 'options' | 'types' | 'holds' | 'allocatable' | 'launch'>;

function launchedClaim(evidence: ClaimEvidence, instance: FoundInstance, unknownSinceMs: number): Became {
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
      instance: { id, ...option, imageId, ...(reservation === undefined ? {} : { reservation }) },
      // One whose node is still to register has the whole time for it from now on.
      atMs: registered ? instance.launchedAtMs : unknownSinceMs,
    },
  };
}

/** What a node says of its own progress, its claim does not say for it. */
function promisedLabels(labels: Labels): Labels {
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
      ...(taints === undefined ? {} : { taints }),
      ...(startupTaints === undefined ? {} : { startupTaints }),
      expireAfter,
      ...(terminationGracePeriod === undefined ? {} : { terminationGracePeriod }),
    };
  }
  const name = instance.nodeClass || node?.metadata.labels?.[NODE_CLASS];
  if (node === undefined || name === undefined) return undefined;
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name };
  // Its pool is gone, and with it what it said of expiry.
  return { nodeClassRef, requirements: whatItIs(instance), resources, expireAfter: 'Never' };
}

type ClaimRequirements = NodeClaimSpec['requirements'];

/** B38: the template's, narrowed to what was launched. */
function requirementsOf(nodePool: NodePool, instance: FoundInstance): ClaimRequirements {
  const launched = whatItIs(instance);
  const known = new Set(launched.map(({ key }) => key));
  return [...nodePool.spec.template.spec.requirements.filter(({ key }) => !known.has(key)), ...launched];
}

function whatItIs({ instanceType, zone, capacityType }: FoundInstance): ClaimRequirements {
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

/** The NodePool that the claim names: by its label, else by its owner, else by the label of its node. */
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

/** The template's labels, and one value for each label of the user's own: the node's where it is there (B14). */
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

/** Registration copied them to the node; there they are as they were when it was launched. */
function annotationsOf({ nodePool, node }: ClaimEvidence): Labels {
  const ours = Object.entries(node?.metadata.annotations ?? {}).filter(([key]) =>
    /^karpenter\.(sh|k8s\.aws)\//.test(key),
  );
  return { ...nodePool?.spec.template.metadata?.annotations, ...Object.fromEntries(ours) };
}

/**
 * Promise 2: what it takes of its pool's limits. Its object has what it has been counted as so far, so that nothing changes where it
 * is taken over; a node that is starting does not report everything yet.
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
