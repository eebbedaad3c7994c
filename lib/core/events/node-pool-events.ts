import type { Blocked } from '../model/decision.ts';
import type { ClusterEvent, EventReason } from '../model/event.ts';
import type { Reason } from '../model/reasons.ts';

/** Reasons for which a NodePool launches a node for no pod, with the event of Karpenter. */
const EVENT_OF: Partial<Record<Reason, EventReason>> = {
  NoCompatibleInstanceTypes: 'NoCompatibleInstanceTypes',
  NodeClassNotFound: 'NodeClassNotReady',
  NodeClassNotReady: 'NodeClassNotReady',
  NodeClassTerminating: 'NodeClassNotReady',
};

/** An EC2NodeClass that is not ready gives the reason of its condition, and its name begins the message. */
const OF_NODE_CLASS = /^EC2NodeClass \S+( is not ready)?: /;

/**
 * F14: why NodePools can launch no node at all, from the refusals of pods that need one. *Shape:* one event for each NodePool.
 * *Cost:* O(refusals).
 */
export function nodePoolEvents(blocked: readonly Blocked[]): readonly ClusterEvent[] {
  const events = new Map<string, ClusterEvent>();
  for (const { nodePool, reason: why, message } of blocked) {
    const reason = EVENT_OF[why] ?? (OF_NODE_CLASS.test(message) ? 'NodeClassNotReady' : undefined);
    if (nodePool === undefined || reason === undefined || events.has(nodePool)) continue;
    events.set(nodePool, { regarding: { kind: 'NodePool', name: nodePool }, type: 'Warning', reason, message });
  }
  return [...events.values()];
}
