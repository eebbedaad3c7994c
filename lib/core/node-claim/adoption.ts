import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Labels, Node } from '../../apis/kubernetes.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, NODE_CLASS, NODE_POOL, WELL_KNOWN_LABELS, ZONE } from '../../apis/labels.ts';
import type { NodeClaim, NodeClaimSpec } from '../../apis/node-claim.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { parseTime } from '../../apis/time.ts';
import type { InstanceType } from '../instance-type/instance-type.ts';
import type { Reason } from '../model/reasons.ts';
import { parseResources, type Resources } from '../resources/resources.ts';
import { type FoundInstance, progressOf, restamped } from './left-claim.ts';
import type { NodeClaimRecord } from './record.ts';
import { isRegistered } from './registration.ts';

/** An instance of the cluster that no record knows, and all that is left to tell what it is. */
export interface Orphan {
  readonly cluster: string;
  readonly instance: FoundInstance;
  readonly nodeClaim?: NodeClaim | undefined;
  readonly nodePool?: NodePool | undefined;
  readonly node?: Node | undefined;
  readonly nodeClass?: EC2NodeClass | undefined;
  /** Ours of the class as it is today, as annotations. @default what the claim carries stays */
  readonly classHash?: Labels | undefined;
  /** Its type as its NodeClass makes it; undefined where that cannot be told. */
  readonly instanceType?: InstanceType | undefined;
}

/** Why it is left to whoever made it, although all is there that a record needs; undefined where it is not. */
export function whyLeftAlone({
  nodeClaim,
  nodePool,
}: Orphan): { readonly reason: Reason; readonly message: string } | undefined {
  if (nodeClaim !== undefined && nodeClaim.metadata.labels?.[NODE_POOL] === undefined) {
    // A2.2.
    const message = `NodeClaim ${nodeClaim.metadata.name} belongs to no NodePool: Kerf looks after none such`;
    return { reason: 'StandaloneNotSupported', message };
  }
  const replicas = nodePool?.spec.replicas;
  if (nodePool === undefined || replicas === undefined) return undefined;
  // D31.
  const message = `NodePool ${nodePool.metadata.name} is to have ${replicas} nodes at all times: Kerf keeps no static pools`;
  return { reason: 'StaticCapacityNotSupported', message };
}

/**
 * The record of an instance that has none: its NodeClaim object says what it was, else its pool's template and its node. So a
 * lost table drains no fleet. *Shape:* undefined where nothing is left that says how it is to be treated.
 */
export function adoptedRecord(orphan: Orphan, nowMs: number): NodeClaimRecord | undefined {
  const { cluster, instance, nodeClaim, node } = orphan;
  const spec = specOf(orphan);
  const nodePool = nameOfPool(orphan);
  if (spec === undefined || nodePool === undefined) return undefined;
  const { id, instanceType, zone, capacityType, imageId, reservation } = instance;
  const priceUsdPerHour = priceOf(orphan);
  const option = { instanceType, zone, capacityType, priceUsdPerHour };
  const registered = node !== undefined && isRegistered(node);
  const created = nodeClaim?.metadata.creationTimestamp;
  return {
    cluster,
    name: instance.nodeClaim,
    version: 0,
    decisionId: `adoption-${id}`,
    nodePool,
    ...poolUid(orphan),
    labels: nodeClaim?.metadata.labels ?? labelsOf(orphan, spec),
    annotations: restamped(nodeClaim?.metadata.annotations ?? annotationsOf(orphan), orphan.classHash, orphan),
    spec,
    createdAtMs: created === undefined ? instance.launchedAtMs : parseTime(created),
    pods: [],
    options: [option],
    types: [],
    ...amountsOf(orphan),
    launch: {
      kind: 'launched',
      attempt: 1,
      instance: { id, ...option, imageId, ...(reservation === undefined ? {} : { reservation }) },
      // One whose node is still to register has the whole time for it from now on.
      atMs: registered ? instance.launchedAtMs : nowMs,
    },
    ...progressOf(orphan, nowMs),
  };
}

function specOf(orphan: Orphan): NodeClaimSpec | undefined {
  const { instance, nodeClaim, nodePool, node } = orphan;
  if (nodeClaim !== undefined) {
    const { spec } = nodeClaim;
    return { ...spec, resources: { requests: spec.resources?.requests ?? {} } };
  }
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

function nameOfPool({ instance, nodeClaim, nodePool, node }: Orphan): string | undefined {
  const names = [
    nodePool?.metadata.name,
    instance.nodePool,
    nodeClaim?.metadata.labels?.[NODE_POOL],
    node?.metadata.labels?.[NODE_POOL],
  ];
  return names.find((name) => name !== undefined && name !== '');
}

function poolUid({ nodeClaim, nodePool }: Orphan): { readonly nodePoolUid?: string } {
  const owner = nodeClaim?.metadata.ownerReferences?.find(({ kind }) => kind === 'NodePool');
  const uid = nodePool?.metadata.uid ?? owner?.uid;
  return uid === undefined ? {} : { nodePoolUid: uid };
}

/** The template's labels, and one value for each label of the user's own: the node's where it is there (B14). */
function labelsOf(orphan: Orphan, spec: NodeClaimSpec): Labels {
  const { nodePool, node } = orphan;
  const own = spec.requirements.flatMap(({ key, operator, values = [] }) => {
    if (WELL_KNOWN_LABELS.has(key)) return [];
    const value = node?.metadata.labels?.[key] ?? (operator === 'In' ? values.toSorted()[0] : undefined);
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    ...Object.fromEntries(own),
    ...nodePool?.spec.template.metadata?.labels,
    [NODE_POOL]: nameOfPool(orphan) ?? '',
    [NODE_CLASS]: spec.nodeClassRef.name,
  };
}

/** Registration copied them to the node; there they are as they were when it was launched. */
function annotationsOf({ nodePool, node }: Orphan): Labels {
  const ours = Object.entries(node?.metadata.annotations ?? {}).filter(([key]) =>
    /^karpenter\.(sh|k8s\.aws)\//.test(key),
  );
  return { ...nodePool?.spec.template.metadata?.annotations, ...Object.fromEntries(ours) };
}

/** Promise 2: what it takes of its pool's limits. */
function amountsOf({ nodeClaim, node, instanceType }: Orphan): {
  readonly holds: Resources;
  readonly allocatable: Resources;
} {
  const told = node?.status ?? nodeClaim?.status;
  return {
    holds: instanceType?.capacity ?? parseResources(told?.capacity ?? told?.allocatable),
    allocatable: instanceType?.allocatable ?? parseResources(told?.allocatable),
  };
}

function priceOf({ instance, instanceType }: Orphan): number {
  const { zone, capacityType, priceUsdPerHour } = instance;
  const offering = instanceType?.offerings.find((one) => one.zone === zone && one.capacityType === capacityType);
  return offering?.priceUsdPerHour ?? priceUsdPerHour;
}
