import { CAPACITY_BUFFER } from './schemas/capacity-buffer.ts';
import type { CustomResource } from './schemas/custom-resource.ts';
import { EC2_NODE_CLASS } from './schemas/ec2-node-class.ts';
import { NODE_CLAIM } from './schemas/node-claim.ts';
import { NODE_OVERLAY } from './schemas/node-overlay.ts';
import { NODE_POOL } from './schemas/node-pool.ts';

/** A0.1: the kinds that Kerf installs in a cluster. */
export const CUSTOM_RESOURCES: readonly CustomResource[] = [
  NODE_POOL,
  NODE_CLAIM,
  NODE_OVERLAY,
  EC2_NODE_CLASS,
  CAPACITY_BUFFER,
];
