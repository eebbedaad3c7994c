/** What EKS lets an IAM role into a cluster as. */
export type AccessEntryType = 'STANDARD' | 'EC2_LINUX' | 'EC2_WINDOWS';

export interface AccessEntry {
  /** The ARN of the role. */
  readonly principal: string;
  readonly type: AccessEntryType;
  /** Groups of Kubernetes's RBAC; only STANDARD has any. */
  readonly groups: readonly string[];
  /** The ARN of an access policy of EKS, for all of the cluster: only STANDARD has any. @default none */
  readonly policy?: string;
}

/** As EKS has it; a type of EC2 beyond ours stays as EKS spells it. */
export type FoundAccessEntry = Omit<AccessEntry, 'type' | 'policy'> & { readonly type: string };

/** Who must get into one cluster. */
export interface WantedAccess {
  readonly cluster: string;
  readonly entries: readonly AccessEntry[];
}

export type AccessStep =
  | { readonly kind: 'keep' }
  | { readonly kind: 'create' }
  | { readonly kind: 'set-groups'; readonly groups: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string };

/** What makes the entry of a role what it must be. An entry that lets it in otherwise is somebody's, and stays. */
export function accessStep(cluster: string, wanted: AccessEntry, found: FoundAccessEntry | undefined): AccessStep {
  if (found === undefined) return { kind: 'create' };
  if (found.type !== wanted.type) {
    return {
      kind: 'refused',
      message:
        `${wanted.principal} has an access entry of type ${found.type} in cluster ${cluster}, and needs ${wanted.type}: ` +
        `aws eks delete-access-entry --cluster-name ${cluster} --principal-arn ${wanted.principal}, then deploy again`,
    };
  }
  const groups = [...new Set([...found.groups, ...wanted.groups])].toSorted();
  return groups.length === found.groups.length ? { kind: 'keep' } : { kind: 'set-groups', groups };
}

/** EKS asks its own list of entries, the aws-auth ConfigMap of the cluster, or both. */
export type AuthenticationMode = 'API' | 'API_AND_CONFIG_MAP' | 'CONFIG_MAP';

/** Why no entry can be made; undefined where one can. */
export function whyNoEntries(cluster: string, mode: AuthenticationMode): string | undefined {
  if (mode !== 'CONFIG_MAP') return undefined;
  return (
    `cluster ${cluster} lets in only whom its aws-auth ConfigMap names (authenticationMode CONFIG_MAP). Let it ask EKS as well, ` +
    `which takes nothing away from anybody: aws eks update-cluster-config --name ${cluster} --access-config ` +
    'authenticationMode=API_AND_CONFIG_MAP, then deploy again; or set accessEntries to false and name the roles there yourself'
  );
}
