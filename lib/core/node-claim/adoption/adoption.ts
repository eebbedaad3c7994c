import type { InstanceType } from '../../model/instance-type.ts';
import type { NodeClaimRecord } from '../../model/node-claim-record.ts';
import type { Reason } from '../../model/reasons.ts';
import type { FoundInstance } from './left-claim.ts';
import { type ClaimEvidence, poolNamedBy, recordFromObject } from './record-from-object.ts';

/** An instance of the cluster that no record knows, and all that is left to tell what it is. */
export interface Orphan extends Omit<ClaimEvidence, 'instance' | 'instanceTypes'> {
  readonly instance: FoundInstance;
  /** Its type as its NodeClass makes it; undefined where that cannot be told. */
  readonly instanceType?: InstanceType | undefined;
}

/** Why it is left to whoever made it, although all is there that a record needs; undefined where it is not. */
export function whyLeftAlone({
  nodeClaim,
  nodePool,
  node,
}: Pick<ClaimEvidence, 'nodeClaim' | 'nodePool' | 'node'>):
  | { readonly reason: Reason; readonly message: string }
  | undefined {
  if (nodeClaim !== undefined && poolNamedBy({ nodeClaim, node }) === undefined) {
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

/** The record of an instance that has none, so that a lost table drains no fleet. *Shape:* as `recordFromObject`. */
export function adoptedRecord(orphan: Orphan, nowMs: number): NodeClaimRecord | undefined {
  const { instanceType, ...evidence } = orphan;
  return recordFromObject({ ...evidence, instanceTypes: instanceType === undefined ? [] : [instanceType] }, nowMs);
}
