import type { Node } from '../../../apis/kubernetes.ts';
import { INSTANCE_TYPE, NODE_CLASS, NODE_POOL, TERMINATION_FINALIZER } from '../../../apis/labels.ts';
import { isNodeReady } from '../../cluster/state-node.ts';
import { instanceIdOf } from '../../model/node-claim-record.ts';
import { UNNAMED } from '../launch/launch-groups.ts';
import { hasOurHash } from '../mirror/lost-record.ts';
import { isRegistered } from '../registration.ts';
import { type FoundInstance, instanceOfNodeClaim } from './claim-object.ts';

/**
 * The instance of a Node that Kerf has registered and that is not Ready, from the Node alone. If its record and its NodeClaim object are
 * lost and EC2 does not list the instance, nothing else leads to the Node, and Kerf's finalizer keeps it. The name of its NodeClaim is not
 * known. *Shape:* undefined for a Ready Node, which runs (D15), and for the Node of another autoscaler: only a registration by Kerf writes
 * Kerf's version of the NodePool hash.
 */
export function instanceOfLeftNode(node: Node): FoundInstance | undefined {
  const { metadata, spec: { providerID = '' } = {} } = node;
  const { labels = {}, annotations, finalizers } = metadata;
  const { [NODE_POOL]: nodePool, [NODE_CLASS]: name, [INSTANCE_TYPE]: instanceType } = labels;
  if (isNodeReady(node) || !isRegistered(node) || !hasOurHash(annotations)) return undefined;
  if (finalizers?.includes(TERMINATION_FINALIZER) !== true || instanceIdOf(providerID) === undefined) return undefined;
  if (nodePool === undefined || name === undefined || instanceType === undefined) return undefined;
  return instanceOfNodeClaim({
    metadata: { ...metadata, name: UNNAMED },
    spec: { nodeClassRef: { name } },
    status: { providerID },
  });
}
