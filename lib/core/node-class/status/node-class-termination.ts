import { firstNames } from '../../../apis/counted.ts';
import type { EC2NodeClass, EC2NodeClassStatus } from '../../../apis/ec2-node-class.ts';
import { NODE_CLASS_FINALIZER } from '../../../apis/labels.ts';
import { conditionsFrom } from '../../model/conditions.ts';
import type { Blocked } from '../../model/decision.ts';
import type { NodeClassPatch } from './decide-node-class.ts';

/** The next step for a NodeClass that is being deleted. */
export type NodeClassTermination =
  /** Kerf's finalizer is not set. */
  | { readonly kind: 'none' }
  /** NodeClaims still reference the class. With a patch if the status changes; then there is an event too. */
  | { readonly kind: 'wait'; readonly patch?: NodeClassPatch; readonly blocked: Blocked }
  /** Delete the resources that were created for the class, then remove the finalizer. */
  | { readonly kind: 'release'; readonly patch: NodeClassPatch };

const WAITING_ON_NODE_CLAIMS = 'WaitingOnNodeClaimTermination';

/** The maximum number of claims in the message. */
const MAX_NAMES = 5;

/** A3.30: a class is released once no NodeClaim references it, because their launch templates and profiles belong to it. */
export function decideNodeClassTermination(
  nodeClass: EC2NodeClass,
  nodeClaims: readonly string[],
  nowMs: number,
): NodeClassTermination {
  const { name, finalizers = [] } = nodeClass.metadata;
  if (!finalizers.includes(NODE_CLASS_FINALIZER)) return { kind: 'none' };
  if (nodeClaims.length === 0) {
    return { kind: 'release', patch: { finalizers: finalizers.filter((one) => one !== NODE_CLASS_FINALIZER) } };
  }
  const why = { reason: WAITING_ON_NODE_CLAIMS, message: messageOf(nodeClaims) } as const;
  const status = withReady(nodeClass, why, nowMs);
  return {
    kind: 'wait',
    ...(status !== undefined && { patch: { status } }),
    blocked: { subject: { kind: 'EC2NodeClass', name }, ...why, numbers: { nodeClaims: nodeClaims.length } },
  };
}

function messageOf(nodeClaims: readonly string[]): string {
  return `deletion waits for NodeClaims that reference this class: ${firstNames(nodeClaims.toSorted(), MAX_NAMES)}`;
}

/** Undefined where the status is up to date. */
function withReady(
  { metadata, status = {} }: EC2NodeClass,
  why: { readonly reason: string; readonly message: string },
  nowMs: number,
): EC2NodeClassStatus | undefined {
  const { conditions: before = [] } = status;
  const former = before.filter(({ type }) => type === 'Ready');
  const { generation } = metadata;
  const ready = conditionsFrom([{ type: 'Ready', status: 'False', ...why }], { conditions: former, generation }, nowMs);
  return ready === former
    ? undefined
    : { ...status, conditions: [...before.filter(({ type }) => type !== 'Ready'), ...ready] };
}
