import type { DisruptionReason } from '../../apis/node-pool.ts';

export interface DisruptionCandidate {
  readonly nodeClaim: string;
  readonly nodePool: string;
  readonly node: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly priceUsdPerHour: number;
}

/** A NodeClaim that replaces candidates of a command. */
export interface DisruptionReplacement {
  readonly nodePool: string;
  /** The instance types that it may be launched as, cheapest first. */
  readonly instanceTypes: readonly string[];
  /** The price of the cheapest offering. */
  readonly priceUsdPerHour: number;
}

/** The methods of disruption, in the order in which they are tried (E2). */
export const DISRUPTION_METHODS = ['emptiness', 'static-drift', 'drift', 'fleet', 'multi-node', 'single-node'] as const;

export type DisruptionMethod = (typeof DISRUPTION_METHODS)[number];

/** A disruption in progress. It is stored, so that nothing is lost if a function ends early (E36). */
export interface DisruptionCommand {
  readonly id: string;
  readonly method: DisruptionMethod;
  readonly reason: DisruptionReason;
  readonly candidates: readonly DisruptionCandidate[];
  /** Empty if the pods of the candidates need no new node. */
  readonly replacements: readonly DisruptionReplacement[];
  /** `proposed`: nothing has changed in the cluster yet; the command is validated first (E29). */
  readonly state: 'proposed';
  readonly decidedAtMs: number;
  /** E29: the time of validation. */
  readonly validateAtMs: number;
}

/** A command as it is stored: Kerf before 2026-11-23 stored neither replacements nor a state. */
export type StoredCommand = Omit<DisruptionCommand, 'replacements' | 'state'> &
  Partial<Pick<DisruptionCommand, 'replacements' | 'state'>>;

/** Adds the fields that older versions did not store: their commands had no replacements and waited for validation. */
export function commandFromStored(stored: StoredCommand): DisruptionCommand {
  return { ...stored, replacements: stored.replacements ?? [], state: stored.state ?? 'proposed' };
}
