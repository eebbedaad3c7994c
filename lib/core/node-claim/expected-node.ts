import { MINUTE_MS } from '../../apis/formats/time.ts';
import type { Node } from '../../apis/kubernetes.ts';
import { type Due, pollAfter } from '../model/decision.ts';
import { type NodeClaimRecord, realPods } from '../model/node-claim-record.ts';
import type { Observed } from '../observed.ts';
import type { ClaimVerdict } from './claim-verdict.ts';

/** EC2 describes a new instance within seconds. After this time, only the tick looks for its name. */
const DESCRIBED_WITHIN_MS = MINUTE_MS;

/**
 * B66: adds the name with which the node will register: the private DNS name of its instance, which EKS requires. It is known from
 * the list of instances that the run reads anyway. Until then, the list is read again soon if pods are planned for the node.
 */
export function withExpectedNode(
  verdict: ClaimVerdict,
  { node, listed }: { readonly node?: Node; readonly listed: Observed<{ readonly nodeName?: string }> },
  nowMs: number,
): ClaimVerdict {
  const { record } = verdict;
  if (node !== undefined || record.nodeName !== undefined || record.expectedNodeName !== undefined) return verdict;
  const expectedNodeName = listed.kind === 'read' ? listed.value.nodeName : undefined;
  if (expectedNodeName === undefined) return { ...verdict, due: [...verdict.due, ...nameDue(record, nowMs)] };
  return { ...verdict, record: { ...record, expectedNodeName }, isNamed: realPods(record).length > 0 };
}

/** When the list of instances is read again for the name of the node. *Shape:* nothing for a claim that needs no name, or has one. */
export function nameDue(record: NodeClaimRecord, nowMs: number): readonly Due[] {
  const { launch, expectedNodeName } = record;
  if (launch.kind !== 'launched' || expectedNodeName !== undefined || realPods(record).length === 0) return [];
  return nowMs < launch.atMs + DESCRIBED_WITHIN_MS ? [pollAfter(nowMs)] : [];
}
