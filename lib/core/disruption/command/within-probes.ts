import { counted } from '../../../apis/counted.ts';
import { formatTime } from '../../../apis/formats/time.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Blocked } from '../../model/decision.ts';
import type { FailingPool } from '../../model/disruption/pass-memory.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { blockedNode } from '../budget-ledger.ts';
import type { Move } from '../method.ts';

/** The replacements of NodePools whose last replacements failed. Each NodePool tries one command at a time. */
export interface ProbeLedger {
  /** Why the move would wait. *Shape:* undefined if it would not. */
  whyWaiting(move: Pick<Move, 'replacements'>): Refusal | undefined;
  take(move: Pick<Move, 'replacements'>): void;
}

/** Begins with the commands of the snapshot, which is that of a pass: its memory is without the NodePools that fail no more. */
export function probeLedger({ passMemory, commands }: ClusterSnapshot, nowMs: number): ProbeLedger {
  const failing = new Map((passMemory?.failing ?? []).map((one) => [one.nodePool, one]));
  const busy = new Set(commands.flatMap(({ replacements }) => replacements.map(({ nodePool }) => nodePool)));
  return {
    whyWaiting(move) {
      for (const name of poolsOf(move)) {
        const pool = failing.get(name);
        if (pool !== undefined && (nowMs < pool.untilMs || busy.has(name))) return whyFailing(pool, nowMs);
      }
      return undefined;
    },
    take(move) {
      for (const name of poolsOf(move)) busy.add(name);
    },
  };
}

/**
 * E25: while the replacements of a NodePool fail, one command with its replacements is tried after each pause: more would launch more
 * nodes that fail. *Shape:* the moves that need not wait, in their order, and one refusal for each candidate of the others. Of the moves
 * that could be tried, it is the first with the fewest replacements.
 */
export function withinProbes(
  moves: readonly Move[],
  { snapshot, nowMs }: { readonly snapshot: ClusterSnapshot; readonly nowMs: number },
): { readonly moves: readonly Move[]; readonly over: readonly Blocked[] } {
  if ((snapshot.passMemory?.failing ?? []).length === 0) return { moves, over: [] };
  const ledger = probeLedger(snapshot, nowMs);
  const waiting = new Map<Move, Refusal>();
  for (const move of moves.toSorted((a, b) => a.replacements.length - b.replacements.length)) {
    const why = ledger.whyWaiting(move);
    if (why === undefined) ledger.take(move);
    else waiting.set(move, why);
  }
  const over = [...waiting].flatMap(([{ candidates }, why]) =>
    candidates.map(({ stateNode }) => blockedNode(stateNode, why)),
  );
  return { moves: moves.filter((move) => !waiting.has(move)), over };
}

function poolsOf({ replacements }: Pick<Move, 'replacements'>): ReadonlySet<string> {
  return new Set(replacements.map(({ template }) => template.nodePool.metadata.name));
}

function whyFailing({ nodePool, failed, untilMs }: FailingPool, nowMs: number): Refusal {
  const next =
    nowMs < untilMs
      ? `the next node is tried from ${formatTime(untilMs)}, or when the NodePool, its EC2NodeClass or the image changes`
      : 'one node is tried first';
  return refusal(
    'ReplacementsFailed',
    `the last ${counted(failed, 'command')} that launched nodes of NodePool ${nodePool} as replacements failed, because the nodes were not initialized: ${next}`,
    { failed, ...(nowMs < untilMs && { waitMs: untilMs - nowMs }) },
  );
}
