import { CAPACITY_BUFFER_RESOURCE } from './schemas/capacity-buffer.ts';
import type { CustomResource } from './schemas/custom-resource.ts';
import { EC2_NODE_CLASS } from './schemas/ec2-node-class.ts';
import { NODE_CLAIM_RESOURCE } from './schemas/node-claim.ts';
import { NODE_OVERLAY_RESOURCE } from './schemas/node-overlay.ts';
import { NODE_POOL_RESOURCE } from './schemas/node-pool.ts';

/** A0.1: the kinds that Kerf installs in a cluster. */
export const CUSTOM_RESOURCES: readonly CustomResource[] = [
  NODE_POOL_RESOURCE,
  NODE_CLAIM_RESOURCE,
  NODE_OVERLAY_RESOURCE,
  EC2_NODE_CLASS,
  CAPACITY_BUFFER_RESOURCE,
];
