import type { Decision } from '../core/model/decision.ts';
import type { PassMemory, StoredPassMemory } from '../core/model/disruption/pass-memory.ts';
import type { PastMove } from '../core/model/disruption/past-move.ts';
import type { DisruptionCommand, ReplacingCommand, StoredCommand } from '../core/model/disruption-command.ts';
import type { NodeClaimRecord, UnreadableClaim } from '../core/model/node-claim-record.ts';
import type { UnusedLaunches } from '../core/model/provisioning/unused-launches.ts';
import type { Lease } from './leases.ts';

/** A node that is nominated for pods that the kube-scheduler has not bound yet. It cannot be disrupted until then (B5). */
export interface Nomination {
  readonly node: string;
  readonly untilMs: number;
}

export interface NodeClaimList {
  readonly records: readonly NodeClaimRecord[];
  /** These claims may have instances, and their share of the limits is unknown. */
  readonly unreadable: readonly UnreadableClaim[];
}

export interface ClaimReader {
  /** Released claims included. */
  readNodeClaim(cluster: string, name: string): Promise<NodeClaimRecord | undefined>;
  /** Released claims and claims that cannot be read left out; by name. */
  listNodeClaims(cluster: string): Promise<readonly NodeClaimRecord[]>;
  /** The same list, with the names of the claims that cannot be read. */
  readNodeClaims(cluster: string): Promise<NodeClaimList>;
  /**
   * Whether a claim of the cluster is being deleted. It may be true for some time longer, and false for a claim whose deletion an
   * earlier version has recorded. *Cost:* half a read unit while there is none, whatever the number of claims.
   */
  hasDeletedClaims(cluster: string): Promise<boolean>;
  /**
   * The claim that launched the instance, found by the instance id alone. *Shape:* `not-served` if the claim belongs to a cluster for
   * which `isServed` is false: the caller may have no right to read it, so it is not read.
   */
  findNodeClaim(
    instanceId: string,
    isServed: (cluster: string) => boolean,
  ): Promise<NodeClaimRecord | 'not-served' | undefined>;
}

export interface ClaimWriter {
  createNodeClaim(record: NodeClaimRecord): Promise<void>;
  /** *Shape:* the written record, its version one higher. *Errors:* StaleRecordError; InstanceTakenError if another claim has the instance. */
  updateNodeClaim(record: NodeClaimRecord): Promise<NodeClaimRecord>;
  /**
   * Writes records of claims without an instance in one transaction: all or none. *Shape:* the written records, in order.
   * *Expects:* 1 to 50 records of one cluster. *Errors:* StaleRecordError if one of them has changed.
   */
  updateNodeClaims(records: readonly NodeClaimRecord[]): Promise<readonly NodeClaimRecord[]>;
}

export interface DecisionStore {
  /** The number of decisions that were recorded for the cluster; 0 for a cluster without decisions. */
  readEpoch(cluster: string): Promise<number>;
  /**
   * Records a decision as open. Recording the same id again is success. *Errors:* EpochMovedError if the epoch is not the
   * current one, StaleLeaseError if another run has taken over the given lease.
   */
  recordDecision(decision: Decision, epoch: number, lease?: Lease): Promise<void>;
  /**
   * Decisions that were recorded and not yet carried out completely, oldest first. A decision that cannot be read is left out,
   * and closed an hour after it was recorded, unless this caller has no right to read it.
   */
  openDecisions(cluster: string): Promise<readonly Decision[]>;
  /** Whether there are decisions that are not closed, those that cannot be read included. *Cost:* none of them is read. */
  hasOpenDecisions(cluster: string): Promise<boolean>;
  /** *Shape:* `known` if another call has closed it. */
  closeDecision(decision: Decision): Promise<'closed' | 'known'>;
}

export interface ShadowDecisionStore {
  /**
   * Records a decision that is not carried out: it is never open, and the epoch does not change. *Shape:* `known` if a
   * decision with the same id and essence exists. A decision with the same id and another essence is replaced.
   */
  recordShadow(decision: Decision, essence: string): Promise<'new' | 'known'>;
}

export interface CommandStore {
  /** Creates the command. An existing command does not change. */
  startCommand(cluster: string, command: StoredCommand): Promise<void>;
  /** Replaces the command. A command that has ended stays ended. */
  continueCommand(cluster: string, command: ReplacingCommand): Promise<void>;
  listCommands(cluster: string): Promise<readonly DisruptionCommand[]>;
  /** Ending a command that does not exist is success. */
  endCommand(cluster: string, id: string): Promise<void>;
  /** Keeps the move until its end. Recording the same move again is success. */
  recordMove(cluster: string, move: PastMove): Promise<void>;
  /** Moves that have not ended at `nowMs`, oldest first, ties by command. */
  listMoves(cluster: string, nowMs: number): Promise<readonly PastMove[]>;
}

export interface PassMemoryStore {
  /** *Shape:* nothing for a cluster without a memory, or if it cannot be read. */
  readPassMemory(cluster: string): Promise<PassMemory>;
  /** Replaces the memory. */
  writePassMemory(cluster: string, memory: StoredPassMemory): Promise<void>;
}

export interface UnusedLaunchesStore {
  /** *Shape:* none for a cluster without them, or if they cannot be read. The caller leaves out those that count no more. */
  readUnusedLaunches(cluster: string): Promise<readonly UnusedLaunches[]>;
  /** Replaces all of them. *Cost:* one write of at most 20 kB. */
  writeUnusedLaunches(cluster: string, launches: readonly UnusedLaunches[]): Promise<void>;
}

export interface NominationStore {
  /** If the node is nominated already, the later end of the two is kept. */
  nominate(cluster: string, nomination: Nomination): Promise<void>;
  /** Nominations that have not ended at `nowMs`. */
  listNominations(cluster: string, nowMs: number): Promise<readonly Nomination[]>;
}

export interface StandbyStore {
  /** Puts Kerf on standby in the cluster, for functions that cannot read the cluster. The later end of two is kept. */
  setStandby(cluster: string, untilMs: number): Promise<void>;
  /** Whether Kerf is on standby in the cluster at `nowMs`. */
  isOnStandby(cluster: string, nowMs: number): Promise<boolean>;
}

/**
 * The state that outlives a function: NodeClaims, decisions, disruption commands, the epoch of the cluster.
 *
 * *Contract* (`test/contract/node-claim-store.ts`, run on every implementation):
 * - Every read is strongly consistent: it returns every write that was answered before it.
 * - `recordDecision` is one transaction: the decision is recorded and the epoch increases by one, or nothing changes.
 * - `createNodeClaim` never overwrites: an existing record with that name does not change, released records included.
 * - `updateNodeClaim` writes only over the version that the caller read. It never gives a claim the instance of another claim.
 * - `updateNodeClaims` writes all records or none.
 * - A list leaves out an item that cannot be read, and the store reports it by its name.
 *
 * *Errors:* EpochMovedError, StaleLeaseError, StaleRecordError, InstanceTakenError, UnreachableError, RefusedError.
 */
export interface NodeClaimStore
  extends ClaimReader,
    ClaimWriter,
    DecisionStore,
    ShadowDecisionStore,
    CommandStore,
    PassMemoryStore,
    UnusedLaunchesStore,
    NominationStore,
    StandbyStore {}
