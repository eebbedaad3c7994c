import { counted } from '../../../apis/counted.ts';
import { formatDuration } from '../../../apis/formats/duration.ts';
import { formatTime } from '../../../apis/formats/time.ts';
import { COOL_DOWN, MAX_EVICTIONS_PER_HOUR, MINIMUM_SAVING } from '../../../apis/labels.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { usdPerHour } from '../../usd-per-hour.ts';
import type { Candidate } from '../candidates.ts';
import { priceOf } from '../cost.ts';
import type { EvaluatedMove, World } from '../method.ts';
import { evictedFrom, evictedFromAll, evictedLately, fewerFromMs } from './move-history.ts';
import { moveLimitsOf } from './move-limits.ts';

/** Sums and shares of prices are not exact. */
const ROUNDING_USD = 1e-9;

type Remembered = Pick<World, 'history' | 'nowMs'>;

/**
 * Why the annotations of the NodePool let consolidation not move the pods of a node now, whatever it would save. *Cost:* O(its
 * workloads) if the NodePool has such annotations.
 */
export function whyRestrained(candidate: Candidate, remembered: Remembered): Refusal | undefined {
  const { invalid } = moveLimitsOf(candidate.nodePool);
  return invalid ?? whyCooling(candidate, remembered) ?? whyTooManyEvictions([candidate], remembered);
}

/** Why the annotations of the NodePools reject a move: it saves too little, or evicts too many pods of a workload. */
export function whyMoveRestrained(
  move: Pick<EvaluatedMove, 'candidates' | 'savingsUsdPerHour'>,
  remembered: Remembered,
): Refusal | undefined {
  return whyTooSmall(move) ?? whyTooManyEvictions(move.candidates, remembered);
}

/** A node that consolidation launched, or a workload that it moved, rests for a time. */
function whyCooling(
  { nodePool, nodeClaim, stateNode }: Candidate,
  { history, nowMs }: Remembered,
): Refusal | undefined {
  const { coolDownMs } = moveLimitsOf(nodePool);
  if (coolDownMs === undefined || history === undefined) return undefined;
  const launchedAtMs = history.launchedAtMs.get(nodeClaim.name);
  const moves = [...evictedFrom(stateNode).keys()].flatMap((workload) => {
    const atMs = history.moved.get(workload)?.lastAtMs;
    return atMs === undefined ? [] : [{ atMs, what: `consolidation moved pods of ${workload}` }];
  });
  const launch = launchedAtMs === undefined ? [] : [{ atMs: launchedAtMs, what: 'consolidation launched the node' }];
  const [last] = [...launch, ...moves].toSorted((a, b) => b.atMs - a.atMs);
  if (last === undefined || last.atMs + coolDownMs <= nowMs) return undefined;
  const untilMs = last.atMs + coolDownMs;
  return refusal(
    'CoolDown',
    `${last.what} at ${formatTime(last.atMs)}, and ${COOL_DOWN} of NodePool ${nodePool.metadata.name} is ${formatDuration(coolDownMs)}: the node may be consolidated from ${formatTime(untilMs)}`,
    { waitSeconds: Math.ceil((untilMs - nowMs) / 1_000) },
  );
}

/** Each NodePool limits the evictions of the workloads that have pods on its nodes. */
function whyTooManyEvictions(candidates: readonly Candidate[], { history, nowMs }: Remembered): Refusal | undefined {
  const limited = candidates.filter(({ nodePool }) => moveLimitsOf(nodePool).maxEvictionsPerHour !== undefined);
  if (limited.length === 0) return undefined;
  const evicted = evictedFromAll(candidates.map(({ stateNode }) => stateNode));
  for (const { nodePool, stateNode } of limited) {
    const { maxEvictionsPerHour: max = Infinity } = moveLimitsOf(nodePool);
    for (const workload of evictedFrom(stateNode).keys()) {
      const pods = evicted.get(workload) ?? 0;
      const moved = history?.moved.get(workload);
      const before = moved === undefined ? 0 : evictedLately(moved);
      if (before + pods <= max) continue;
      const fromMs = moved && fewerFromMs(moved, max - pods);
      const where = candidates.length === 1 ? 'the node' : `the ${candidates.length} nodes`;
      return refusal(
        'MaxEvictions',
        `${where} ${candidates.length === 1 ? 'has' : 'have'} ${counted(pods, 'pod')} of ${workload}, consolidation has evicted ${before} of it in the last hour, and ${MAX_EVICTIONS_PER_HOUR} of NodePool ${nodePool.metadata.name} is ${max}${fromMs === undefined ? '' : `: evictions are possible from ${formatTime(fromMs)}`}`,
        {
          pods,
          evictedInLastHour: before,
          maxPerHour: max,
          ...(fromMs !== undefined && { waitSeconds: Math.ceil((fromMs - nowMs) / 1_000) }),
        },
      );
    }
  }
  return undefined;
}

/** A move with nodes of several NodePools must save as much as each of them requires. */
function whyTooSmall({
  candidates,
  savingsUsdPerHour,
}: Pick<EvaluatedMove, 'candidates' | 'savingsUsdPerHour'>): Refusal | undefined {
  const source = priceOf(candidates);
  for (const nodePool of new Set(candidates.map((one) => one.nodePool))) {
    const { minimumSaving: min } = moveLimitsOf(nodePool);
    if (min === undefined) continue;
    const least = min.kind === 'amount' ? min.usdPerHour : min.share * source;
    if (savingsUsdPerHour >= least - ROUNDING_USD) continue;
    const asked = min.kind === 'amount' ? '' : `, ${Number((min.share * 100).toFixed(3))} % of ${usdPerHour(source)}`;
    return refusal(
      'MinimumSaving',
      `the move would save ${usdPerHour(savingsUsdPerHour)}, and ${MINIMUM_SAVING} of NodePool ${nodePool.metadata.name} requires ${usdPerHour(least)}${asked}`,
      { savingUsdPerHour: savingsUsdPerHour, minUsdPerHour: least },
    );
  }
  return undefined;
}
