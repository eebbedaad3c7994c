import { parseDuration } from '../../../../lib/apis/formats/duration.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../lib/apis/formats/time.ts';
import type { Pod } from '../../../../lib/apis/kubernetes.ts';
import type { Decision } from '../../../../lib/core/model/decision.ts';
import type { RuleOf } from '../../rule.ts';
import { nodeOf } from '../nodes.ts';
import { bindings, needsNode } from '../pods.ts';

/** A run may have read the cluster before a pod was bound. */
const READ_LATE_MS = 3 * MINUTE_MS;

interface Eviction {
  readonly atMs: number;
  readonly decision: string;
  readonly nodeClaim: string;
}

/** Consolidation keeps the cool-down and the number of evictions that a NodePool allows. */
export const movesAreLimited: RuleOf = (watched) => {
  const { violate, records, simulation, nowMs } = watched;
  const bound = bindings(watched);
  /** By the UID of the controller. */
  const evictions = new Map<string, Eviction[]>();
  /** The pods on the nodes that the decision removes by consolidation, with the NodePools of the nodes. */
  const evictedBy = ({
    actions,
  }: Decision): readonly { readonly pod: Pod; readonly pool: string; readonly nodeClaim: string }[] =>
    actions.flatMap((action) => {
      if (action.kind !== 'delete-node-claim' || action.reason !== 'underutilized') return [];
      const { nodeClaim } = action;
      const record = records.get(nodeClaim);
      const name = record && nodeOf(watched, record)?.metadata.name;
      return [...simulation().state.pods.values()].flatMap((pod) => {
        const isLate = nowMs() - (bound.sinceMs(pod) ?? nowMs()) < READ_LATE_MS;
        return pod.spec.nodeName !== name || !needsNode(pod) || isLate
          ? []
          : [{ pod, pool: record?.nodePool ?? '', nodeClaim }];
      });
    });
  /** A node whose deletion was refused stays, with its pods. */
  const isDone = ({ nodeClaim }: Eviction): boolean => {
    const record = records.get(nodeClaim);
    return record === undefined || record.deletion !== undefined;
  };
  return {
    step: bound.note,
    replaced: () => evictions.clear(),
    decisionRecorded(decision) {
      const { id, atMs } = decision;
      const limitOf = (pool: string, name: string): string | undefined =>
        simulation().state.nodePools.get(pool)?.metadata.annotations?.[`kerf.dev/${name}`];
      for (const { pod, pool, nodeClaim } of evictedBy(decision)) {
        const workload = pod.metadata.ownerReferences?.[0]?.uid ?? '';
        const before = (evictions.get(workload) ?? []).filter(
          (one) => one.atMs > atMs - HOUR_MS && (one.decision === id || isDone(one)),
        );
        evictions.set(workload, [...before, { atMs, decision: id, nodeClaim }]);
        const max = Number(limitOf(pool, 'max-evictions-per-hour') ?? Infinity);
        if (before.length + 1 > max)
          violate('consolidation evicts as few pods as its NodePool allows', `${before.length + 1} of ${workload}`);
        const coolDownMs = parseDuration(limitOf(pool, 'disruption-cool-down') ?? '');
        const last = before.findLast((one) => one.decision !== id);
        // The clock of the other decision may be ahead.
        if (last !== undefined && coolDownMs !== undefined && atMs - last.atMs < coolDownMs)
          violate('consolidation keeps the cool-down of a NodePool', `${workload} after ${atMs - last.atMs} ms`);
      }
    },
  };
};
