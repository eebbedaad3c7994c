import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { NODE_CLAIM_TAG, TAGGED } from '../../apis/labels.ts';
import type { Action } from '../model/decision.ts';
import { instanceOf, type NodeClaimRecord } from '../model/node-claim-record.ts';

/** EC2 shows it in its console. */
const NAME = 'Name';

/**
 * What an instance is told once its node is registered: the node's name, unless the NodeClass names its instances itself, and
 * the claim's. *Shape:* undefined where there is nothing to tell (yet). *Source:* C84.
 */
export function tagsToGive(
  record: NodeClaimRecord,
  nodeClass: EC2NodeClass | undefined,
): (Action & { readonly kind: 'tag-instance' }) | undefined {
  const { name, nodeName, registeredAtMs, deletion, annotations } = record;
  const instance = instanceOf(record);
  // Without its NodeClass nobody knows whether the name is the user's.
  if (nodeClass === undefined || instance === undefined || nodeName === undefined) return undefined;
  if (registeredAtMs === undefined || deletion !== undefined || annotations[TAGGED] === 'true') return undefined;
  const named = Object.hasOwn(nodeClass.spec.tags ?? {}, NAME);
  const tags = { ...(named ? {} : { [NAME]: nodeName }), [NODE_CLAIM_TAG]: name };
  return { kind: 'tag-instance', nodeClaim: name, instanceId: instance.id, tags };
}

/** The record once that is done, so that it is done once. */
export function tagged(record: NodeClaimRecord): NodeClaimRecord {
  return { ...record, annotations: { ...record.annotations, [TAGGED]: 'true' } };
}
