import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { NODE_CLAIM_TAG, TAGGED } from '../../apis/labels.ts';
import type { Action } from '../model/decision.ts';
import { instanceOf, type NodeClaimRecord } from '../model/node-claim-record.ts';

/** The EC2 console displays this tag. */
const NAME = 'Name';

/**
 * The tags of an instance after its node has registered: the name of the node, unless the NodeClass sets a Name tag, and the
 * name of the claim. *Shape:* undefined if there is nothing to tag, or not yet. *Source:* C84.
 */
export function tagsToGive(
  record: NodeClaimRecord,
  nodeClass: EC2NodeClass | undefined,
): (Action & { readonly kind: 'tag-instance' }) | undefined {
  const { name, nodeName, registeredAtMs, deletion, annotations } = record;
  const instance = instanceOf(record);
  // Without the NodeClass, it is not known whether the Name tag is set by the user.
  if (nodeClass === undefined || instance === undefined || nodeName === undefined) return undefined;
  if (registeredAtMs === undefined || deletion !== undefined || annotations[TAGGED] === 'true') return undefined;
  const named = Object.hasOwn(nodeClass.spec.tags ?? {}, NAME);
  const tags = { ...(named ? {} : { [NAME]: nodeName }), [NODE_CLAIM_TAG]: name };
  return { kind: 'tag-instance', nodeClaim: name, instanceId: instance.id, tags };
}

/** The record after tagging, so that the instance is tagged only once. */
export function tagged(record: NodeClaimRecord): NodeClaimRecord {
  return { ...record, annotations: { ...record.annotations, [TAGGED]: 'true' } };
}
