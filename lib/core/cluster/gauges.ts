import { SECOND_MS } from '../../apis/formats/time.ts';
import type { Pod } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Decision } from '../model/decision.ts';
import { instanceOf, type NodeClaimRecord } from '../model/node-claim-record.ts';
import { isProvisionable, pendingSinceMs } from './pods.ts';

/** The observed values of a run, by metric name. The gap of the price is set if the run creates nodes for pods. */
export function gaugesOf(
  snapshot: ClusterSnapshot,
  decisions: readonly Decision[],
  nowMs: number,
): Readonly<Record<string, number>> {
  const [price] = decisions.flatMap((decision) => decision.price ?? []);
  return {
    ...gaugesOfPending(snapshot.pods.filter(isProvisionable), nowMs),
    ...gaugesOfNodes(snapshot.nodes, snapshot.nodeClaims),
    ...optional({ PriceGapPercent: price?.gapPercent }),
  };
}

/** How many pods need a node, and for how long the first of them has waited. */
export function gaugesOfPending(pending: readonly Pod[], nowMs: number): Readonly<Record<string, number>> {
  if (pending.length === 0) return { PendingPods: 0 };
  const sinceMs = pending.reduce((first, pod) => Math.min(first, pendingSinceMs(pod) ?? nowMs), nowMs);
  return { PendingPods: pending.length, OldestPendingSeconds: Math.floor((nowMs - sinceMs) / SECOND_MS) };
}

/** How many nodes there are, and the price of their instances, with four digits, so that it changes only with the instances. */
export function gaugesOfNodes(
  nodes: readonly unknown[],
  records: readonly NodeClaimRecord[],
): Readonly<Record<string, number>> {
  const prices = records.map((record) => instanceOf(record)?.priceUsdPerHour ?? 0);
  return { Nodes: nodes.length, HourlyCostUsd: Math.round(prices.reduce((sum, one) => sum + one, 0) * 1e4) / 1e4 };
}
