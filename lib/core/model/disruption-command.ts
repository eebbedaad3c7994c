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

interface CommandOf<State extends string> {
  readonly id: string;
  readonly method: DisruptionMethod;
  readonly reason: DisruptionReason;
  readonly candidates: readonly DisruptionCandidate[];
  /** Empty if the pods of the candidates need no new node. */
  readonly replacements: readonly DisruptionReplacement[];
  readonly state: State;
  readonly decidedAtMs: number;
  /** E29: the time of validation. */
  readonly validateAtMs: number;
  /** The prices of the candidates, less those of the replacements. @default stored by a version that did not compute it */
  readonly savingUsdPerHour?: number;
  /** The number of pods that must move. @default stored by a version that did not count them */
  readonly evictions?: number;
  /** E26: the lowest score of the NodePools that have approved it. @default none had to */
  readonly score?: number;
}

/** Nothing has changed in the cluster yet. The command is validated first (E29). */
export type ProposedCommand = CommandOf<'proposed'>;

/** The candidates are tainted and the replacements are launched. The candidates are deleted when all replacements are initialized (E34). */
export interface ReplacingCommand extends CommandOf<'replacing'> {
  readonly replacingSinceMs: number;
  /** The names of the NodeClaims that were created for `replacements`. */
  readonly replacementClaims: readonly string[];
}

/** A disruption in progress. It is stored, so that nothing is lost if a function ends early (E36). */
export type DisruptionCommand = ProposedCommand | ReplacingCommand;

export function isReplacing(command: DisruptionCommand): command is ReplacingCommand {
  return command.state === 'replacing';
}

/** A command as it is stored: Kerf before 2026-11-23 stored neither replacements nor a state. */
export type StoredCommand =
  | (Omit<ProposedCommand, 'replacements' | 'state'> & Partial<Pick<ProposedCommand, 'replacements' | 'state'>>)
  | ReplacingCommand;

/** Adds the fields that older versions did not store: their commands had no replacements and waited for validation. */
export function commandFromStored(stored: StoredCommand): DisruptionCommand {
  if (stored.state === 'replacing') return stored;
  return { ...stored, replacements: stored.replacements ?? [], state: stored.state ?? 'proposed' };
}
