/** The type of an EKS access entry, which gives an IAM role access to a cluster. */
export type AccessEntryType = 'STANDARD' | 'EC2_LINUX' | 'EC2_WINDOWS';

export interface AccessEntry {
  /** The ARN of the role. */
  readonly principal: string;
  readonly type: AccessEntryType;
  /** Kubernetes RBAC groups; only for the type STANDARD. */
  readonly groups: readonly string[];
}

/** An access entry as EKS returns it. The type may be one that Kerf does not use. */
export type FoundAccessEntry = Omit<AccessEntry, 'type'> & { readonly type: string };

/** The access entries that a cluster needs. */
export interface WantedAccess {
  readonly cluster: string;
  readonly entries: readonly AccessEntry[];
  /** Whose rights of an administrator last as long as the installer works. @default the user has given the installer its rights */
  readonly administrator?: Administrator;
}

export interface Administrator {
  /** The ARN of the installer's role, which has one of the entries. */
  readonly principal: string;
  /** The ARN of an EKS access policy for the whole cluster. */
  readonly policy: string;
}

export type AccessStep =
  | { readonly kind: 'keep' }
  | { readonly kind: 'create' }
  | { readonly kind: 'set-groups'; readonly groups: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string };

/** Decides how to change the entry of a role. An existing entry of another type belongs to another owner and is not changed. */
export function accessStep(cluster: string, wanted: AccessEntry, found: FoundAccessEntry | undefined): AccessStep {
  if (found === undefined) return { kind: 'create' };
  if (found.type !== wanted.type) {
    return {
      kind: 'refused',
      message:
        `${wanted.principal} has an access entry of type ${found.type} in cluster ${cluster}, but needs type ${wanted.type}; run ` +
        `aws eks delete-access-entry --cluster-name ${cluster} --principal-arn ${wanted.principal}, then deploy again`,
    };
  }
  const groups = [...new Set([...found.groups, ...wanted.groups])].toSorted();
  return groups.length === found.groups.length ? { kind: 'keep' } : { kind: 'set-groups', groups };
}

/** Whether EKS authenticates by access entries, by the aws-auth ConfigMap of the cluster, or by both. */
export type AuthenticationMode = 'API' | 'API_AND_CONFIG_MAP' | 'CONFIG_MAP';

/** Returns why access entries cannot be created; undefined where they can. */
export function whyEntriesUnsupported(cluster: string, mode: AuthenticationMode): string | undefined {
  if (mode !== 'CONFIG_MAP') return undefined;
  return (
    `cluster ${cluster} authenticates only by its aws-auth ConfigMap (authenticationMode CONFIG_MAP). Enable access entries, ` +
    `which changes no existing access: aws eks update-cluster-config --name ${cluster} --access-config ` +
    'authenticationMode=API_AND_CONFIG_MAP, then deploy again; or set accessEntries to false and add the roles to aws-auth'
  );
}
