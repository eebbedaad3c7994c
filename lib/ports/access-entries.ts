import type { AccessEntry, AuthenticationMode, FoundAccessEntry } from '../core/install/access-entries.ts';

/**
 * Whom EKS lets into its clusters.
 * *Contract:* creating an entry that exists and removing one that does not is success; `remove` takes away only what
 * `create` made.
 * *Errors:* UnreachableError, RefusedError; for a cluster that does not exist too.
 */
export interface AccessEntries {
  authenticationMode(cluster: string): Promise<AuthenticationMode>;
  find(cluster: string, principal: string): Promise<FoundAccessEntry | undefined>;
  create(cluster: string, entry: AccessEntry): Promise<void>;
  setGroups(cluster: string, principal: string, groups: readonly string[]): Promise<void>;
  /** Gives the entry an access policy of EKS, for all of the cluster; one that it has already is success. */
  givePolicy(cluster: string, principal: string, policy: string): Promise<void>;
  /** In a cluster that is gone, everything is removed. */
  remove(cluster: string, principal: string): Promise<void>;
}
