import { onceFor } from '../../kept-answers.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import type { Candidate } from '../candidates.ts';
import { priceOf, rescheduleCost } from '../cost.ts';
import type { EvaluatedMove, World } from '../method.ts';
import { nodePrice } from '../node-price.ts';

/** What the Balanced policy compares a move with: the sums over all nodes of a NodePool. */
export interface PoolTotals {
  readonly usdPerHour: number;
  /** E15. */
  readonly rescheduleCost: number;
}

/** Savings and disruption of a move, as shares of those of its NodePool. */
export interface BalancedScore {
  readonly savings: number;
  readonly disruption: number;
  /** The share of savings for each unit of the share of disruption. */
  readonly score: number;
}

type Scored = Pick<EvaluatedMove, 'candidates' | 'savingsUsdPerHour'>;

/** E26: a move is approved from this score on: its share of the savings is at least half its share of the disruption. */
export const MIN_SCORE = 0.5;

/** The totals of each NodePool, by name. Nodes without a known price do not count. *Cost:* O(nodes + pods), once for each world. *Source:* E26. */
export const poolTotals = onceFor(({ candidates: { nodes }, nodePools }: World): ReadonlyMap<string, PoolTotals> => {
  const totals = new Map<string, PoolTotals>();
  for (const stateNode of nodes) {
    const { nodeClaim, node } = stateNode;
    const price = nodeClaim === undefined || node === undefined ? 0 : nodePrice(stateNode, nodePools);
    if (nodeClaim === undefined || price === 0) continue;
    const before = totals.get(nodeClaim.nodePool) ?? { usdPerHour: 0, rescheduleCost: 0 };
    totals.set(nodeClaim.nodePool, {
      usdPerHour: before.usdPerHour + price,
      rescheduleCost: before.rescheduleCost + rescheduleCost(stateNode),
    });
  }
  return totals;
});

/** *Shape:* the score is 0 if nothing is saved. @internal */
export function balancedScore(
  savingsUsdPerHour: number,
  candidates: readonly Candidate[],
  totals: PoolTotals,
): BalancedScore {
  const cost = candidates.reduce((sum, { stateNode }) => sum + rescheduleCost(stateNode), 0);
  const savings = totals.usdPerHour > 0 ? savingsUsdPerHour / totals.usdPerHour : 0;
  const disruption = totals.rescheduleCost > 0 ? cost / totals.rescheduleCost : 0;
  const score = disruption > 0 ? savings / disruption : Number.POSITIVE_INFINITY;
  return { savings, disruption, score: savings > 0 ? score : 0 };
}

/**
 * Returns why the Balanced policy of a NodePool rejects a move. If the candidates belong to several NodePools, the savings are
 * divided by the prices of the candidates, and each NodePool with this policy must approve. *Source:* E26. @param isScored which
 * NodePools must approve
 */
export function whyUnbalanced(
  { candidates, savingsUsdPerHour }: Scored,
  totals: ReadonlyMap<string, PoolTotals>,
  isScored: (candidate: Candidate) => boolean = isBalanced,
): Refusal | undefined {
  for (const [pool, scored] of scoresOf({ candidates, savingsUsdPerHour }, totals, isScored))
    if (scored.score < MIN_SCORE) return whyRejected(pool, scored);
  return undefined;
}

/** The move with the lowest score of the NodePools that must approve it. *Shape:* without a score if none must. *Source:* E26. */
export function withScore(
  move: EvaluatedMove,
  totals: ReadonlyMap<string, PoolTotals>,
  isScored: (candidate: Candidate) => boolean = isBalanced,
): EvaluatedMove {
  const scores = scoresOf(move, totals, isScored).map(([, { score }]) => score);
  return scores.length === 0 ? move : { ...move, score: Math.min(...scores) };
}

function scoresOf(
  { candidates, savingsUsdPerHour }: Scored,
  totals: ReadonlyMap<string, PoolTotals>,
  isScored: (candidate: Candidate) => boolean,
): readonly (readonly [pool: string, score: BalancedScore])[] {
  const sourceUsdPerHour = priceOf(candidates);
  const byPool = Map.groupBy(candidates, ({ nodePool }) => nodePool.metadata.name);
  return [...byPool].flatMap(([pool, mine]) => {
    if (!mine.some(isScored)) return [];
    const share = sourceUsdPerHour > 0 ? priceOf(mine) / sourceUsdPerHour : 1;
    const of = totals.get(pool) ?? { usdPerHour: 0, rescheduleCost: 0 };
    return [[pool, balancedScore(savingsUsdPerHour * share, mine, of)] as const];
  });
}

function isBalanced({ nodePool }: Candidate): boolean {
  return nodePool.spec.disruption.consolidationPolicy === 'Balanced';
}

/** Returns why no move of only this node can be approved: not even its deletion without a replacement would be. */
export function whyNeverBalanced(candidate: Candidate, totals: ReadonlyMap<string, PoolTotals>): Refusal | undefined {
  return whyUnbalanced({ candidates: [candidate], savingsUsdPerHour: candidate.priceUsdPerHour }, totals);
}

function whyRejected(pool: string, { savings, disruption, score }: BalancedScore): Refusal {
  return refusal(
    'BalancedScore',
    `the move would save ${percent(savings)} of the price of NodePool ${pool} for ${percent(disruption)} of its disruption cost: the score ${score.toFixed(2)} is below ${MIN_SCORE}`,
    { score, minScore: MIN_SCORE, savings, disruption },
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
