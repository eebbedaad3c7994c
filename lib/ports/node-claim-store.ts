import type { Decision } from '../core/model/decision.ts';
import type { DisruptionCommand, StoredCommand } from '../core/model/disruption-command.ts';
import type { NodeClaimRecord } from '../core/model/node-claim-record.ts';
import type { Lease } from './leases.ts';

/** A node promised to pods that the kube-scheduler has not bound yet: not disruptable until then (B5). */
export interface Nomination {
  readonly node: string;
  readonly untilMs: number;
}

/**
 * The state that outlives a function: NodeClaims, decisions, disruption commands, the cluster's epoch.
 *
 * *Contract* (`test/contract/node-claim-store.ts`, run on every implementation):
 * - Every read is strongly consistent: it sees every write that was answered before it.
 * - `recordDecision` is one transaction: either the decision stands and the epoch has moved by one, or nothing happened.
 * - `createNodeClaim` never overwrites: a name that exists, released ones included, stays as it is.
 * - `updateNodeClaim` writes only over the version that the caller read.
 *
 * *Errors:* EpochMovedError, StaleLeaseError, StaleRecordError, UnreachableError, RefusedError.
 */
export interface NodeClaimStore {
  /** How many decisions were recorded for the cluster; 0 for one never seen. */
  readEpoch(cluster: string): Promise<number>;
  /**
   * Records a decision as open. The same id again is success. *Errors:* EpochMovedError unless the epoch is the one read,
   * StaleLeaseError where the lease, if one is given, was taken over.
   */
  recordDecision(decision: Decision, epoch: number, lease?: Lease): Promise<void>;
  /** Decisions that were recorded and not yet carried out to the end, oldest first. */
  openDecisions(cluster: string): Promise<readonly Decision[]>;
  closeDecision(decision: Decision): Promise<void>;
  /**
   * Keeps a decision for history alone: it is never open, and no epoch moves. `known`: one of that id and essence is there. A
   * decision of the same id and another essence takes its place.
   */
  recordShadow(decision: Decision, essence: string): Promise<'new' | 'known'>;

  createNodeClaim(record: NodeClaimRecord): Promise<void>;
  /** Released claims included. */
  readNodeClaim(cluster: string, name: string): Promise<NodeClaimRecord | undefined>;
  /** Released claims left out; by name. */
  listNodeClaims(cluster: string): Promise<readonly NodeClaimRecord[]>;
  /** The claim that launched the instance, found from the instance id alone. */
  findNodeClaim(instanceId: string): Promise<NodeClaimRecord | undefined>;
  /** *Shape:* what was written, its version one higher. *Errors:* StaleRecordError. */
  updateNodeClaim(record: NodeClaimRecord): Promise<NodeClaimRecord>;

  /** Creates or leaves as it is. */
  startCommand(cluster: string, command: StoredCommand): Promise<void>;
  listCommands(cluster: string): Promise<readonly DisruptionCommand[]>;
  /** Ending a command that is not there is success. */
  endCommand(cluster: string, id: string): Promise<void>;

  /** A promise is only ever prolonged: the later end of two stands. */
  nominate(cluster: string, nomination: Nomination): Promise<void>;
  /** Those that have not lapsed at `nowMs`. */
  listNominations(cluster: string, nowMs: number): Promise<readonly Nomination[]>;

  /** Until then nothing is to be done in the cluster: for functions that cannot look at it. The later of two ends stands. */
  standDown(cluster: string, untilMs: number): Promise<void>;
  /** Whether somebody said so, and it has not lapsed at `nowMs`. */
  isOnStandby(cluster: string, nowMs: number): Promise<boolean>;
}
