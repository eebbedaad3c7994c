import { parseTime } from '../apis/formats/time.ts';
import type { Node } from '../apis/kubernetes.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { InstanceType } from '../core/model/instance-type.ts';
import type { NodeClaimRecord } from '../core/model/node-claim-record.ts';
import { whyLeftAlone } from '../core/node-claim/adoption/adoption.ts';
import { instanceOfNodeClaim } from '../core/node-claim/adoption/claim-object.ts';
import { poolNamedBy, recordFromObject } from '../core/node-claim/adoption/record-from-object.ts';
import type { GivenNodeClaim } from './document-schemas.ts';

/** A claim that says nothing of its past has long been as it is. */
const LONG_AGO_MS = parseTime('2024-01-01T00:00:00Z');

export interface ClaimSurroundings {
  readonly cluster: string;
  readonly nodes: readonly Node[];
  readonly nodePools: readonly NodePool[];
  /** What a pool launches; of a pool that is not there, every type. */
  readonly instanceTypesOf: (nodePool: string) => readonly InstanceType[];
}

/**
 * The records behind the NodeClaims of a cluster. *Shape:* a claim with a providerID is launched and has the node with the
 * same one; one without is in flight, as whatever its spec leaves open. A claim that belongs to no NodePool, or to one of a fixed
 * size, has no record, and its node is static capacity.
 */
export function nodeClaimRecords(
  claims: readonly GivenNodeClaim[],
  { cluster, nodes, nodePools, instanceTypesOf }: ClaimSurroundings,
): readonly NodeClaimRecord[] {
  const byProviderId = new Map(nodes.map((node) => [node.spec?.providerID ?? '', node]));
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  const pools = new Map(nodePools.map((nodePool) => [nodePool.metadata.name, nodePool]));
  return claims.flatMap((nodeClaim) => {
    const { providerID = '', nodeName = '' } = nodeClaim.status ?? {};
    // A node that does not say which instance it is, is known by its name.
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
    };
    const record = whyLeftAlone(evidence) === undefined ? recordFromObject(evidence, LONG_AGO_MS) : undefined;
    if (record === undefined) return [];
    // A provider ID need not be one of EC2: then the node is found by its name alone.
    return [node === undefined ? record : { ...record, nodeName: node.metadata.name }];
  });
}

function unlessOther(node: Node | undefined): Node | undefined {
  return node?.spec?.providerID === undefined ? node : undefined;
}
