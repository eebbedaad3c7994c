import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { INITIALIZED } from '../../../lib/apis/labels.ts';
import { isNodeReady } from '../../../lib/core/cluster/state-node.ts';
import type { NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import type { RuleOf, Watched } from '../rule.ts';
import { applies } from './disruption/budget-windows.ts';
import { nodeOf } from './nodes.ts';
import { bindings, needsNode } from './pods.ts';

/** From the observation of an empty node until its deletion is recorded: a run, or an open decision that is carried out late. */
const DECIDED_MS = 3 * SECOND_MS;
const DECIDED_LATE_MS = 3 * MINUTE_MS;
/** Faults that do not delay a run after it has read the cluster. */
const PROMPT: ReadonlySet<string> = new Set([
  'messages',
  'machines',
  'no-capacity',
  'spot-volley',
  'impaired',
  'by-hand',
  'webhook-down',
  'odd-launches',
  'listed-late',
]);

/** A node is removed as empty if it is empty, and an empty node does not stay. */
export const emptyNodesAreRemoved: RuleOf = (watched) => {
  const { violate, nowMs, story } = watched;
  const bound = bindings(watched);
  const isPrompt = story.faults.every(({ kind }) => PROMPT.has(kind));
  const graceMs = isPrompt ? DECIDED_MS : DECIDED_LATE_MS;
  return {
    step: bound.note,
    recordWritten(after, before) {
      if (after.deletion?.reason !== 'empty' || before === undefined || before.deletion !== undefined) return;
      const name = nodeOf(watched, after)?.metadata.name;
      const running = podsOn(watched, name).find(
        (pod) => pod.metadata.namespace !== 'kube-system' && nowMs() - (bound.sinceMs(pod) ?? nowMs()) > graceMs,
      );
      if (running !== undefined)
        violate('a node that is removed as empty has no pods', `node ${name} runs pod ${running.metadata.name}`);
    },
    unsettled: () =>
      [...watched.records.values()]
        .filter((record) => isUseless(watched, record))
        .map(({ name }) => `NodeClaim ${name} has an empty node`),
  };
};

function podsOn({ simulation }: Watched, name: string | undefined) {
  return [...simulation().state.pods.values()].filter((pod) => pod.spec.nodeName === name && needsNode(pod));
}

/** Whether the node is empty, and no other node of its NodePool uses the budgets. */
function isUseless(watched: Watched, record: NodeClaimRecord): boolean {
  const { simulation, records } = watched;
  if (record.releasedAtMs !== undefined || record.deletion !== undefined) return false;
  const node = nodeOf(watched, record);
  if (node?.metadata.labels?.[INITIALIZED] !== 'true' || !isNodeReady(node)) return false;
  const pool = simulation().state.nodePools.get(record.nodePool);
  if (pool?.spec.disruption.consolidateAfter === 'Never' || pool?.spec.replicas !== undefined) return false;
  if (pool === undefined || pool.metadata.deletionTimestamp !== undefined) return false;
  const mine = [...records.values()].filter(
    (one) => one.nodePool === record.nodePool && one.releasedAtMs === undefined && one.initializedAtMs !== undefined,
  );
  const isBusy = mine.some((one) => {
    const other = nodeOf(watched, one);
    return one.deletion !== undefined || other === undefined || !isNodeReady(other);
  });
  // A node may be promised to a pod without a node, or to one whose node is removed.
  const leaving = new Set(
    [...records.values()].flatMap((one) =>
      one.deletion === undefined ? [] : (nodeOf(watched, one)?.metadata.name ?? []),
    ),
  );
  const isPending = [...simulation().state.pods.values()].some(
    (pod) => needsNode(pod) && (pod.spec.nodeName === undefined || leaving.has(pod.spec.nodeName)),
  );
  const allowsNone = pool.spec.disruption.budgets.some(
    (budget) => Number.parseInt(budget.nodes, 10) === 0 && applies(budget, 'Empty', { nowMs: watched.nowMs() }),
  );
  return !isBusy && !isPending && !allowsNone && podsOn(watched, node.metadata.name).length === 0;
}
