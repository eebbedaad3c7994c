import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import type { Labels, Node } from '../../../apis/kubernetes.ts';
import { NODE_CLASS_HASH, NODE_CLASS_HASH_VERSION } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import type { Catalogue } from '../../instance-type/facts.ts';
import { instanceTypesFor } from '../../instance-type/resolve.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import { type NodeClaimRecord, providerIdOf } from '../../model/node-claim-record.ts';
import { isGroupName } from '../launch/launch-groups.ts';
import { type InstanceEvidence, whyLeftAlone } from './adoption.ts';
import { type FoundInstance, instanceOfNodeClaim, nodeOfNodeClaim } from './claim-object.ts';
import { type ClaimEvidence, poolNamedBy, recordFromObject } from './record-from-object.ts';

/** The objects of a cluster from which records of unrecorded instances are made. */
export interface ClusterObjects {
  readonly cluster: string;
  readonly nodePools: readonly NodePool[];
  readonly nodeClasses: readonly EC2NodeClass[];
  readonly nodes: readonly Node[];
  readonly nodeClaims: readonly NodeClaim[];
  readonly catalogue?: Catalogue | undefined;
  /** D31: whether static NodePools are supported. @default false */
  readonly staticCapacity?: boolean;
  /** @default the hash annotations of the class */
  readonly classHash?: (nodeClass: EC2NodeClass) => Labels;
}

/**
 * The instance with its objects. The NodeClaim that has the provider ID of the instance comes before the one in its tag, which anyone
 * can change. The instance has the name of that NodeClaim, unless its tag names a group. A node is found by provider ID.
 */
export function evidenceOfInstance(world: ClusterObjects, described: FoundInstance): InstanceEvidence {
  const { cluster, catalogue, staticCapacity, classHash = hashOnClass } = world;
  const providerId = providerIdOf(described);
  const nodeClaim =
    world.nodeClaims.find(({ status }) => status?.providerID === providerId) ??
    world.nodeClaims.find(({ metadata }) => metadata.name === described.nodeClaim);
  const isNamed = nodeClaim !== undefined && !isGroupName(described.nodeClaim);
  const instance = isNamed ? { ...described, nodeClaim: nodeClaim.metadata.name } : described;
  const nodePool = world.nodePools.find(({ metadata }) => metadata.name === instance.nodePool);
  const className = nodeClaim?.spec.nodeClassRef.name ?? instance.nodeClass;
  const nodeClass = world.nodeClasses.find(({ metadata }) => metadata.name === className);
  const facts = catalogue?.facts.filter(({ name }) => name === instance.instanceType) ?? [];
  return {
    cluster,
    instance,
    nodeClaim,
    nodePool,
    node: world.nodes.find(({ spec }) => spec?.providerID === providerId),
    nodeClass,
    staticCapacity,
    classHash: nodeClass && classHash(nodeClass),
    instanceType: catalogue && nodeClass && instanceTypesFor({ ...catalogue, facts }, nodeClass)[0],
  };
}

function hashOnClass({ metadata: { annotations = {} } }: EC2NodeClass): Labels {
  const stamped = [NODE_CLASS_HASH, NODE_CLASS_HASH_VERSION].flatMap((key) => {
    const value = annotations[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(stamped);
}

/**
 * Records of the NodeClaim objects in a cluster, which are not stored. Shadow mode uses them for the nodes of another autoscaler.
 * *Shape:* claims without a NodePool and claims of static NodePools are excluded; their nodes count as existing capacity.
 */
export function recordsOfNodeClaims(world: ClusterObjects, nowMs: number): readonly NodeClaimRecord[] {
  const typesOf = new Map<string, readonly InstanceType[]>();
  const instanceTypesOf = (className: string): readonly InstanceType[] => {
    const types = typesOf.get(className) ?? typesOfClass(world, className);
    typesOf.set(className, types);
    return types;
  };
  return world.nodeClaims.flatMap((nodeClaim) => {
    const evidence = evidenceOfClaim(world, nodeClaim);
    if (whyLeftAlone(evidence) !== undefined) return [];
    const instanceTypes = instanceTypesOf(nodeClaim.spec.nodeClassRef.name);
    return recordFromObject({ ...evidence, instanceTypes }, nowMs) ?? [];
  });
}

function typesOfClass({ catalogue, nodeClasses }: ClusterObjects, className: string): readonly InstanceType[] {
  const nodeClass = nodeClasses.find(({ metadata }) => metadata.name === className);
  return catalogue === undefined || nodeClass === undefined ? [] : instanceTypesFor(catalogue, nodeClass);
}

function evidenceOfClaim(world: ClusterObjects, nodeClaim: NodeClaim): Omit<ClaimEvidence, 'instanceTypes'> {
  const node = nodeOfNodeClaim(world.nodes, nodeClaim);
  const instance = instanceOfNodeClaim(nodeClaim, { node });
  if (instance !== undefined) return { ...evidenceOfInstance(world, instance), nodeClaim, node };
  const nodePool = world.nodePools.find(({ metadata }) => metadata.name === poolNamedBy({ nodeClaim }));
  return { cluster: world.cluster, nodeClaim, nodePool, staticCapacity: world.staticCapacity };
}
