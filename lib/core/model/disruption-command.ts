import type { DisruptionReason } from '../../apis/node-pool.ts';

export interface DisruptionCandidate {
  readonly nodeClaim: string;
  readonly nodePool: string;
  readonly node: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly priceUsdPerHour: number;
}

/** A disruption in progress. It is stored, so that nothing is lost if a function ends early (E36). */
export interface DisruptionCommand {
  readonly id: string;
  readonly method: 'emptiness';
  readonly reason: DisruptionReason;
  readonly candidates: readonly DisruptionCandidate[];
  /** The names of the NodeClaims that replace the candidates; empty if their pods need no new node. */
  readonly replacements: readonly string[];
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
