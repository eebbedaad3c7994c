import type { Node, Taint } from '../../apis/kubernetes.ts';
import { ZONE } from '../../apis/labels.ts';
import { sameTaint, UNDERUTILIZED_TAINT } from '../../apis/taints.ts';
import type { StateNode } from '../cluster/state-node.ts';
import { compareText } from '../compare-text.ts';
import type { NodeChange } from '../model/decision.ts';
import { nodeTarget } from '../model/node-patch.ts';
import { isCandidate } from './candidates.ts';
import { allowsConsolidation } from './consolidation/may-consolidate.ts';
import type { World } from './method.ts';
import { nodePrice } from './node-price.ts';

/** How far a node must be from the average before its taint changes, so that it does not change with every pod. */
const MARGIN = 0.03;

/**
 * The best used nodes of a NodePool in a zone never have the taint, so that the kube-scheduler can still place the pods of a Deployment on
 * different nodes, which it prefers less than a node without the taint.
 */
const MIN_WITHOUT = 2;

/** The most nodes of a run, those that are farthest from the average. The next run changes the others. */
const MAX_CHANGES = 200;

/**
 * The kube-scheduler places pods on the emptiest nodes, so nodes seldom become empty. It uses nodes with a PreferNoSchedule taint last.
 * Nodes whose pods are worth less of their price than on average, in the same zone and NodePool, have the taint: the others are filled
 * first, and these lose their pods without evictions. Drifted nodes have it, so that pods do not move to a node that is replaced next. It
 * is a preference, so no pod waits for it, and Kerf's own plans ignore it.
 * *Shape:* one change for each node that gets or loses the taint; it has no effect if the node has changed since it was read.
 * *Cost:* O(nodes + pods). @param refused nodes that are left as they are
 */
export function softTaintChanges(world: World, refused: ReadonlySet<string> = new Set()): readonly NodeChange[] {
  const consolidated = new Set(
    world.nodePools
      .filter(({ nodePool }) => allowsConsolidation(nodePool))
      .map(({ nodePool }) => nodePool.metadata.name),
  );
  const {
    drifted = [],
    compared = [],
    others = [],
  } = Object.groupBy(ownNodes(world), ({ nodeClaim }) => {
    if (world.options.softTaints === false) return 'others';
    if (nodeClaim.drift !== undefined) return 'drifted';
    return consolidated.has(nodeClaim.nodePool) ? 'compared' : 'others';
  });
  const groups = Map.groupBy(compared, ({ nodeClaim, labels }) => `${nodeClaim.nodePool} ${labels[ZONE] ?? ''}`);
  const wanted: readonly Wanted[] = [
    ...others.map((own) => ({ own, isWanted: false })),
    ...drifted.map((own) => ({ own, isWanted: true })),
    ...[...groups.values()].flatMap((group) => comparedIn(group, world)).toSorted((a, b) => b.distance - a.distance),
  ];
  return wanted
    .values()
    .filter(({ own, isWanted }) => isUsedLast(own.node) !== isWanted && !refused.has(own.name))
    .filter(({ own, isWanted }) => !isWanted || own.nodeClaim.drift !== undefined || mayLeave(own, world))
    .take(MAX_CHANGES)
    .map(({ own, isWanted }) => changeOf(own, isWanted))
    .toArray();
}

type OwnNode = StateNode & Required<Pick<StateNode, 'node' | 'nodeClaim'>>;

interface Wanted {
  readonly own: OwnNode;
  readonly isWanted: boolean;
}

interface Compared extends Wanted {
  /** From the average. */
  readonly distance: number;
}

/** Nodes of Kerf that stay. A NodePool with the same taint keeps it. */
function ownNodes({ candidates, leaving }: World): readonly OwnNode[] {
  return candidates.nodes.filter(
    (one): one is OwnNode =>
      one.node !== undefined &&
      one.nodeClaim !== undefined &&
      one.initialized &&
      !one.deleting &&
      one.node.metadata.deletionTimestamp === undefined &&
      !leaving.has(one.name) &&
      one.nodeClaim.spec.taints?.some(isUnderutilized) !== true,
  );
}

/** A node that must stay is filled, and one that is promised to pending pods is about to be. *Cost:* O(pods × budgets) of the node. */
function mayLeave(own: OwnNode, { candidates }: World): boolean {
  return isCandidate(candidates.judge(own));
}

/** Nodes that are far from the average. A cordoned node gets no new pods, so the others are compared without it. */
function comparedIn(group: readonly OwnNode[], world: World): readonly Compared[] {
  const used = group.flatMap((own) => {
    const usd = nodePrice(own, world.nodePools);
    return usd > 0 && own.node.spec?.unschedulable !== true
      ? [{ own, usd, worth: world.bounds.worthOf(own.name) }]
      : [];
  });
  const average = used.reduce((sum, { worth }) => sum + worth, 0) / used.reduce((sum, { usd }) => sum + usd, 0);
  const bestFirst = used.toSorted((a, b) => b.worth / b.usd - a.worth / a.usd || compareText(a.own.name, b.own.name));
  return bestFirst.flatMap(({ own, usd, worth }, at): readonly Compared[] => {
    const difference = worth / usd / average - 1;
    if (difference > MARGIN || at < MIN_WITHOUT) return [{ own, distance: difference, isWanted: false }];
    return difference < -MARGIN ? [{ own, distance: -difference, isWanted: true }] : [];
  });
}

/** Whether the node has the taint. */
export function isUsedLast(node: Node): boolean {
  return taintsOf(node).some(isUnderutilized);
}

function isUnderutilized(taint: Taint): boolean {
  return sameTaint(taint, UNDERUTILIZED_TAINT);
}

function taintsOf({ spec }: Node): readonly Taint[] {
  return spec?.taints ?? [];
}

function changeOf({ node, nodeClaim }: OwnNode, isWanted: boolean): NodeChange {
  const others = taintsOf(node).filter((taint) => !isUnderutilized(taint));
  const taints = isWanted ? [...others, UNDERUTILIZED_TAINT] : others;
  return { nodeClaim: nodeClaim.name, node: nodeTarget(node), patch: { taints } };
}
