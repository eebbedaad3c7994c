import type { EC2NodeClass, EC2NodeClassStatus } from '../../apis/ec2-node-class.ts';
import { NODE_CLASS_FINALIZER } from '../../apis/labels.ts';
import type { Blocked } from '../action.ts';
import { conditionsFrom } from '../conditions.ts';
import type { NodeClassPatch } from './decide-node-class.ts';

/** What is next for a NodeClass that somebody deleted. */
export type Farewell =
  /** It is others who keep it. */
  | { readonly kind: 'none' }
  /** The patch is there where there is something new to say: then it is an event too. */
  | { readonly kind: 'wait'; readonly patch?: NodeClassPatch; readonly blocked: Blocked }
  /** What was made for it goes first, then the finalizer. */
  | { readonly kind: 'release'; readonly patch: NodeClassPatch };

const WAITING_ON_NODE_CLAIMS = 'WaitingOnNodeClaimTermination';

/** Of many claims, a few are told by name. */
const MOST_NAMES = 5;

/** A3.30: a class goes once no NodeClaim refers to it: their launch templates and profiles are its own. */
export function decideFarewell(nodeClass: EC2NodeClass, nodeClaims: readonly string[], nowMs: number): Farewell {
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
  const names = nodeClaims.toSorted();
  const others = names.length - MOST_NAMES;
  const told = names.slice(0, MOST_NAMES).join(', ');
  return `it goes when no NodeClaim refers to it any more: ${told}${others > 0 ? ` and ${others} more` : ''} do`;
}

/** Undefined where the status says it already. */
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
