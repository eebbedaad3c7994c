import type { AccessEntry, AuthenticationMode, FoundAccessEntry } from '../core/install/access-entries.ts';
import { RefusedError } from './errors.ts';

/** EKS does not know the principal: it does not exist, or IAM has not passed on yet that it does. */
export class UnknownPrincipalError extends RefusedError {}

/**
 * The access entries of EKS clusters.
 * *Contract:* creating an entry that exists is success, as is removing one that does not exist. `remove` deletes only entries
 * that `create` created.
 * *Errors:* UnreachableError, RefusedError, also if the cluster does not exist. UnknownPrincipalError from `create`.
 */
export interface AccessEntries {
  /** The names of all clusters of the account in the region. */
  clusters(): Promise<readonly string[]>;
  authenticationMode(cluster: string): Promise<AuthenticationMode>;
  find(cluster: string, principal: string): Promise<FoundAccessEntry | undefined>;
  create(cluster: string, entry: AccessEntry): Promise<void>;
  setGroups(cluster: string, principal: string, groups: readonly string[]): Promise<void>;
  /** Associates an access policy of EKS with the entry, for the whole cluster. An existing association is success. */
  givePolicy(cluster: string, principal: string, policy: string): Promise<void>;
  /** Ends the association. One that does not exist is success, as is a cluster or an entry that does not exist. */
  takePolicy(cluster: string, principal: string, policy: string): Promise<void>;
  /** A cluster that does not exist is success. */
  remove(cluster: string, principal: string): Promise<void>;
}
