import type { Refusal } from '../../model/refusal.ts';
import type { EvaluatedMove, World } from '../method.ts';
import { whyMoveRestrained } from '../restraint/why-restrained.ts';
import { type PoolTotals, whyUnbalanced } from './balanced.ts';

/** Why the NodePools of the candidates reject a move that lowers the price: by their annotations, or by their policies (E26). */
export function whyUnapproved(
  move: EvaluatedMove,
  totals: ReadonlyMap<string, PoolTotals>,
  remembered: Pick<World, 'history' | 'nowMs'>,
): Refusal | undefined {
  return whyMoveRestrained(move, remembered) ?? whyUnbalanced(move, totals);
}
