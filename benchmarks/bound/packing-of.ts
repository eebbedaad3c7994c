import { podKey } from '../../lib/apis/kubernetes.ts';
import { stateNodes } from '../../lib/core/cluster/state-node.ts';
import type { ClusterSnapshot } from '../../lib/core/model/cluster-snapshot.ts';
import { podsToPlace } from '../../lib/core/provisioning/pods-to-place.ts';
import { clusterProblem } from '../../lib/core/provisioning/schedule-pods.ts';
import { backlogOf } from '../../lib/core/scheduling/placement/make-backlog.ts';
import { problemIndexOf, startRun } from '../../lib/core/scheduling/run.ts';
import type { PlannedNodeClaim } from '../../lib/core/scheduling/schedule.ts';
import { hasRules } from '../../lib/core/scheduling/topology/allowance.ts';
import type { Packing } from './column-generation.ts';

/** With more classes, column generation takes hours. */
const MAX_CLASSES = 150;
/** With more pods on a node, the fractions of pods that the bound of the decision allows matter little, and the search takes hours. */
const MAX_PODS_OF_NODE = 60;

/**
 * The pods of the claims and the offerings of their NodePool. *Shape:* a text that says why there is none: the bound is only for pods of one
 * NodePool that may use all of its offerings and have no topology rules.
 */
export function packingOf(
  snapshot: ClusterSnapshot,
  nowMs: number,
  claims: readonly PlannedNodeClaim[],
): Packing | string {
  const nodes = stateNodes(snapshot);
  const { pods } = podsToPlace(snapshot, nodes, nowMs);
  const run = startRun(problemIndexOf({ ...clusterProblem(snapshot, nodes, nowMs), pods }), 'cost');
  const [types, ...others] = run.pools;
  const placed = new Map(claims.flatMap((claim, at) => claim.pods.map((pod) => [podKey(pod), at] as const)));
  const groups = backlogOf(run, 'last').backlog.flatMap(({ demand, pods: own }) => {
    const onClaims = own.filter((pod) => placed.has(podKey(pod)));
    return onClaims.length === 0 ? [] : [{ demand, pods: onClaims }];
  });
  if (types === undefined || others.length > 0) return 'more than one NodePool';
  if (groups.length > MAX_CLASSES) return `${groups.length} classes of pods: at most ${MAX_CLASSES} are possible`;
  const perNode = Math.round(placed.size / Math.max(1, claims.length));
  if (perNode > MAX_PODS_OF_NODE) return `${perNode} pods on a node: at most ${MAX_PODS_OF_NODE} are possible`;
  const isPlain = groups.every(
    ({ demand: { rules, alternatives } }) =>
      !hasRules(rules) && alternatives.every(({ set }) => run.sets.join(types.set, set) === types.set),
  );
  if (!isPlain) return 'some pods have constraints';
  const counts = claims.map(() => new Float64Array(groups.length));
  groups.forEach(({ pods: own }, at) => {
    for (const pod of own) {
      const count = counts[placed.get(podKey(pod)) ?? 0];
      if (count !== undefined) count[at] = (count[at] ?? 0) + 1;
    }
  });
  const selection = types.selectionFor(types.set);
  return {
    classes: groups.map(({ demand, pods: own }) => ({ size: demand.requests, count: own.length })),
    offerings: types.frontierOf(selection).map((type) => ({
      room: types.rooms[type] ?? new Float64Array(),
      price: selection.market.prices[type] ?? 0,
    })),
    nodes: claims.map(({ cheapest }, at) => ({
      holds: counts[at] ?? new Float64Array(groups.length),
      price: cheapest.offering.priceUsdPerHour,
    })),
  };
}
