import { onceFor } from '../../kept-answers.ts';
import { instanceOf } from '../../model/node-claim-record.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import type { Candidate } from '../candidates.ts';
import { evictionsCost, priceOf, rescheduleCost } from '../cost.ts';
import type { EvaluatedMove, World } from '../method.ts';
import { nodePrice } from '../node-price.ts';

/** What the Balanced policy compares a move with: the sums over all nodes of a NodePool. */
export interface PoolTotals {
  readonly usdPerHour: number;
  /** E15. */
  readonly rescheduleCost: number;
  /** Without the nodes. */
  readonly evictionsCost: number;
}

/** Which moves need a score, from which score on they are approved, and what disruption is. */
export interface Scoring {
  readonly minScore: number;
  readonly disruption: 'rescheduleCost' | 'evictionsCost';
  /** Whether the NodePool of the candidate must approve. */
  readonly isScored: (candidate: Candidate) => boolean;
}

/** E26: the share of the savings is at least half the share of the disruption, and a removed node counts as much as an eviction. */
const BALANCED: Scoring = {
  minScore: 0.5,
  disruption: 'rescheduleCost',
  isScored: ({ nodePool }) => nodePool.spec.disruption.consolidationPolicy === 'Balanced',
};

/**
 * What Kerf requires of its own moves in every NodePool. Only evictions count: if a removed node counted too, small nodes with one pod, which
 * are the most expensive ones for their pods, would be replaced least.
 */
export const BY_EVICTIONS: Scoring = { minScore: 0.5, disruption: 'evictionsCost', isScored: () => true };

const COST_OF = { rescheduleCost, evictionsCost };

/** Savings and disruption of a move, as shares of those of its NodePool. */
export interface BalancedScore {
  readonly savings: number;
  readonly disruption: number;
  /** The share of savings for each unit of the share of disruption. */
  readonly score: number;
}

type Scored = Pick<EvaluatedMove, 'candidates' | 'savingsUsdPerHour'>;

/** Those of a NodePool without nodes. */
const NO_TOTALS: PoolTotals = { usdPerHour: 0, rescheduleCost: 0, evictionsCost: 0 };

/** The totals of each NodePool, by name, with nodes that are being launched. Nodes without a known price do not count. *Cost:* O(nodes + pods), once for each world. *Source:* E26. */
export const poolTotals = onceFor(({ candidates: { nodes }, nodePools }: World): ReadonlyMap<string, PoolTotals> => {
  const totals = new Map<string, PoolTotals>();
  for (const stateNode of nodes) {
    const { nodeClaim } = stateNode;
    if (nodeClaim === undefined || instanceOf(nodeClaim) === undefined) continue;
    const price = nodePrice(stateNode, nodePools);
    if (price === 0) continue;
    const before = totals.get(nodeClaim.nodePool) ?? NO_TOTALS;
    totals.set(nodeClaim.nodePool, {
      usdPerHour: before.usdPerHour + price,
      rescheduleCost: before.rescheduleCost + rescheduleCost(stateNode),
      evictionsCost: before.evictionsCost + evictionsCost(stateNode),
    });
  }
  return totals;
});

/** *Shape:* the score is 0 if nothing is saved. @internal */
export function balancedScore(
  { candidates, savingsUsdPerHour }: Scored,
  totals: PoolTotals,
  { disruption: of }: Pick<Scoring, 'disruption'>,
): BalancedScore {
  const cost = candidates.reduce((sum, { stateNode }) => sum + COST_OF[of](stateNode), 0);
  const savings = totals.usdPerHour > 0 ? savingsUsdPerHour / totals.usdPerHour : 0;
  const disruption = totals[of] > 0 ? cost / totals[of] : 0;
  const score = disruption > 0 ? savings / disruption : Number.POSITIVE_INFINITY;
  return { savings, disruption, score: savings > 0 ? score : 0 };
}

/**
 * Returns why a NodePool rejects a move. If the candidates belong to several NodePools, the savings are divided by the prices of the
 * candidates, and each NodePool that is scored must approve. *Source:* E26.
 */
export function whyUnbalanced(
  { candidates, savingsUsdPerHour }: Scored,
  totals: ReadonlyMap<string, PoolTotals>,
  scoring: Scoring = BALANCED,
): Refusal | undefined {
  for (const [pool, scored] of scoresOf({ candidates, savingsUsdPerHour }, totals, scoring))
    if (scored.score < scoring.minScore) return whyRejected(pool, scored, scoring);
  return undefined;
}

/** The move with the lowest score of the NodePools that must approve it. *Shape:* without a score if none must, or nothing is evicted. *Source:* E26. */
export function withScore(
  move: EvaluatedMove,
  totals: ReadonlyMap<string, PoolTotals>,
  scoring: Scoring = BALANCED,
): EvaluatedMove {
  const scores = scoresOf(move, totals, scoring).map(([, { score }]) => score);
  const score = Math.min(...scores);
  return Number.isFinite(score) ? { ...move, score } : move;
}

function scoresOf(
  { candidates, savingsUsdPerHour }: Scored,
  totals: ReadonlyMap<string, PoolTotals>,
  scoring: Scoring,
): readonly (readonly [pool: string, score: BalancedScore])[] {
  const sourceUsdPerHour = priceOf(candidates);
  const byPool = Map.groupBy(candidates, ({ nodePool }) => nodePool.metadata.name);
  return [...byPool].flatMap(([pool, mine]) => {
    if (!mine.some(scoring.isScored)) return [];
    const share = sourceUsdPerHour > 0 ? priceOf(mine) / sourceUsdPerHour : 1;
    const of = totals.get(pool) ?? NO_TOTALS;
    return [
      [pool, balancedScore({ candidates: mine, savingsUsdPerHour: savingsUsdPerHour * share }, of, scoring)] as const,
    ];
  });
}

/** Returns why no move of only this node can be approved: not even its deletion without a replacement would be. */
export function whyNeverBalanced(candidate: Candidate, totals: ReadonlyMap<string, PoolTotals>): Refusal | undefined {
  return whyUnbalanced({ candidates: [candidate], savingsUsdPerHour: candidate.priceUsdPerHour }, totals);
}

function whyRejected(pool: string, { savings, disruption, score }: BalancedScore, { minScore }: Scoring): Refusal {
  return refusal(
    'BalancedScore',
    `the move would save ${percent(savings)} of the price of NodePool ${pool} for ${percent(disruption)} of its disruption cost: the score ${score.toFixed(2)} is below ${minScore}`,
    { score, minScore, savings, disruption },
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
