import { parseTime } from '../apis/formats/time.ts';
import type { Node } from '../apis/kubernetes.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { InstanceType } from '../core/model/instance-type.ts';
import type { NodeClaimRecord } from '../core/model/node-claim-record.ts';
import { whyLeftAlone } from '../core/node-claim/adoption/adoption.ts';
import { instanceOfNodeClaim } from '../core/node-claim/adoption/claim-object.ts';
import { poolNamedBy, recordFromObject } from '../core/node-claim/adoption/record-from-object.ts';
import type { GivenNodeClaim } from './document-schemas.ts';

/** The time that replaces unknown times, long ago, so that no timeout is pending. */
const LONG_AGO_MS = parseTime('2024-01-01T00:00:00Z');

export interface ClaimContext {
  readonly cluster: string;
  readonly nodes: readonly Node[];
  readonly nodePools: readonly NodePool[];
  /** The types of a NodePool; all types for an unknown NodePool. */
  readonly instanceTypesOf: (nodePool: string) => readonly InstanceType[];
  /** D31: whether the feature gate is on. */
  readonly staticCapacity: boolean | undefined;
}

/**
 * The records of the NodeClaims of a cluster. *Shape:* a claim with a providerID is launched and has the node with the same
 * providerID; a claim without one is in flight, with all launch options that its spec allows. Standalone NodeClaims have no
 * record, nor do claims of static NodePools if the feature gate is off, and their nodes count as existing capacity.
 */
export function nodeClaimRecords(
  claims: readonly GivenNodeClaim[],
  { cluster, nodes, nodePools, instanceTypesOf, staticCapacity }: ClaimContext,
): readonly NodeClaimRecord[] {
  const byProviderId = new Map(nodes.map((node) => [node.spec?.providerID ?? '', node]));
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  const pools = new Map(nodePools.map((nodePool) => [nodePool.metadata.name, nodePool]));
  return claims.flatMap((nodeClaim) => {
    const { providerID = '', nodeName = '' } = nodeClaim.status ?? {};
    // A node without a providerID is found by its name.
    const named = unlessOther(byName.get(nodeName));
    const node = providerID === '' ? undefined : (byProviderId.get(providerID) ?? named);
    const instance = instanceOfNodeClaim(nodeClaim, { node, unknownSinceMs: LONG_AGO_MS });
    const pool = poolNamedBy({ nodeClaim, node }) ?? '';
    const evidence = {
      cluster,
      instance,
      nodeClaim,
      node,
      nodePool: pools.get(pool),
      instanceTypes: instanceTypesOf(pool),
      staticCapacity,
    };
    const record = whyLeftAlone(evidence) === undefined ? recordFromObject(evidence, LONG_AGO_MS) : undefined;
    if (record === undefined) return [];
    // For a providerID that is not from EC2, only the name identifies the node.
    return [node === undefined ? record : { ...record, nodeName: node.metadata.name }];
  });
}

function unlessOther(node: Node | undefined): Node | undefined {
  return node?.spec?.providerID === undefined ? node : undefined;
}
