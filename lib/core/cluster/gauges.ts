import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { type Decision, gapPercent } from '../model/decision.ts';
import { instanceOf } from '../model/node-claim-record.ts';
import { isProvisionable } from './pods.ts';

/** The observed values of a run, by metric name. The gap of the price is set if the run creates nodes for pods. */
export function gaugesOf(snapshot: ClusterSnapshot, decisions: readonly Decision[]): Readonly<Record<string, number>> {
  const prices = snapshot.nodeClaims.map((record) => instanceOf(record)?.priceUsdPerHour ?? 0);
  const [price] = decisions.flatMap((decision) => decision.price ?? []);
  return {
    PendingPods: snapshot.pods.filter(isProvisionable).length,
    Nodes: snapshot.nodes.length,
    HourlyCostUsd: Math.round(prices.reduce((sum, one) => sum + one, 0) * 1e4) / 1e4,
    ...(price !== undefined && { PriceGapPercent: gapPercent(price) }),
  };
}
