import type { ClusterOptions } from './cluster-options.ts';
import { OptionError } from './option-values.ts';

const LONGEST_NAME = 64;

/** The name of the role that the stack creates for the nodes of a cluster. *Errors:* OptionError if IAM does not allow it. */
export function createdNodeRole(cluster: string): string {
  const name = `KerfNodeRole-${cluster}`;
  if (name.length <= LONGEST_NAME) return name;
  throw new OptionError(
    `makeNodeRole of cluster ${cluster}: the role name ${name} has ${name.length} characters, but IAM allows ${LONGEST_NAME}; ` +
      'create a role and set nodeRole to its name',
  );
}

/** The names of the node roles of a cluster. The default is the role of Karpenter's setup guide. */
export function nodeRolesOf({ name, nodeRole, makeNodeRole, windowsNodeRole }: ClusterOptions): {
  readonly linux: readonly string[];
  readonly windows: readonly string[];
} {
  const created = makeNodeRole === true ? [createdNodeRole(name)] : [];
  const given = nodeRole ?? (makeNodeRole === true ? undefined : `KarpenterNodeRole-${name}`);
  return {
    linux: [...(given === undefined ? [] : [given]), ...created],
    windows: windowsNodeRole === undefined ? [] : [windowsNodeRole],
  };
}
