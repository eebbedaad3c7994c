import { isObjectName } from '../../../apis/formats/label-syntax.ts';
import { quote } from '../../../apis/formats/quote.ts';
import { NODE_CLAIM_TAG } from '../../../apis/labels.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import type { NodeClaimRecord } from '../../model/node-claim-record.ts';
import type { Reason } from '../../model/reasons.ts';
import { isGroupName } from '../launch/launch-groups.ts';
import type { FoundInstance } from './claim-object.ts';
import { type ClaimEvidence, poolNamedBy, recordFromObject } from './record-from-object.ts';

/** An unrecorded instance, with the objects from which a record can be made. */
export interface InstanceEvidence extends Omit<ClaimEvidence, 'instance' | 'instanceTypes'> {
  readonly instance: FoundInstance;
  /** Its type as resolved for its NodeClass; undefined if the NodeClass or the catalogue is missing. */
  readonly instanceType?: InstanceType | undefined;
}

/** Why the NodeClaim or instance is not adopted although a record could be made; undefined if it can be adopted. */
export function whyLeftAlone({
  instance,
  nodeClaim,
  nodePool,
  node,
  staticCapacity,
}: Pick<ClaimEvidence, 'instance' | 'nodeClaim' | 'nodePool' | 'node' | 'staticCapacity'>):
  | { readonly reason: Reason; readonly message: string }
  | undefined {
  const tag = instance?.nodeClaim;
  if (tag !== undefined && !isObjectName(tag) && !isGroupName(tag)) {
    const message = `its tag ${NODE_CLAIM_TAG} has the value ${quote(tag)}, which is not the name of a NodeClaim: write the name of its NodeClaim, or a new name, into the tag; or terminate the instance`;
    return { reason: 'InstanceWithoutRecord', message };
  }
  if (nodeClaim !== undefined && poolNamedBy({ nodeClaim, node }) === undefined) {
    // A2.2.
    const message = `NodeClaim ${nodeClaim.metadata.name} has no NodePool: standalone NodeClaims are not managed`;
    return { reason: 'StandaloneNotSupported', message };
  }
  const replicas = nodePool?.spec.replicas;
  if (nodePool === undefined || replicas === undefined || staticCapacity === true) return undefined;
  // D31.
  const message = `NodePool ${nodePool.metadata.name} is static (replicas: ${replicas}): lifecycle adopts its nodes if the feature gate staticCapacity is on`;
  return { reason: 'StaticCapacityNotSupported', message };
}

/** The record of an unrecorded instance, so that a lost table does not terminate nodes. *Shape:* as `recordFromObject`. */
export function adoptedRecord(evidence: InstanceEvidence, nowMs: number): NodeClaimRecord | undefined {
  const { instanceType, ...others } = evidence;
  return recordFromObject({ ...others, instanceTypes: instanceType === undefined ? [] : [instanceType] }, nowMs);
}
