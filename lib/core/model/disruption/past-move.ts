import { compareText } from '../../compare-text.ts';

/** What a command of consolidation moved. It is kept for a limited time, for the annotations of NodePools that limit moves. */
export interface PastMove {
  /** The id of the command. */
  readonly command: string;
  readonly atMs: number;
  /** No NodePool needs it from this time on. */
  readonly untilMs: number;
  /** The names of the NodeClaims that were launched. */
  readonly launched: readonly string[];
  /** The number of pods that were evicted, by workload: `Deployment default/web`. */
  readonly evicted: Readonly<Record<string, number>>;
}

/** The moves that have not ended, oldest first, ties by command. */
export function movesInForce(moves: readonly PastMove[], nowMs: number): readonly PastMove[] {
  return moves
    .filter(({ untilMs }) => untilMs > nowMs)
    .toSorted((a, b) => a.atMs - b.atMs || compareText(a.command, b.command));
}
