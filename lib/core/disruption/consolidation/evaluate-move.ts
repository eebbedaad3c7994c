import { counted } from '../../../apis/counted.ts';
import { podKey } from '../../../apis/kubernetes.ts';
import { INSTANCE_TYPE } from '../../../apis/labels.ts';
import { isBufferPod } from '../../cluster/buffer-pod.ts';
import { isReschedulable } from '../../cluster/pods.ts';
import { onceFor } from '../../kept-answers.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { formatSubject } from '../../model/subject.ts';
import { bufferSubject } from '../../provisioning/buffer-pods.ts';
import type { PlannedNodeClaim, Schedule, Unplaced } from '../../scheduling/schedule.ts';
import { usdPerHour } from '../../usd-per-hour.ts';
import type { Candidate } from '../candidates.ts';
import { consolidatableAtMs } from '../consolidate-after.ts';
import { priceOf } from '../cost.ts';
import type { EvaluatedMove, World } from '../method.ts';
import { cheaperClaim, mayBeSpot, spotClaim, whyInflexible } from './cheaper-claim.ts';
import { flexibleSpot, isSpot } from './flexible-spot.ts';

export function isMove(one: EvaluatedMove | Refusal): one is EvaluatedMove {
  return 'candidates' in one;
}

/**
 * Decides whether these nodes can be removed with Karpenter's rules: all their pods have a place on initialized nodes and at most
 * one new node, which costs less than the nodes. *Shape:* the move, or the refusal with its numbers. Budgets and policies are not
 * checked. *Cost:* no question to `whatIf` if a lower bound of the price already refuses the move; else one, and a second one if the
 * cheapest answer has several new nodes. *Source:* E20–E24, B33.
 */
export function evaluateMove(candidates: readonly Candidate[], world: World): EvaluatedMove | Refusal {
  const sourceUsdPerHour = priceOf(candidates);
  const found = whyTooExpensive(candidates, sourceUsdPerHour, world) ?? placesWithout(candidates, world);
  if ('reason' in found) return found;
  const { targets, claims, evictions } = found;
  const [claim] = claims;
  if (claim === undefined)
    return { candidates, replacements: [], targets, sourceUsdPerHour, savingsUsdPerHour: sourceUsdPerHour, evictions };
  const cheaper = cheaperReplacement(claim, { candidates, sourceUsdPerHour, evictions }, world);
  if ('reason' in cheaper) return cheaper;
  const savingsUsdPerHour = sourceUsdPerHour - cheaper.cheapest.offering.priceUsdPerHour;
  return { candidates, replacements: [cheaper], targets, sourceUsdPerHour, savingsUsdPerHour, evictions };
}

/** Refuses a move whose pods need a new node that cannot cost less than the candidates. */
function whyTooExpensive(
  candidates: readonly Candidate[],
  sourceUsdPerHour: number,
  { bounds }: World,
): Refusal | undefined {
  const fromUsdPerHour = bounds.priceOfOneClaim(candidates.map(({ stateNode }) => stateNode.name));
  if (fromUsdPerHour === 0 || fromUsdPerHour < sourceUsdPerHour) return undefined;
  const evictions = candidates.reduce((sum, { stateNode }) => sum + stateNode.pods.filter(isReschedulable).length, 0);
  return whyNotCheaper(fromUsdPerHour, { candidates, sourceUsdPerHour, evictions });
}

export interface Places extends Pick<EvaluatedMove, 'targets' | 'evictions'> {
  readonly claims: readonly PlannedNodeClaim[];
}

/** E20, E21: where the pods of the candidates would go: to existing nodes and to one new claim at most. */
function placesWithout(candidates: readonly Candidate[], world: World): Places | Refusal {
  const names = candidates.map(({ stateNode }) => stateNode.name);
  const protectedNodes = closedNodes(world);
  const cheapest = placesIn(world.whatIf(names, { protectedNodes }), names, world);
  if ('reason' in cheapest || cheapest.claims.length <= 1) return cheapest;
  const places = placesIn(world.whatIf(names, { protectedNodes, fewClaims: true }), names, world);
  if ('reason' in places || places.claims.length <= 1) return places;
  const count = places.claims.length;
  return refusal(
    'NeedsSeveralNodes',
    `${podsNeed(places.evictions, names.length)} ${count} new nodes, and consolidation replaces nodes by one at most`,
    { pods: places.evictions, newNodes: count },
  );
}

/** E20: where the pods of the nodes go, or why the nodes must stay. */
export function placesIn(schedule: Schedule, names: readonly string[], world: World): Places | Refusal {
  const gone = new Set(names);
  const isMoved = (pod: { readonly spec: { readonly nodeName?: string } }): boolean =>
    gone.has(pod.spec.nodeName ?? '');
  const targets = schedule.existing.flatMap(({ stateNode, pods }) => {
    const moved = pods.filter(isMoved);
    return moved.length === 0 ? [] : [{ stateNode, pods: moved }];
  });
  const claims = schedule.newClaims.filter(({ pods }) => pods.some(isMoved));
  const homeless = schedule.unplaced.filter(({ pod }) => isMoved(pod));
  const placed = [...targets, ...claims].reduce((sum, { pods }) => sum + pods.filter(isMoved).length, 0);
  const evictions = placed + homeless.length;
  const [first] = homeless;
  if (first !== undefined) return whyNoPlace(first, { homeless: homeless.length, evictions, nodes: names.length });
  const starting = targets.find(({ stateNode }) => !stateNode.initialized);
  if (starting !== undefined)
    return refusal('NodeStarting', `its pods would move to ${starting.stateNode.name}, which is not initialized yet`, {
      pods: starting.pods.length,
    });
  return whyOthersSuffer(schedule, isMoved, world) ?? { targets, claims, evictions };
}

function whyNoPlace(
  { pod, refusals, onNodes }: Unplaced,
  { homeless, evictions, nodes }: { readonly homeless: number; readonly evictions: number; readonly nodes: number },
): Refusal {
  const why = refusals[0]?.refusal.message ?? 'no NodePool can launch a node for it';
  const onExisting = onNodes === undefined ? '' : `${onNodes.message}; `;
  return refusal(
    'NoPlaceForPods',
    `${homeless} of ${podsOf(evictions, nodes)} would be unschedulable, for example ${podKey(pod)}: ${onExisting}${why}`,
    { unschedulable: homeless, pods: evictions },
  );
}

/**
 * E20: pods that wait or whose nodes are being deleted must not lose the place that they have beside the candidates, and must not
 * need more new nodes. *Cost:* one question for each world, if there are such pods without a place or on new nodes.
 */
function whyOthersSuffer(
  { newClaims, unplaced }: Schedule,
  isMoved: (pod: Unplaced['pod']) => boolean,
  world: World,
): Refusal | undefined {
  const others = newClaims.filter(({ pods }) => !pods.some(isMoved));
  if (others.length === 0 && unplaced.length === 0) return undefined;
  const before = withoutMove(world);
  const homeless = new Set(before.unplaced.map(({ pod }) => podKey(pod)));
  const lost = unplaced.filter(({ pod }) => !homeless.has(podKey(pod)));
  const more = others.length - before.newClaims.length;
  if (lost.length === 0 && more <= 0) return undefined;
  const numbers = { pods: lost.length, newNodes: Math.max(0, more) };
  const launched = `${counted(numbers.newNodes, 'more node')} would be launched`;
  const concerned = [...lost.map(({ pod }) => pod), ...others.flatMap(({ pods }) => pods)];
  const [first] = concerned;
  if (first !== undefined && concerned.every(isBufferPod)) {
    const without = lost.length === 0 ? launched : `${counted(lost.length, 'pod')} of it would have no place`;
    const message = `the node reserves capacity for ${formatSubject(bufferSubject(first))}: without the node ${without}`;
    return refusal('KeepsBuffer', message, numbers);
  }
  return refusal(
    'KeepsPendingPods',
    `the node has room for pods that wait: without it ${counted(lost.length, 'pod')} would stay pending and ${launched} for others`,
    numbers,
  );
}

/** The schedule of the world if no node is removed. */
const withoutMove = onceFor(({ whatIf }: World): Schedule => whatIf([]));

/** The nodes to which no pods are moved: those whose consolidateAfter has not passed (B33), and those that commands remove. */
export const closedNodes = onceFor((world: World): ReadonlySet<string> => {
  const { candidates, nodePools, leaving, nowMs } = world;
  const pools = new Map(nodePools.map(({ nodePool }) => [nodePool.metadata.name, nodePool]));
  const settling = candidates.nodes.flatMap(({ name, nodeClaim, initialized }) => {
    const nodePool = pools.get(nodeClaim?.nodePool ?? '');
    if (nodeClaim === undefined || nodePool === undefined || !initialized) return [];
    return (consolidatableAtMs({ nodePool, nodeClaim }) ?? 0) > nowMs ? [name] : [];
  });
  return new Set([...settling, ...leaving]);
});

interface Replaced extends Pick<EvaluatedMove, 'candidates' | 'sourceUsdPerHour' | 'evictions'> {}

/** E22–E24: the claim with the types that cost less than the candidates. */
function cheaperReplacement(claim: PlannedNodeClaim, replaced: Replaced, world: World): PlannedNodeClaim | Refusal {
  const { candidates, sourceUsdPerHour } = replaced;
  const ofSpot = candidates.every(isSpot) && mayBeSpot(claim);
  if (ofSpot && world.options.spotToSpotConsolidation !== true) return whyNotSpotToSpot(claim, replaced);
  const wanted = ofSpot ? spotClaim(claim) : claim;
  const cheaper =
    wanted === undefined
      ? { kind: 'none' as const, fromUsdPerHour: Number.POSITIVE_INFINITY }
      : cheaperClaim(wanted, sourceUsdPerHour);
  if (cheaper.kind === 'none') return whyNotCheaper(cheaper.fromUsdPerHour, replaced);
  const different = withoutSameTypes(cheaper.claim, candidates);
  if (different === undefined) return whySameType(replaced);
  const why = whyInflexible(different);
  if (why !== undefined) return why;
  return ofSpot && candidates.length === 1 ? flexibleSpot(different) : different;
}

/**
 * E27: if several nodes may be replaced by a node of the same type as one of them, that node can stay and the others be deleted, with
 * fewer evictions. So only types that cost less than the cheapest such node are kept. *Shape:* undefined if there is none.
 */
function withoutSameTypes(claim: PlannedNodeClaim, candidates: readonly Candidate[]): PlannedNodeClaim | undefined {
  if (candidates.length === 1) return claim;
  const types = new Set(claim.instanceTypes.map(({ name }) => name));
  const same = candidates.filter(({ stateNode }) => types.has(stateNode.labels[INSTANCE_TYPE] ?? ''));
  if (same.length === 0) return claim;
  const cheaper = cheaperClaim(claim, Math.min(...same.map(({ priceUsdPerHour }) => priceUsdPerHour)));
  return cheaper.kind === 'none' ? undefined : cheaper.claim;
}

function whySameType({ candidates, evictions }: Replaced): Refusal {
  return refusal(
    'SameInstanceType',
    `${podsNeed(evictions, candidates.length)} a new node, and each type of it costs as much as one of the ${candidates.length} nodes that it would replace`,
    { pods: evictions, nodes: candidates.length },
  );
}

function whyNotSpotToSpot(claim: PlannedNodeClaim, { candidates, evictions }: Replaced): Refusal {
  return refusal(
    'SpotToSpotDisabled',
    `${podsNeed(evictions, candidates.length)} a new spot node, and spotToSpotConsolidation is off`,
    { pods: evictions, fromUsdPerHour: claim.cheapest.offering.priceUsdPerHour },
  );
}

function whyNotCheaper(fromUsdPerHour: number, { candidates, sourceUsdPerHour, evictions }: Replaced): Refusal {
  const nodes = candidates.length;
  const offer = Number.isFinite(fromUsdPerHour)
    ? `that costs ${usdPerHour(fromUsdPerHour)}`
    : 'larger than any that is available';
  return refusal(
    'NotCheaper',
    `${podsNeed(evictions, nodes)} a new node ${offer}, and the ${nodes === 1 ? 'node costs' : 'nodes cost'} ${usdPerHour(sourceUsdPerHour)}`,
    {
      pods: evictions,
      ...(Number.isFinite(fromUsdPerHour) ? { fromUsdPerHour } : {}),
      nodeUsdPerHour: sourceUsdPerHour,
    },
  );
}

/** `its 3 pods need` */
function podsNeed(pods: number, nodes: number): string {
  return `${podsOf(pods, nodes)} ${pods === 1 ? 'needs' : 'need'}`;
}

function podsOf(pods: number, nodes: number): string {
  return `${nodes === 1 ? 'its' : 'their'} ${counted(pods, 'pod')}`;
}
