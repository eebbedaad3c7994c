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
  /** The names of the NodeClaims that take the candidates' place; empty where their pods need no new node. */
  readonly replacements: readonly string[];
  /** `proposed`: nothing has been touched; it is validated before anything is (E29). */
  readonly state: 'proposed';
  readonly decidedAtMs: number;
  /** E29: when it is validated. */
  readonly validateAtMs: number;
}

/** A command as it is stored: Kerf before 2026-11-23 stored neither replacements nor a state. */
export type StoredCommand = Omit<DisruptionCommand, 'replacements' | 'state'> &
  Partial<Pick<DisruptionCommand, 'replacements' | 'state'>>;

/** The stored command with what older versions left out: theirs had no replacements and waited for validation. */
export function commandFromStored(stored: StoredCommand): DisruptionCommand {
  return { ...stored, replacements: stored.replacements ?? [], state: stored.state ?? 'proposed' };
}
