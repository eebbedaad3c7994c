import { formatDuration } from '../../../apis/formats/duration.ts';
import { HOUR_MS, MINUTE_MS } from '../../../apis/formats/time.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { quietSinceMs } from '../../node-claim/quiet-since.ts';
import { BY_EVICTIONS, type PoolTotals, withScore } from '../consolidation/balanced.ts';
import type { EvaluatedMove, World } from '../method.ts';

/** How long a move waits whose score is half of what is required. With a third, it waits twice as long, and so on. */
const WAIT_MS = 30 * MINUTE_MS;
const MAX_WAIT_MS = 6 * HOUR_MS;
/** Waits are multiples of this, so that the message does not change with each price and pod. */
const STEP_MS = 10 * MINUTE_MS;
const { minScore } = BY_EVICTIONS;

/**
 * E28: a move that saves little for its evictions waits until no pod has come or gone on its nodes for a time, which is longer if the
 * move saves less for its evictions. Many such moves are undone soon: pods leave, and the rest fits on other nodes or on a smaller one.
 * *Shape:* undefined if it does not wait.
 */
export function whyTooEarly(
  move: EvaluatedMove,
  totals: ReadonlyMap<string, PoolTotals>,
  nowMs: number,
): Refusal | undefined {
  const { score = minScore } = withScore(move, totals, BY_EVICTIONS);
  const waitMs = waitOf(score);
  const quietMs = nowMs - Math.max(...move.candidates.map(({ nodeClaim }) => quietSinceMs(nodeClaim)));
  if (quietMs >= waitMs) return undefined;
  const nodes = move.candidates.length === 1 ? 'the node' : `the ${move.candidates.length} nodes`;
  return refusal(
    'SavesLittle',
    `the move saves little for its evictions, so it waits until no pod has come or gone on ${nodes} for ${formatDuration(waitMs)}`,
    { score, minScore, waitSeconds: Math.ceil((waitMs - quietMs) / 1_000) },
  );
}

function waitOf(score: number): number {
  if (score >= minScore) return 0;
  const waitMs = WAIT_MS * (minScore / score - 1);
  return Math.min(MAX_WAIT_MS, Math.ceil(waitMs / STEP_MS) * STEP_MS);
}

/** As `whyTooEarly`, in a world whose moves wait. */
export function whyWaits(
  move: EvaluatedMove,
  totals: ReadonlyMap<string, PoolTotals>,
  { waits, nowMs }: Pick<World, 'waits' | 'nowMs'>,
): Refusal | undefined {
  return waits === true ? whyTooEarly(move, totals, nowMs) : undefined;
}
