import { counted, firstNames } from '../../apis/counted.ts';
import { activeAutoscalers } from '../../core/cluster/other-autoscalers.ts';
import { whyEntriesUnsupported } from '../../core/install/access-entries.ts';
import type { DescribedCluster, Selected } from '../../ports/doctor.ts';
import { type Finding, findingOf } from './finding.ts';

/** The checks of what EKS describes. */
export function checkDescribed(described: DescribedCluster): readonly Finding[] {
  return [
    checkState(described),
    checkVersion(described),
    checkAccess(described),
    checkEndpoint(described),
    checkAutoMode(described),
  ];
}

function checkState({ name, status }: DescribedCluster): Finding {
  const message = `EKS cluster ${name} is ${status}`;
  if (status === 'ACTIVE') return { check: 'cluster', status: 'pass', message };
  if (status === 'DELETING' || status === 'FAILED')
    return {
      check: 'cluster',
      status: 'fail',
      message,
      fix: `Read why with aws eks describe-cluster --name ${name} --query cluster.health, and deploy to another cluster`,
    };
  const fix = `Wait until it is ACTIVE: aws eks wait cluster-active --name ${name}`;
  // An update changes the control plane step by step; its API answers all the time.
  return { check: 'cluster', status: status === 'UPDATING' ? 'warn' : 'fail', message, fix };
}

/** ValidatingAdmissionPolicy, which limits what Kerf writes, is part of Kubernetes since this version. */
const OLDEST_MINOR = 30;

function checkVersion({ name, kubernetesVersion: version }: DescribedCluster): Finding {
  const minor = Number(/^1\.(\d+)/.exec(version)?.[1] ?? 0);
  if (minor >= OLDEST_MINOR)
    return {
      check: 'version',
      status: 'pass',
      message: `Kubernetes ${version}; Kerf needs 1.${OLDEST_MINOR} or newer`,
    };
  return {
    check: 'version',
    status: 'warn',
    message: `Kubernetes ${version} has no ValidatingAdmissionPolicy, so only RBAC limits what Kerf writes`,
    fix: `Upgrade to 1.${OLDEST_MINOR} or newer, one minor version at a time: aws eks update-cluster-version --name ${name} --kubernetes-version 1.${minor + 1}`,
  };
}

function checkAccess({ name, authenticationMode: mode }: DescribedCluster): Finding {
  const why = whyEntriesUnsupported(name, mode);
  if (why !== undefined) return findingOf('access', 'fail', why);
  return { check: 'access', status: 'pass', message: `authenticationMode ${mode} allows access entries` };
}

const ANYWHERE: readonly string[] = ['0.0.0.0/0', '::/0'];

function checkEndpoint({ name, endpoint }: DescribedCluster): Finding {
  const { isPublic, isPrivate, publicCidrs } = endpoint;
  const open = isPublic && (publicCidrs.length === 0 || publicCidrs.some((cidr) => ANYWHERE.includes(cidr)));
  if (open)
    return {
      check: 'endpoint',
      status: 'pass',
      message: `The endpoint is public${isPrivate ? ' and private' : ''}, so the functions need no VPC`,
    };
  const setting = 'Set network of the cluster to subnets and security groups that reach it (docs/settings.md)';
  if (isPrivate)
    return {
      check: 'endpoint',
      status: 'warn',
      message: isPublic
        ? `The public endpoint accepts only ${counted(publicCidrs.length, 'address range')}, and functions without a VPC have no fixed address`
        : 'The endpoint is private, so functions without a VPC do not reach it',
      fix: setting,
    };
  return {
    check: 'endpoint',
    status: 'fail',
    message: `The endpoint is not private, and accepts only ${counted(publicCidrs.length, 'address range')} (${firstNames(publicCidrs, 2)})`,
    fix: `Enable the private endpoint (aws eks update-cluster-config --name ${name} --resources-vpc-config endpointPrivateAccess=true). ${setting}`,
  };
}

const NOTHING = { namespaces: [], leases: [], deployments: [], writers: [], unread: [], autoModePools: [] };

function checkAutoMode({ name, autoMode }: DescribedCluster): Finding {
  const [active] = activeAutoscalers(name, { ...NOTHING, autoMode }, 0);
  if (active !== undefined) return findingOf('auto mode', 'warn', active.message);
  return { check: 'auto mode', status: 'pass', message: 'EKS Auto Mode is not enabled' };
}

/** Below this number of free addresses, one large node may take all: its network interfaces have up to 50 addresses each. */
const FEW_ADDRESSES = 50;

/** `nodeClass`: the name of the EC2NodeClass, or of the tag. */
export function checkSubnets(nodeClass: string, { subnets = [], problem }: Selected): readonly Finding[] {
  if (problem !== undefined) return [nothingSelected('subnets', problem)];
  const free = subnets.reduce((sum, { freeAddresses }) => sum + freeAddresses, 0);
  const zones = new Set(subnets.map(({ zone }) => zone)).size;
  const all = `${nodeClass}: ${counted(subnets.length, 'subnet')} in ${counted(zones, 'zone')} with ${counted(free, 'free address', 'free addresses')}`;
  const few = subnets.filter(({ freeAddresses }) => freeAddresses < FEW_ADDRESSES);
  if (few.length === 0) return [{ check: 'subnets', status: 'pass', message: all }];
  const names = few.map(({ id, freeAddresses }) => `${id} has ${freeAddresses}`);
  return [
    {
      check: 'subnets',
      status: free === 0 ? 'fail' : 'warn',
      message: `${all}; fewer than ${FEW_ADDRESSES} in ${few.length} of them: ${firstNames(names, 3)}`,
      fix: 'Add a CIDR block and larger subnets to the VPC, and tag them as subnetSelectorTerms selects',
    },
  ];
}

export function checkSecurityGroups(nodeClass: string, { securityGroups = [], problem }: Selected): readonly Finding[] {
  if (problem !== undefined) return [nothingSelected('security groups', problem)];
  const ids = securityGroups.map(({ id }) => id);
  const message = `${nodeClass}: ${counted(ids.length, 'security group')} (${firstNames(ids, 2)})`;
  return [{ check: 'security groups', status: 'pass', message }];
}

/** The messages of the resolution name the terms and end with what to check. */
function nothingSelected(check: 'subnets' | 'security groups', problem: string): Finding {
  const [message = '', ...advice] = problem.split('; ');
  const command = check === 'subnets' ? 'describe-subnets' : 'describe-security-groups';
  const tagged = `aws ec2 ${command} --filters Name=tag-key,Values=karpenter.sh/discovery`;
  const hint = advice.length === 0 ? '' : `C${advice.join('; ').slice(1)}. `;
  return { check, status: 'fail', message, fix: `${hint}What has the tag: ${tagged}` };
}

/** The identity of the nodes of a class. */
export interface NodeIdentity {
  readonly nodeClass: string;
  readonly kind: 'role' | 'instance profile';
  readonly name: string;
  readonly exists: boolean;
}

export function checkNodeIdentity({ nodeClass, kind, name, exists }: NodeIdentity): Finding {
  const check = 'node role';
  if (exists) return { check, status: 'pass', message: `${nodeClass}: ${kind} ${name} exists` };
  const field = kind === 'role' ? 'spec.role' : 'spec.instanceProfile';
  const command = kind === 'role' ? 'aws iam list-roles' : 'aws iam list-instance-profiles';
  return {
    check,
    status: 'fail',
    message: `${nodeClass}: ${kind} ${name} does not exist`,
    fix: `Correct ${field} (${command} lists what exists), or create it${kind === 'role' ? ' with makeNodeRole (docs/settings.md)' : ''}`,
  };
}

/** Without an EC2NodeClass, the role is not known. */
export const NO_NODE_CLASS: Finding = {
  check: 'node role',
  status: 'skip',
  message: 'No EC2NodeClass names a role: neither the files of -f nor the cluster have one',
  fix: 'Add -f and the manifests',
};
