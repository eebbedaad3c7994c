/** The access entries of a deployment, computed from its configuration. */
import type { AccessEntry, WantedAccess } from '../../core/install/access-entries.ts';
import { groupOf } from '../../core/install/rbac.ts';
import type { ClusterOptions } from '../options/cluster-options.ts';
import type { DeploymentRoles } from '../options/installer-options.ts';
import { nodeRolesOf } from '../options/node-roles.ts';
import { CLUSTER_FUNCTIONS } from '../options/options.ts';

/** The access that a configured cluster needs: of the functions, of the nodes, and of the installer if it installs more. */
export function wantedAccess(cluster: ClusterOptions, roles: DeploymentRoles): WantedAccess {
  const { name, accessEntries, install } = cluster;
  if (accessEntries === false) return { cluster: name, entries: [] };
  const { linux, windows } = nodeRolesOf(cluster);
  const entries = [
    ...functionEntries(roles),
    ...linux.map((role) => nodeEntry(roles, role, 'EC2_LINUX')),
    ...windows.map((role) => nodeEntry(roles, role, 'EC2_WINDOWS')),
  ];
  if (install === false) return { cluster: name, entries };
  return { ...asAdministratorOf(name, roles), entries: [...entries, installerEntry(roles)] };
}

/** The access of the functions and the installer to any cluster, the installer's last, because it is removed last. */
export function ownAccess(cluster: string, roles: DeploymentRoles): WantedAccess {
  return { ...asAdministratorOf(cluster, roles), entries: [...functionEntries(roles), installerEntry(roles)] };
}

/** The access of a configured cluster that an earlier configuration wanted and this one does not. */
export function unwantedAccess(cluster: ClusterOptions, roles: DeploymentRoles): WantedAccess {
  const wanted = new Set(wantedAccess(cluster, roles).entries.map(({ principal }) => principal));
  const { entries } = ownAccess(cluster.name, roles);
  return { cluster: cluster.name, entries: entries.filter(({ principal }) => !wanted.has(principal)) };
}

function asAdministratorOf(cluster: string, { installer }: DeploymentRoles): Required<Omit<WantedAccess, 'entries'>> {
  const [, partition] = installer.split(':');
  const policy = `arn:${partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`;
  return { cluster, administrator: { principal: installer, policy } };
}

function functionEntries({ functions }: DeploymentRoles): readonly AccessEntry[] {
  return CLUSTER_FUNCTIONS.map((name) => ({ principal: functions[name], type: 'STANDARD', groups: [groupOf(name)] }));
}

/** Without groups: its rights come from the policy, for as long as it works. */
function installerEntry({ installer }: DeploymentRoles): AccessEntry {
  return { principal: installer, type: 'STANDARD', groups: [] };
}

function nodeEntry({ prefix }: DeploymentRoles, role: string, type: AccessEntry['type']): AccessEntry {
  return { principal: `${prefix}${role}`, type, groups: [] };
}
