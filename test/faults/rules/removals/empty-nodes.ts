import { parseNillableDuration } from '../../../../lib/apis/formats/duration.ts';
import { MINUTE_MS, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import { podKey } from '../../../../lib/apis/kubernetes.ts';
import { DO_NOT_DISRUPT } from '../../../../lib/apis/labels.ts';
import { fieldOf, isRecord } from '../../../../lib/apis/record.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import type { RuleOf } from '../../rule.ts';
import { nodeOf } from '../nodes.ts';
import { needsNode } from '../pods.ts';

/** The clocks of two functions are up to two minutes apart. */
const CLOCKS_APART_MS = 2 * MINUTE_MS;
/** From the decision to the record of the deletion. */
const DECIDED_MS = 20 * SECOND_MS;
/** Pods are nominated for two minutes (B5), less the time from the call to the decision. */
const NOMINATED_MS = 90 * SECOND_MS;
/** A pod that is on a node for a shorter time may not be seen by a run of disruption. */
const SEEN_MS = 70 * SECOND_MS;
/** Faults after which the time of a decision is not known. */
const UNTIMED: ReadonlySet<string> = new Set([
  'calls-slow',
  'calls-hang',
  'table-steps',
  'messages',
  'cut-off',
  'restore-table',
  'other-version',
  'calls-fail',
  'object-refused',
  'unreadable-record',
  // On standby, no run sees which pods come and go.
  'other-autoscaler',
]);

/** An empty node is removed after its consolidateAfter, and not while it is annotated or promised to pods (E3, E13). */
export const emptyNodesHaveTheirTime: RuleOf = (watched) => {
  const { violate, simulation, nowMs, startMs, story, records } = watched;
  const isTimed = !story.faults.some(({ kind }) => UNTIMED.has(kind));
  const slackMs = story.faults.some(({ kind }) => kind === 'clocks') ? CLOCKS_APART_MS : SECOND_MS;
  const podsOf = new Map<string, { readonly node: string; readonly sinceMs: number }>();
  const changedMs = new Map<string, number>();
  const annotatedMs = new Map<string, number>();
  const promised = new Map<string, { readonly atMs: number; readonly pods: readonly string[] }>();
  const rule = 'an empty node has its time';
  const recordAt = (node: string): NodeClaimRecord | undefined =>
    [...records.values()].find(({ nodeName }) => nodeName === node);
  const whyKept = (record: NodeClaimRecord): string | undefined => {
    const node = nodeOf(watched, record);
    const pool = simulation().state.nodePools.get(record.nodePool);
    if (node === undefined || pool === undefined) return undefined;
    const { name } = node.metadata;
    if (nowMs() - (annotatedMs.get(name) ?? Infinity) > DECIDED_MS) return `it has the annotation ${DO_NOT_DISRUPT}`;
    const afterMs = parseNillableDuration(pool.spec.disruption.consolidateAfter) ?? Infinity;
    const sinceMs = Math.max(changedMs.get(name) ?? 0, (record.initializedAtMs ?? 0) - startMs());
    const earlyMs = sinceMs + afterMs - nowMs();
    if (earlyMs > slackMs) return `it was empty only for ${nowMs() - sinceMs} ms`;
    const { atMs = -Infinity, pods = [] } = promised.get(name) ?? {};
    const isAwaited = pods.some((key) => {
      const pod = simulation().state.pods.get(key);
      return pod !== undefined && pod.spec.nodeName === undefined;
    });
    return isAwaited && nowMs() - atMs > DECIDED_MS && nowMs() - atMs < NOMINATED_MS
      ? `it is promised to ${pods.join(', ')}`
      : undefined;
  };
  return {
    call({ method, args: [, nominated] }) {
      if (method !== 'store.nominate' || !isRecord(nominated)) return;
      // The pods are known from the decision.
      const node = String(fieldOf(nominated, 'node'));
      promised.set(node, { atMs: nowMs(), pods: promised.get(node)?.pods ?? [] });
    },
    decisionRecorded({ actions }) {
      for (const action of actions)
        if (action.kind === 'nominate-node') promised.set(action.node, { atMs: nowMs(), pods: action.pods });
    },
    step() {
      const { state } = simulation();
      for (const { metadata } of state.nodes.values())
        if (metadata.annotations?.[DO_NOT_DISRUPT] !== 'true') annotatedMs.delete(metadata.name);
        else if (!annotatedMs.has(metadata.name)) annotatedMs.set(metadata.name, nowMs());
      for (const [key, { node, sinceMs }] of podsOf) {
        const pod = state.pods.get(key);
        // A pod that terminates has left (E13).
        if (pod?.spec.nodeName !== node || !needsNode(pod)) {
          podsOf.delete(key);
          // Pods are seen from the initialization on.
          const { initializedAtMs = 0 } = recordAt(node) ?? {};
          if (nowMs() - Math.max(sinceMs, initializedAtMs - startMs()) > SEEN_MS) changedMs.set(node, nowMs());
        }
      }
      for (const pod of state.pods.values()) {
        const { nodeName } = pod.spec;
        if (nodeName === undefined || !needsNode(pod) || podsOf.has(podKey(pod))) continue;
        podsOf.set(podKey(pod), { node: nodeName, sinceMs: nowMs() });
      }
    },
    recordWritten(after, before) {
      if (!isTimed || after.deletion?.reason !== 'empty' || before === undefined || before.deletion !== undefined)
        return;
      const why = whyKept(before);
      if (why !== undefined) violate(rule, `node ${after.nodeName} was removed as empty: ${why}`);
    },
  };
};
