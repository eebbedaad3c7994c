import type { CapacityBuffer } from '../../../apis/capacity-buffer.ts';
import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { withDefaults } from '../../../apis/formats/with-defaults.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { NodeOverlay } from '../../../apis/node-overlay.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import { isRecord } from '../../../apis/record.ts';
import { CAPACITY_BUFFER_RESOURCE } from '../../../apis/schemas/capacity-buffer.ts';
import { manifestSchema } from '../../../apis/schemas/custom-resource.ts';
import { EC2_NODE_CLASS } from '../../../apis/schemas/ec2-node-class.ts';
import { NODE_POOL_RESOURCE } from '../../../apis/schemas/node-pool.ts';
import { isManagedNodeClass } from '../../../core/node-class/our-class.ts';
import { checked, fieldsOf, isNamed, metadataOf, pick, type RawObject } from './project.ts';

/** The kinds of Kerf's CRDs, with their defaults. */

/** Another CRD, or an older version, may have fewer defaults. */
const NODE_POOL_SCHEMA = manifestSchema(NODE_POOL_RESOURCE);
const NODE_CLASS_SCHEMA = manifestSchema(EC2_NODE_CLASS);
const CAPACITY_BUFFER_SCHEMA = manifestSchema(CAPACITY_BUFFER_RESOURCE);

/** *Shape:* undefined for an object of EKS Auto Mode, which Kerf does not manage. */
export function nodePoolOf(raw: RawObject): NodePool | undefined {
  const pool = checked(withDefaults(custom(raw, 'karpenter.sh/v1', 'NodePool'), NODE_POOL_SCHEMA), isNodePool);
  return pool !== undefined && isManagedNodeClass(pool.spec.template.spec.nodeClassRef) ? pool : undefined;
}

/** *Shape:* undefined for an object of EKS Auto Mode, which Kerf does not manage. */
export function nodeClaimOf(raw: RawObject): NodeClaim | undefined {
  const claim = checked(custom(raw, 'karpenter.sh/v1', 'NodeClaim'), isNodeClaim);
  return claim !== undefined && isManagedNodeClass(claim.spec.nodeClassRef) ? claim : undefined;
}

export function nodeClassOf(raw: RawObject): EC2NodeClass | undefined {
  return checked(withDefaults(custom(raw, 'karpenter.k8s.aws/v1', 'EC2NodeClass'), NODE_CLASS_SCHEMA), isNodeClass);
}

export function nodeOverlayOf(raw: RawObject): NodeOverlay | undefined {
  return checked(custom(raw, 'karpenter.sh/v1alpha1', 'NodeOverlay'), isNodeOverlay);
}

export function capacityBufferOf(raw: RawObject): CapacityBuffer | undefined {
  const buffer = custom(raw, 'autoscaling.x-k8s.io/v1beta1', 'CapacityBuffer');
  return checked(withDefaults(buffer, CAPACITY_BUFFER_SCHEMA), isCapacityBuffer);
}

function custom(raw: RawObject, apiVersion: string, kind: string): RawObject {
  // Items of a list have neither; the path of the list determines them.
  return { apiVersion, kind, metadata: metadataOf(raw), ...pick(raw, ['spec', 'status']) };
}

function isNodePool(value: unknown): value is NodePool {
  return hasSpec(value) && hasClass(fieldsOf(fieldsOf(fieldsOf(value)['spec'])['template']));
}

function isNodeClaim(value: unknown): value is NodeClaim {
  return hasSpec(value) && hasClass(fieldsOf(value));
}

function hasClass(template: RawObject): boolean {
  return isRecord(fieldsOf(template['spec'])['nodeClassRef']);
}

function isNodeClass(value: unknown): value is EC2NodeClass {
  return hasSpec(value);
}

/** Another CRD may allow a missing list, which decisions do not expect. */
function isNodeOverlay(value: unknown): value is NodeOverlay {
  return hasSpec(value) && Array.isArray(fieldsOf(fieldsOf(value)['spec'])['requirements']);
}

function isCapacityBuffer(value: unknown): value is CapacityBuffer {
  return hasSpec(value);
}

function hasSpec(value: unknown): boolean {
  return isNamed(value) && isRecord(fieldsOf(value)['spec']);
}
