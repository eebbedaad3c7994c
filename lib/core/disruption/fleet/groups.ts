import type { StateNode } from '../../cluster/state-node.ts';
import { compareText } from '../../compare-text.ts';
import type { Candidate } from '../candidates.ts';
import { rescheduleCost } from '../cost.ts';
import type { World } from '../method.ts';

/** USD per hour that the eviction of a usual pod must save, so that pods do not move for less: $0.73 a month. */
const EVICTION_USD_PER_HOUR = 0.001;

/** The most nodes of a command. A smaller command is rejected or rolled back less often; its last new node is emptier. */
const MAX_NODES = 25;

/** Nodes of one NodePool that are replaced together, and other nodes to which only their pods may move. */
export interface Group {
  /** Those that save the most for each unit of worth of their pods first. */
  readonly candidates: readonly Candidate[];
  readonly others: readonly StateNode[];
}

/** What the evictions of the node must save. *Units:* USD per hour. */
export function evictionPrice({ stateNode }: Candidate): number {
  return (rescheduleCost(stateNode) - 1) * EVICTION_USD_PER_HOUR;
}

/**
 * Deals the nodes into groups that share no node, so that their moves are valid together. Each group gets good and bad nodes, on-demand
 * and spot, so that each can save as much as the whole. Candidates beyond the budget of their NodePool are not moved.
 */
export function groupsOf(candidates: readonly Candidate[], world: World): readonly Group[] {
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
    ({ name, initialized, deleting }) => initialized && !deleting && !chosen.has(name),
  );
  const rest = deal(others, dealt.length);
  return dealt.map((group, at) => ({ candidates: group, others: rest[at] ?? [] }));
}

/** The price of the node, divided by what its pods cost elsewhere. */
function scoreOf(candidate: Candidate, { bounds }: World): number {
  return candidate.priceUsdPerHour / (bounds.worthOf(candidate.stateNode.name) + evictionPrice(candidate));
}

function deal<Card>(cards: readonly Card[], hands: number): readonly (readonly Card[])[] {
  return Array.from({ length: hands }, (_, hand) => cards.filter((_card, at) => at % hands === hand));
}
