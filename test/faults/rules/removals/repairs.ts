import { MINUTE_MS, SECOND_MS } from '../../../../lib/apis/formats/time.ts';
import type { Node } from '../../../../lib/apis/kubernetes.ts';
import { NODE_POOL } from '../../../../lib/apis/labels.ts';
import { isNodeReady } from '../../../../lib/core/cluster/state-node.ts';
import type { NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import type { RuleOf, Watched } from '../../rule.ts';
import { STORY_SETTINGS } from '../../story/cluster.ts';
import { nodeOf } from '../nodes.ts';
import { type Duty, LIFECYCLE, progressOf } from '../progress/duty.ts';
import { isEnding } from './impaired.ts';

const RULE = 'a node is replaced as unhealthy only within the limits';
/** A function that waits for a call decides on nodes that it read a minute ago. */
const DECIDED_BEFORE_MS = 75 * SECOND_MS;
/** The clock of a function may be two minutes ahead. */
const CLOCK_MS = 2 * MINUTE_MS;
const TOLERANCE_MS = STORY_SETTINGS.repairAfterMs['Ready=Unknown'] ?? Infinity;

/** D29, D30: a node is replaced after its tolerance, unless many nodes of its NodePool or of the cluster are unhealthy. */
export const repairsAreLimited: RuleOf = (watched) => {
  const { violate, startMs, nowMs, story } = watched;
  const slackMs = story.faults.some(({ kind }) => kind === 'clocks') ? CLOCK_MS : SECOND_MS;
  /** Since when nodes are not replaced, by NodePool. */
  const heldSince = new Map<string, number>();
  const note = (): void => {
    const held = heldPools([...watched.simulation().state.nodes.values()]);
    for (const nodePool of heldSince.keys()) if (!held.has(nodePool)) heldSince.delete(nodePool);
    for (const nodePool of held) if (!heldSince.has(nodePool)) heldSince.set(nodePool, nowMs());
  };
  const progress = progressOf(watched, () => dutiesOf(watched, heldSince));
  return {
    step() {
      note();
      progress.step?.();
    },
    recordWritten(after, before) {
      const { deletion, name, nodePool } = after;
      if (before === undefined || before.deletion !== undefined || !isRepair(deletion)) return;
      note();
      const node = nodeOf(watched, after);
      const sinceMs = node && unknownSince(node);
      if (sinceMs !== undefined && startMs() + nowMs() - sinceMs < TOLERANCE_MS - slackMs)
        violate(RULE, `NodeClaim ${name}: its node has been unhealthy only for ${startMs() + nowMs() - sinceMs} ms`);
      const forMs = nowMs() - (heldSince.get(nodePool) ?? Infinity);
      if (forMs > DECIDED_BEFORE_MS)
        violate(RULE, `NodeClaim ${name}: too many nodes have been unhealthy for ${forMs} ms`);
    },
  };
};

/** The status checks of EC2 have the same reason. */
function isRepair(deletion: NodeClaimRecord['deletion']): boolean {
  return deletion?.reason === 'unhealthy' && deletion.message.startsWith('condition ');
}

/** The NodePools of which no node is replaced now. */
function heldPools(nodes: readonly Node[]): ReadonlySet<string> {
  const notReady = nodes.filter((node) => !isNodeReady(node)).length;
  const isOutage = notReady > 2 && notReady >= 0.55 * nodes.length;
  const pools = Map.groupBy(nodes, ({ metadata }) => metadata.labels?.[NODE_POOL] ?? '');
  const held = [...pools].filter(
    ([, members]) =>
      isOutage || members.filter((node) => unknownSince(node) !== undefined).length > Math.ceil(0.2 * members.length),
  );
  return new Set(held.map(([nodePool]) => nodePool));
}

function dutiesOf(watched: Watched, held: ReadonlyMap<string, number>): readonly Duty[] {
  const { records, startMs, nowMs } = watched;
  return [...records.values()].flatMap((record) => {
    const { name, nodePool, registeredAtMs } = record;
    if (registeredAtMs === undefined || isEnding(record, startMs() + nowMs())) return [];
    const node = nodeOf(watched, record);
    const sinceMs = node && unknownSince(node);
    const isDue = sinceMs !== undefined && startMs() + nowMs() - sinceMs >= TOLERANCE_MS && !held.has(nodePool);
    const needs = [...LIFECYCLE, 'messages.wake'];
    return isDue
      ? [{ name: `the unhealthy node of NodeClaim ${name} is replaced`, withinMs: 75 * SECOND_MS, needs }]
      : [];
  });
}

/** Since when the kubelet of the node has been silent. */
function unknownSince({ status }: Node): number | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'Unknown' ? Date.parse(ready.lastTransitionTime ?? '') : undefined;
}
