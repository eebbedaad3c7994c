import type { DisruptionReason } from '../../apis/node-pool.ts';

export interface DisruptionCandidate {
  readonly nodeClaim: string;
  readonly nodePool: string;
  readonly node: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly priceUsdPerHour: number;
}

/** A disruption under way: durable, so that a function that dies forgets nothing (E36). */
export interface DisruptionCommand {
  readonly id: string;
  readonly method: 'emptiness';
  readonly reason: DisruptionReason;
  readonly candidates: readonly DisruptionCandidate[];
  readonly decidedAtMs: number;
  /** E29: it is looked at again before anything is touched. */
  readonly validateAtMs: number;
}
