import type { StateNode } from '../../cluster/state-node.ts';
import { compareText } from '../../compare-text.ts';
import type { Candidate } from '../candidates.ts';
import { poolTotals } from '../consolidation/balanced.ts';
import { rescheduleCost } from '../cost.ts';
import type { World } from '../method.ts';

/** The least score of the removal of each node (E26), so that pods do not move for a tiny saving. A whole move requires more. */
const MIN_SCORE = 0.05;

/** The most nodes of a command. A smaller command is rejected or rolled back less often; its last new node is emptier. */
const MAX_NODES = 25;

/** Nodes of one NodePool that are replaced together, and other nodes to which only their pods may move. */
export interface Group {
  /** Those that save the most for each unit of worth of their pods first. */
  readonly candidates: readonly Candidate[];
  readonly others: readonly StateNode[];
}

/**
 * What the disruption of the node must save: a twentieth of what the average node of its NodePool with as many pods costs.
 * *Units:* USD per hour.
 */
export function evictionPrice({ stateNode, nodePool }: Candidate, world: World): number {
  const totals = poolTotals(world).get(nodePool.metadata.name);
  if (totals === undefined) return 0;
  return MIN_SCORE * totals.usdPerHour * (rescheduleCost(stateNode) / totals.rescheduleCost);
}

/**
 * Deals the nodes into groups that share no node, so that their moves are valid together. Each group gets good and bad nodes, on-demand
 * and spot, so that each can save as much as the whole. Candidates beyond the budget of their NodePool are not moved. No pods are moved
 * to closed nodes.
 */
export function groupsOf(
  candidates: readonly Candidate[],
  world: World,
  closed: ReadonlySet<string> = new Set(),
): readonly Group[] {
  const scored = candidates
    .map((candidate) => ({ candidate, score: scoreOf(candidate, world) }))
    .toSorted((a, b) => b.score - a.score || compareText(a.candidate.stateNode.name, b.candidate.stateNode.name))
    .map(({ candidate }) => candidate);
  const dealt = [...Map.groupBy(scored, ({ nodeClaim }) => nodeClaim.nodePool)].flatMap(([, mine]) => {
    const allowed = world.budgets.within(mine, 'Underutilized').length;
    return deal(mine.slice(0, allowed), Math.ceil(allowed / MAX_NODES));
  });
  const chosen = new Set(dealt.flatMap((group) => group.map(({ stateNode }) => stateNode.name)));
  const others = world.candidates.nodes.filter(
    ({ name, initialized, deleting }) => initialized && !deleting && !chosen.has(name) && !closed.has(name),
  );
  const rest = deal(others, dealt.length);
  return dealt.map((group, at) => ({ candidates: group, others: rest[at] ?? [] }));
}

/** The price of the node, divided by what its pods cost elsewhere. */
function scoreOf(candidate: Candidate, world: World): number {
  return candidate.priceUsdPerHour / (world.bounds.worthOf(candidate.stateNode.name) + evictionPrice(candidate, world));
}

function deal<Card>(cards: readonly Card[], hands: number): readonly (readonly Card[])[] {
  return Array.from({ length: hands }, (_, hand) => cards.filter((_card, at) => at % hands === hand));
}
