import type { Refusal } from '../../model/refusal.ts';
import type { EvaluatedMove, World } from '../method.ts';
import { whyWaits } from '../restraint/low-score.ts';
import { whyMoveRestrained } from '../restraint/why-restrained.ts';
import { type PoolTotals, whyUnbalanced } from './balanced.ts';

/** Why the NodePools of the candidates reject a move that lowers the price: by their annotations, or by their policies (E26), or why it waits (E28). */
export function whyUnapproved(
  move: EvaluatedMove,
  totals: ReadonlyMap<string, PoolTotals>,
  world: Pick<World, 'history' | 'nowMs' | 'waits'>,
): Refusal | undefined {
  return whyMoveRestrained(move, world) ?? whyUnbalanced(move, totals) ?? whyWaits(move, totals, world);
}
