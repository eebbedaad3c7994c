import { counted } from '../../../apis/counted.ts';
import { podKey } from '../../../apis/kubernetes.ts';
import { isStatic } from '../../../apis/node-pool.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import { compareText } from '../../compare-text.ts';
import type { Blocked } from '../../model/decision.ts';
import type { DisruptionCommand } from '../../model/disruption-command.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import type { Schedule } from '../../scheduling/schedule.ts';
import { blockedNode, retryTimes } from '../budget-ledger.ts';
import { type Candidate, isCandidate } from '../candidates.ts';
import { isEmptyNode } from '../cost.ts';
import { whyNotEvaluated } from '../memory/turns.ts';
import type { Method, Move, Proposal, SeenPools, World } from '../method.ts';

/**
 * Replaces drifted nodes: empty nodes first, then those that have been drifted longest. Any number of new nodes may replace them, and
 * the price does not matter. *Shape:* as many nodes as the budgets allow, and nodes whose pods share a new node in one move.
 * *Cost:* two questions to `whatIf` for each node at most, and the logarithm of their number for all of them together.
 * *Source:* E30; Karpenter proposes one node in a pass.
 */
export const drift: Method = {
  name: 'drift',
  reason: 'Drifted',
  validateAfterMs: 0,
  placesPods: hasDrifted,
  propose,
  validate(command, world) {
    const candidates = driftedAmong(nodesOf(command, world), world).candidates;
    const { accepted } = withinBudgets(candidates, world, { mayStop: false });
    const [move, ...others] = movesTogether(accepted, world).moves;
    if (move === undefined) return undefined;
    return [move, ...others].reduce((all, one) => ({
      candidates: [...all.candidates, ...one.candidates],
      replacements: [...all.replacements, ...one.replacements],
    }));
  },
};

/** Without drifted nodes, there is no question. */
export function hasDrifted({ nodeClaims }: SeenPools): boolean {
  return nodeClaims.some(({ drift: found, deletion }) => found !== undefined && deletion === undefined);
}

function propose(world: World): Proposal {
  const { candidates, refused } = driftedAmong(world.candidates.nodes, world);
  const { accepted, blocked, over } = withinBudgets(candidates, world, { mayStop: true });
  const { moves, count } = movesTogether(accepted, world);
  const later = accepted.slice(count).map((one) => whyLater(one, count));
  return {
    moves,
    blocked: [...refused, ...blocked, ...over, ...later],
    due: retryTimes([...over, ...later], world),
  };
}

/** The nodes of a command that still exist. */
export function nodesOf(command: DisruptionCommand, world: World): readonly StateNode[] {
  const mine = new Set(command.candidates.map(({ nodeClaim }) => nodeClaim));
  return world.candidates.nodes.filter(({ nodeClaim }) => nodeClaim !== undefined && mine.has(nodeClaim.name));
}

/** The drifted nodes in their order, as candidates or as refusals. E31: those of static NodePools are replaced one by one. */
export function driftedAmong(
  nodes: readonly StateNode[],
  world: World,
  isMine: (candidate: Candidate) => boolean = isOfPods,
): { readonly candidates: readonly Candidate[]; readonly refused: readonly Blocked[] } {
  const candidates: Candidate[] = [];
  const refused: Blocked[] = [];
  for (const stateNode of nodes.filter(isDrifted).toSorted(byDrift)) {
    const judged = world.candidates.judge(stateNode, 'eventual');
    if (judged === undefined) continue;
    if (!isCandidate(judged)) refused.push(blockedNode(stateNode, judged));
    else if (isMine(judged)) candidates.push(judged);
  }
  return { candidates, refused };
}

function isOfPods({ nodePool }: Candidate): boolean {
  return !isStatic(nodePool);
}

function isDrifted({ nodeClaim }: StateNode): boolean {
  return nodeClaim?.drift !== undefined;
}

function byDrift(a: StateNode, b: StateNode): number {
  const byPods = Number(isEmptyNode(b)) - Number(isEmptyNode(a));
  return byPods || sinceMs(a) - sinceMs(b) || compareText(a.name, b.name);
}

function sinceMs({ nodeClaim }: StateNode): number {
  return nodeClaim?.drift?.sinceMs ?? 0;
}

/**
 * Accepts candidates in their order. A node whose pods have no other place uses no budget.
 * @param mayStop whether it stops when the steps are used up. The nodes of one command are few, and stay together
 */
function withinBudgets(
  candidates: readonly Candidate[],
  world: World,
  { mayStop }: { readonly mayStop: boolean },
): {
  readonly accepted: readonly Candidate[];
  readonly blocked: readonly Blocked[];
  readonly over: readonly Blocked[];
} {
  const accepted: Candidate[] = [];
  const blocked: Blocked[] = [];
  const over: Blocked[] = [];
  const full = new Set<string>();
  for (const [at, candidate] of candidates.entries()) {
    const { nodePool, stateNode } = candidate;
    // The accepted nodes are disrupted, so that the others have their turn.
    if (mayStop && accepted.length > 0 && world.steps.left() <= 0) {
      const why = whyNotEvaluated(at, candidates.length);
      blocked.push(...candidates.slice(at).map((one) => blockedNode(one.stateNode, why)));
      break;
    }
    const why = full.has(nodePool.metadata.name) ? undefined : whyNoPlace([candidate], placesOf([candidate], world));
    if (why !== undefined) {
      blocked.push(blockedNode(stateNode, why));
      continue;
    }
    const taken = world.budgets.take([candidate], 'Drifted');
    accepted.push(...taken.within);
    over.push(...taken.over);
    if (taken.over.length > 0) full.add(nodePool.metadata.name);
  }
  return { accepted, blocked, over };
}

/**
 * Where the pods would go. Other drifted nodes accept none of them, because they would move again soon, unless there is no other
 * place.
 */
function placesOf(candidates: readonly Candidate[], { whatIf, candidates: { nodes } }: World): Schedule {
  const names = candidates.map(({ stateNode }) => stateNode.name);
  const gone = new Set(names);
  const others = new Set(nodes.flatMap((one) => (isDrifted(one) && !gone.has(one.name) ? [one.name] : [])));
  const apart = whatIf(names, { protectedNodes: others });
  return others.size === 0 || whyNoPlace(candidates, apart) === undefined ? apart : whatIf(names);
}

/** E30: why a pod of the nodes has no place: it would be unschedulable, or wait for a node that may never be initialized. */
function whyNoPlace(candidates: readonly Candidate[], { unplaced, existing }: Schedule): Refusal | undefined {
  const gone = new Set(candidates.map(({ stateNode }) => stateNode.name));
  const isMoved = ({ spec }: { readonly spec: { readonly nodeName?: string } }): boolean =>
    gone.has(spec.nodeName ?? '');
  const homeless = unplaced.find(({ pod }) => isMoved(pod));
  if (homeless !== undefined) {
    const { pod, refusals, onNodes } = homeless;
    const why = (refusals[0]?.refusal ?? onNodes)?.message ?? 'no NodePool can launch a node for it';
    return refusal('NoPlaceForPods', `pod ${podKey(pod)} has no other place: ${why}`);
  }
  const starting = existing.find(({ stateNode, pods }) => !stateNode.initialized && pods.some(isMoved));
  if (starting === undefined) return undefined;
  const message = `its pods would move to ${starting.stateNode.name}, which is not initialized yet`;
  return refusal('NodeStarting', message);
}

/** The moves of the most candidates, in their order, whose pods have places together. */
function movesTogether(
  candidates: readonly Candidate[],
  world: World,
): { readonly moves: readonly Move[]; readonly count: number } {
  const { count, schedule } = largestTogether(candidates, world);
  return { moves: schedule === undefined ? [] : movesOf(candidates.slice(0, count), schedule), count };
}

/** The most candidates, in their order, whose pods have places together. *Cost:* the logarithm of their number in questions. */
function largestTogether(
  candidates: readonly Candidate[],
  world: World,
): { readonly count: number; readonly schedule?: Schedule } {
  let best: { readonly count: number; readonly schedule?: Schedule } = { count: 0 };
  let [low, high] = [1, candidates.length];
  let count = high;
  while (low <= high) {
    const some = candidates.slice(0, count);
    const schedule = placesOf(some, world);
    if (whyNoPlace(some, schedule) === undefined) {
      best = { count, schedule };
      low = count + 1;
    } else high = count - 1;
    count = Math.ceil((low + high) / 2);
  }
  return best;
}

function whyLater({ stateNode }: Candidate, count: number): Blocked {
  const message = `its pods have no place while ${counted(count, 'other drifted node')} ${count === 1 ? 'is' : 'are'} replaced`;
  return blockedNode(stateNode, refusal('NoPlaceForPods', message, { nodes: count }));
}

/** One move for the candidates that share new nodes, directly or through others. The moves have the order of their first candidates. */
function movesOf(candidates: readonly Candidate[], { newClaims }: Schedule): readonly Move[] {
  const groups = candidates.map((candidate): Move => ({ candidates: [candidate], replacements: [] }));
  for (const claim of newClaims) {
    const nodes = new Set(claim.pods.map(({ spec }) => spec.nodeName));
    const sharing = groups.filter((group) => group.candidates.some(({ stateNode }) => nodes.has(stateNode.name)));
    const [first] = sharing;
    if (first === undefined) continue;
    const merged: Move = {
      candidates: sharing.flatMap((group) => group.candidates),
      replacements: [...sharing.flatMap((group) => group.replacements), claim],
    };
    groups.splice(groups.indexOf(first), 1, merged);
    for (const group of sharing.slice(1)) groups.splice(groups.indexOf(group), 1);
  }
  return groups;
}
