import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { Labels, Node } from '../../apis/kubernetes.ts';
import { NODE_CLASS_HASH, NODE_CLASS_HASH_VERSION, NODE_POOL } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { parseTime } from '../../apis/time.ts';
import type { Catalogue } from '../instance-type/facts.ts';
import { instanceTypesFor } from '../instance-type/resolve.ts';
import { parseResources } from '../resources/resources.ts';
import { adoptedRecord, type Orphan, whyLeftAlone } from './adoption.ts';
import { type FoundInstance, instanceOfNodeClaim } from './left-claim.ts';
import { type NodeClaimRecord, providerIdOf } from './record.ts';

/** What is left of claims beside their instances. */
export interface OrphanWorld {
  readonly cluster: string;
  readonly nodePools: readonly NodePool[];
  readonly nodeClasses: readonly EC2NodeClass[];
  readonly nodes: readonly Node[];
  readonly nodeClaims: readonly NodeClaim[];
  readonly catalogue?: Catalogue | undefined;
  /** @default what the class itself carries */
  readonly classHash?: (nodeClass: EC2NodeClass) => Labels;
}

/** The instance with all of the world that is about it: by its claim's name, else by the claim or the node that names it. */
export function orphanOf(world: OrphanWorld, instance: FoundInstance): Orphan {
  const { cluster, catalogue, classHash = hashOnClass } = world;
  const providerId = providerIdOf(instance);
  const nodeClaim =
    world.nodeClaims.find(({ metadata }) => metadata.name === instance.nodeClaim) ??
    world.nodeClaims.find(({ status }) => status?.providerID === providerId);
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
 * The claims that a cluster shows, as records that nobody keeps: whoever only watches sees the nodes of whoever acts as claims.
 * *Shape:* one that is not launched yet takes part with what its pods ask for, so that they are not placed twice; one that
 * belongs to no NodePool is left out, and its node is static capacity.
 */
export function recordsShown(world: OrphanWorld, nowMs: number): readonly NodeClaimRecord[] {
  return world.nodeClaims.flatMap((nodeClaim) => {
    const instance = instanceOfNodeClaim(nodeClaim);
    if (instance === undefined) return plannedRecord(world.cluster, nodeClaim);
    const orphan = orphanOf(world, instance);
    return whyLeftAlone(orphan) === undefined ? (adoptedRecord(orphan, nowMs) ?? []) : [];
  });
}

function plannedRecord(cluster: string, { metadata, spec }: NodeClaim): readonly NodeClaimRecord[] {
  const { name, labels = {}, annotations = {}, creationTimestamp } = metadata;
  const nodePool = labels[NODE_POOL];
  if (nodePool === undefined || creationTimestamp === undefined || metadata.deletionTimestamp !== undefined) return [];
  const requests = parseResources(spec.resources?.requests);
  return [
    {
      cluster,
      name,
      version: 0,
      decisionId: `shown-${name}`,
      nodePool,
      labels,
      annotations,
      spec: { ...spec, resources: { requests: spec.resources?.requests ?? {} } },
      createdAtMs: parseTime(creationTimestamp),
      pods: [],
      options: [],
      types: [],
      holds: requests,
      allocatable: requests,
      launch: { kind: 'planned' },
    },
  ];
}
