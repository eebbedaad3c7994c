import type { Node } from '../../apis/kubernetes.ts';
import { NODE_CLAIM_TAG } from '../../apis/labels.ts';
import { lastFor } from '../kept-answers.ts';
import { instanceOf, type NodeClaimRecord } from '../model/node-claim-record.ts';
import { ownershipTags } from '../model/ownership-tags.ts';
import type { Reason } from '../model/reasons.ts';
import { formatAmount, parseResources, UNREADABLE_OFFER } from '../resources/resources.ts';
import { blockedClaim, type ClaimVerdict } from './claim-verdict.ts';
import { isInitialized } from './registration.ts';

/** D10: a node has at least this part of the capacity that its claim expects. */
const LOWEST_PART = 0.9;

export interface Inconsistency {
  readonly reason: Reason;
  readonly message: string;
}

/** A launched claim with what was observed of its node and its instance. */
export interface ConsistencyView {
  readonly node?: Node;
  /** The instance runs without the ownership tags of the cluster. @default false */
  readonly instanceUntagged?: true;
}

/**
 * Adds what is inconsistent between the claim, its node and its instance to the verdict and its records. *Source:* D10.
 */
export function withConsistency(verdict: ClaimVerdict, view: ConsistencyView, nowMs: number): ClaimVerdict {
  const { record, whenDone } = verdict;
  const finding = inconsistencyOf(record, view);
  const known = noted(record, finding, nowMs);
  const blocked = finding === undefined ? [] : [blockedClaim(record, finding)];
  return {
    ...verdict,
    record: known,
    ...(whenDone && { whenDone: noted(whenDone, finding, nowMs) }),
    blocked: [...verdict.blocked, ...blocked],
    ...(known !== record && { news: blocked }),
  };
}

function inconsistencyOf(
  record: NodeClaimRecord,
  { node, instanceUntagged }: ConsistencyView,
): Inconsistency | undefined {
  if (instanceUntagged === true) return { reason: 'InstanceNotTagged', message: whyNotTagged(record) };
  const { spec, holds } = record;
  const message = node === undefined || !isInitialized(node) ? undefined : whyTooSmall(node, { spec, holds });
  return message === undefined ? undefined : { reason: 'FailedConsistencyCheck', message };
}

/** Promise 4: the message for an instance that has lost its tags. */
export function whyNotTagged(record: NodeClaimRecord): string {
  const tags = Object.entries({ ...ownershipTags(record.cluster), [NODE_CLAIM_TAG]: record.name });
  const list = tags.map(([key, value]) => `${key}=${value}`).join(', ');
  return `instance ${instanceOf(record)?.id ?? ''} runs without the tags of its NodeClaim, so Kerf does not change or terminate it: add the tags ${list}, or terminate the instance`;
}

/** The requested resources of which the node has too little, in words. */
const whyTooSmall = lastFor((node: Node, { spec, holds }: Pick<NodeClaimRecord, 'spec' | 'holds'>) => {
  if (node.status?.capacity === undefined) return undefined;
  const capacity = parseResources(node.status.capacity, UNREADABLE_OFFER);
  const requests = Object.entries(parseResources(spec.resources.requests));
  const small = requests.flatMap(([name, requested]) => {
    const [expected, found] = [holds[name] ?? 0, capacity[name] ?? 0];
    if (requested === 0 || expected === 0 || found >= expected * LOWEST_PART) return [];
    const percent = ((found / expected) * 100).toFixed(1);
    const [full, actual] = [formatAmount(name, expected), formatAmount(name, found)];
    return [`expected ${full} of resource ${name}, but found ${actual} (${percent}% of expected)`];
  });
  return small.length === 0 ? undefined : small.toSorted().join('; ');
});

function noted(record: NodeClaimRecord, finding: Inconsistency | undefined, nowMs: number): NodeClaimRecord {
  const before = record.consistency?.finding;
  if (before?.reason === finding?.reason && before?.message === finding?.message) return record;
  const isOpen = before !== undefined && finding !== undefined;
  const sinceMs = isOpen ? (record.consistency?.sinceMs ?? nowMs) : nowMs;
  return { ...record, consistency: { sinceMs, ...(finding && { finding }) } };
}
