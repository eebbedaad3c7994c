/** The permissions of the functions on EC2, EKS, IAM and SSM. Each wildcard has a reason. */
import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import { Effect, type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ClusterOptions } from '../operator/options/cluster-options.ts';
import { CLUSTER_TAG, NODE_POOL_TAG, ownershipTags } from '../operator/options/options.ts';
import { roleArn } from './node-role.ts';

/** The resource types that CreateFleet creates and tags. */
const LAUNCHED = ['fleet', 'instance', 'volume', 'network-interface', 'launch-template', 'spot-instances-request'];

/** The resource types that CreateFleet uses without changing them. */
const LAUNCHED_FROM = ['subnet', 'security-group', 'capacity-reservation', 'placement-group'];

/** The resource types that may belong to other accounts. */
const PUBLIC = ['image', 'snapshot'];

/** Allows reading the endpoint and certificate of these clusters. */
export function grantClusterAccess(role: IRole, clusters: readonly ClusterOptions[]): void {
  const resources = clusters.map(({ name }) =>
    Stack.of(role).formatArn({ service: 'eks', resource: 'cluster', resourceName: name }),
  );
  allow(role, { actions: ['eks:DescribeCluster'], resources });
}

/** C36: allows reading zonal shifts. ARC returns zone ids, which EC2 maps to zone names. */
export function grantZonalShiftReads(role: IRole, clusters: readonly ClusterOptions[]): void {
  if (!clusters.some(({ zonalShift }) => zonalShift === true)) return;
  // The resource types of this ARC action do not include EKS clusters, so the ARN of a cluster would allow nothing.
  allowDescribe(role, ['arc-zonal-shift:GetManagedResource', 'ec2:DescribeAvailabilityZones']);
}

/** Allows resolving the selectors of EC2NodeClasses. */
export function grantNodeClassReads(role: IRole, clusters: readonly ClusterOptions[]): void {
  allowDescribe(role, [
    'ec2:DescribeCapacityReservations',
    'ec2:DescribeImages',
    'ec2:DescribePlacementGroups',
    'ec2:DescribeSecurityGroups',
    'ec2:DescribeSubnets',
  ]);
  const stack = Stack.of(role);
  const parameters = { service: 'ssm', resource: 'parameter' };
  const published = stack.formatArn({ ...parameters, account: '', resourceName: 'aws/service/*' });
  allow(role, { actions: ['ssm:GetParameters'], resources: [published] });
  // A parameter may contain secrets, so only parameters with the discovery tag of a cluster can be read.
  allow(role, {
    actions: ['ssm:GetParameters'],
    resources: [stack.formatArn({ ...parameters, resourceName: '*' })],
    conditions: { StringEquals: { 'aws:ResourceTag/karpenter.sh/discovery': clusters.map(({ name }) => name) } },
  });
  const ids = 'AWS publishes the ids of its images there';
  acknowledgeWildcards(role, ['arn:<AWS::Partition>:ssm:<AWS::Region>::parameter/aws/service/*'], ids);
  const own = 'EC2NodeClasses specify parameters at run time, so access is limited by the discovery tag';
  acknowledgeWildcards(role, ['arn:<AWS::Partition>:ssm:<AWS::Region>:<AWS::AccountId>:parameter/*'], own);
}

/** C67: allows managing instance profiles with the path and tag of a cluster. */
export function grantInstanceProfiles(role: IRole, clusters: readonly ClusterOptions[]): void {
  const stack = Stack.of(role);
  const names = clusters.map(({ name }) => name);
  const profile = { service: 'iam', region: '', resource: 'instance-profile' };
  const managed = names.map((name) =>
    stack.formatArn({ ...profile, resourceName: `karpenter/${stack.region}/${name}/*` }),
  );
  allow(role, {
    actions: ['iam:CreateInstanceProfile', 'iam:TagInstanceProfile'],
    resources: managed,
    conditions: { StringEquals: { [`aws:RequestTag/${CLUSTER_TAG}`]: names } },
  });
  allow(role, {
    actions: [
      'iam:AddRoleToInstanceProfile',
      'iam:DeleteInstanceProfile',
      'iam:RemoveRoleFromInstanceProfile',
      'iam:TagInstanceProfile',
      'iam:UntagInstanceProfile',
    ],
    resources: managed,
    conditions: { StringEquals: { [`aws:ResourceTag/${CLUSTER_TAG}`]: names } },
  });
  const all = stack.formatArn({ ...profile, resourceName: '*' });
  allow(role, { actions: ['iam:GetInstanceProfile', 'iam:ListInstanceProfiles'], resources: [all] });
  const made = 'The name of a profile depends on its NodeClass and role, so access is limited by path and cluster tag';
  acknowledgeWildcards(
    role,
    names.map((name) => printedProfile(`karpenter/<AWS::Region>/${name}/`)),
    made,
  );
  acknowledgeWildcards(role, [printedProfile('')], 'An EC2NodeClass may specify any profile, which is only read');
}

export function grantInstanceReads(role: IRole): void {
  allowDescribe(role, ['ec2:DescribeInstances']);
}

/** Allows reading instance types, offerings, spot prices and the price list. */
export function grantCatalogueReads(role: IRole): void {
  allowDescribe(role, [
    'ec2:DescribeAvailabilityZones',
    'ec2:DescribeInstanceTypes',
    'ec2:DescribeInstanceTypeOfferings',
    'ec2:DescribeSpotPriceHistory',
    'pricing:GetProducts',
  ]);
}

/** Allows launching. All resources must be created with the tag of one of the clusters (promise 4). */
export function grantLaunch(role: IRole, clusters: readonly ClusterOptions[], nodeRoles: string[]): void {
  const stack = Stack.of(role);
  const names = clusters.map(({ name }) => name);
  const tagged = { StringEquals: { [`aws:RequestTag/${CLUSTER_TAG}`]: names } };
  const own = { StringEquals: { [`aws:ResourceTag/${CLUSTER_TAG}`]: names } };
  const launch = ['ec2:CreateFleet', 'ec2:RunInstances'];
  const launched = LAUNCHED.map((type) => ec2Arn(stack, type));
  allow(role, { actions: [...launch, 'ec2:CreateLaunchTemplate'], resources: launched, conditions: tagged });
  allow(role, { actions: launch, resources: [ec2Arn(stack, 'launch-template')], conditions: own });
  const chosenFrom = LAUNCHED_FROM.map((type) => anyAccountArn(stack, type));
  const images = PUBLIC.map((type) => publicArn(stack, type));
  allow(role, { actions: launch, resources: [...chosenFrom, ...images] });
  allow(role, {
    actions: ['ec2:CreateTags'],
    resources: launched,
    conditions: {
      StringEquals: {
        ...tagged.StringEquals,
        'ec2:CreateAction': ['CreateFleet', 'RunInstances', 'CreateLaunchTemplate'],
      },
    },
  });
  allow(role, {
    actions: ['iam:PassRole'],
    resources: nodeRoles,
    conditions: { StringEquals: { 'iam:PassedToService': ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn'] } },
  });
  const reason = 'The ids of new resources are unknown in advance, so access is limited by the cluster tag';
  acknowledgeWildcards(role, LAUNCHED.map(printedArn), reason);
  const chosen = 'EC2NodeClasses select these resources at run time, and a launch does not change them';
  acknowledgeWildcards(
    role,
    [
      ...LAUNCHED_FROM.map((type) => `arn:<AWS::Partition>:ec2:<AWS::Region>:*:${type}/*`),
      ...PUBLIC.map((type) => `arn:<AWS::Partition>:ec2:<AWS::Region>::${type}/*`),
    ],
    chosen,
  );
}

/** Allows creating the service-linked roles of EC2, which the first launch in an account needs (C33). */
export function grantServiceLinkedRoles(role: IRole): void {
  const ours = [
    ['ec2fleet.amazonaws.com', 'AWSServiceRoleForEC2Fleet'],
    ['spot.amazonaws.com', 'AWSServiceRoleForEC2Spot'],
  ] as const;
  allow(role, {
    actions: ['iam:CreateServiceLinkedRole'],
    resources: ours.map(([service, name]) => roleArn(Stack.of(role), `aws-service-role/${service}/${name}`)),
    conditions: { StringEquals: { 'iam:AWSServiceName': ours.map(([service]) => service) } },
  });
}

/** Allows reading the status of instances (C82). */
export function grantInstanceStatusReads(role: IRole): void {
  allowDescribe(role, ['ec2:DescribeInstanceStatus']);
}

/** Allows terminating only instances of the clusters (promise 4). */
export function grantTerminate(role: IRole, clusters: readonly ClusterOptions[]): void {
  const resources = [ec2Arn(Stack.of(role), 'instance')];
  for (const conditions of ownedBy(clusters))
    allow(role, { actions: ['ec2:TerminateInstances'], resources, conditions });
  acknowledgeOwned(role, ['instance']);
}

/**
 * Allows what else lifecycle does with resources of the clusters: it terminates instances without a claim, deletes the launch
 * templates of a deleted NodeClass (A3.30), and sets two tags on instances after their nodes are registered (C84, C86). One
 * statement for all three, because a role has little room: the condition on tag keys has no effect on the other actions.
 */
export function grantCare(role: IRole, clusters: readonly ClusterOptions[]): void {
  allowDescribe(role, ['ec2:DescribeLaunchTemplates']);
  const stack = Stack.of(role);
  for (const conditions of ownedBy(clusters)) {
    allow(role, {
      actions: ['ec2:CreateTags', 'ec2:DeleteLaunchTemplate', 'ec2:TerminateInstances'],
      resources: [ec2Arn(stack, 'instance'), ec2Arn(stack, 'launch-template')],
      conditions: {
        ...conditions,
        'ForAllValues:StringEquals': { 'aws:TagKeys': ['Name', 'karpenter.sh/nodeclaim'] },
      },
    });
  }
  acknowledgeOwned(role, ['instance', 'launch-template']);
}

/** The policies of a role have room for one statement for each cluster up to this number; more clusters share a statement. */
const MAX_STATEMENTS = 20;

/**
 * Conditions on the tags of everything that Kerf and Karpenter launch for a cluster (C50), and that an adopted instance has. A
 * shared statement lacks the ownership tag, because IAM cannot combine several tag keys by "or".
 */
function ownedBy(clusters: readonly ClusterOptions[]): readonly Readonly<Record<string, unknown>>[] {
  const StringLike = { [`aws:ResourceTag/${NODE_POOL_TAG}`]: '*' };
  if (clusters.length > MAX_STATEMENTS) {
    return [{ StringEquals: { [`aws:ResourceTag/${CLUSTER_TAG}`]: clusters.map(({ name }) => name) }, StringLike }];
  }
  return clusters.map(({ name }) => {
    const tags = Object.entries(ownershipTags(name)).map(([key, value]) => [`aws:ResourceTag/${key}`, value] as const);
    return { StringEquals: Object.fromEntries(tags), StringLike };
  });
}

function acknowledgeOwned(role: IRole, resources: readonly string[]): void {
  const reason =
    'The ids are unknown at deploy time, so access is limited by the tags of the cluster and of a NodePool';
  acknowledgeWildcards(role, resources.map(printedArn), reason);
}

function ec2Arn(stack: Stack, resource: string): string {
  return stack.formatArn({ service: 'ec2', resource, resourceName: '*' });
}

/** Subnets may be shared from another account. */
function anyAccountArn(stack: Stack, resource: string): string {
  return stack.formatArn({ service: 'ec2', account: '*', resource, resourceName: '*' });
}

/** The ARNs of images and snapshots have no account. */
function publicArn(stack: Stack, resource: string): string {
  return stack.formatArn({ service: 'ec2', account: '', resource, resourceName: '*' });
}

function allowDescribe(role: IRole, actions: readonly string[]): void {
  allow(role, { actions, resources: ['*'] });
  acknowledgeWildcards(
    role,
    ['*'],
    'The Describe actions of EC2, the price list and zonal shifts support no narrower resource; no other action is allowed on all resources',
  );
}

interface Grant {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, unknown>>;
}

export function allow(role: IRole, { actions, resources, conditions }: Grant): void {
  const statement = new PolicyStatement({
    actions: [...actions],
    resources: [...resources],
    ...(conditions && { conditions }),
  });
  role.addToPrincipalPolicy(statement);
}

/** The actions that Lambda needs for a function in a VPC. The function itself is denied them. */
const INTERFACE_WRITES = [
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/** Allows Lambda to create and delete the network interfaces of a function in a VPC with the function's role. */
export function grantNetworkInterfaces(role: IRole): void {
  const actions = [...INTERFACE_WRITES, 'ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets'];
  role.addToPrincipalPolicy(new PolicyStatement({ actions, resources: ['*'] }));
  const stack = Stack.of(role);
  // By the name of the stack: the function depends on its policy, so the policy cannot reference the function.
  const ours = stack.formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: `${stack.stackName}-*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  const conditions = { ArnLike: { 'lambda:SourceFunctionArn': ours } };
  role.addToPrincipalPolicy(
    new PolicyStatement({ effect: Effect.DENY, actions: INTERFACE_WRITES, resources: ['*'], conditions }),
  );
  acknowledgeWildcards(
    role,
    ['*'],
    'Lambda requires exactly these permissions, and rejects a function whose role lacks one',
  );
}

/** An ARN as cdk-nag prints it. Acknowledgements are matched by this text. */
function printedArn(resource: string): string {
  return `arn:<AWS::Partition>:ec2:<AWS::Region>:<AWS::AccountId>:${resource}/*`;
}

function printedProfile(path: string): string {
  return `arn:<AWS::Partition>:iam::<AWS::AccountId>:instance-profile/${path}*`;
}

export function acknowledgeWildcards(role: IRole, resources: readonly string[], reason: string): void {
  const acknowledged = resources.map((resource) => ({
    id: `AwsSolutions::AwsSolutions-IAM5[Resource::${resource}]`,
    reason,
  }));
  Validations.of(role).acknowledge(...acknowledged);
}
