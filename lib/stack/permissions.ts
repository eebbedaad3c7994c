/** What the functions may do to EC2, EKS, IAM and SSM, each grant with its reason where it cannot name the resources. */
import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import { Effect, type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ClusterOptions } from '../operator/cluster-options.ts';
import { CLUSTER_TAG } from '../operator/options.ts';
import { roleArn } from './node-role.ts';

/** What CreateFleet makes, and what it is asked to tag. */
const LAUNCHED = ['fleet', 'instance', 'volume', 'network-interface', 'launch-template', 'spot-instances-request'];

/** What CreateFleet uses and leaves as it is. */
const LAUNCHED_FROM = ['subnet', 'security-group', 'capacity-reservation', 'placement-group'];

/** What an instance is made from, whoever owns it. */
const PUBLIC = ['image', 'snapshot'];

/** The API server's address and certificate, of these clusters only. */
export function grantClusterAccess(role: IRole, clusters: readonly ClusterOptions[]): void {
  const resources = clusters.map(({ name }) =>
    Stack.of(role).formatArn({ service: 'eks', resource: 'cluster', resourceName: name }),
  );
  allow(role, { actions: ['eks:DescribeCluster'], resources });
}

/** C36: which zones the cluster is shifted away from; ARC names them by id, EC2 says which zone that is here. */
export function grantZonalShiftReads(role: IRole, clusters: readonly ClusterOptions[]): void {
  if (!clusters.some(({ zonalShift }) => zonalShift === true)) return;
  // ARC's call has load balancers for resources, and no EKS clusters: an ARN of one would allow nothing.
  allowDescribe(role, ['arc-zonal-shift:GetManagedResource', 'ec2:DescribeAvailabilityZones']);
}

/** The selectors of an EC2NodeClass, resolved. */
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
  // A parameter may hold anything: what an ssmParameter term may name is tagged for the cluster.
  allow(role, {
    actions: ['ssm:GetParameters'],
    resources: [stack.formatArn({ ...parameters, resourceName: '*' })],
    conditions: { StringEquals: { 'aws:ResourceTag/karpenter.sh/discovery': clusters.map(({ name }) => name) } },
  });
  const ids = 'AWS publishes the ids of its images there for everybody to read';
  acknowledgeWildcards(role, ['arn:<AWS::Partition>:ssm:<AWS::Region>::parameter/aws/service/*'], ids);
  const own = 'The EC2NodeClass names them at run time: the condition on the discovery tag is the limit';
  acknowledgeWildcards(role, ['arn:<AWS::Partition>:ssm:<AWS::Region>:<AWS::AccountId>:parameter/*'], own);
}

/** C67: the instance profiles that are made for roles, at a path and with a tag of one of our clusters. */
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
  const made =
    'A profile is named for its NodeClass and role: its path and the condition on the cluster tag are the limit';
  acknowledgeWildcards(
    role,
    names.map((name) => printedProfile(`karpenter/<AWS::Region>/${name}/`)),
    made,
  );
  acknowledgeWildcards(role, [printedProfile('')], 'An EC2NodeClass may name any profile, which is only looked for');
}

/** A3.30: the launch templates of a NodeClass that goes. */
export function grantTemplateRelease(role: IRole, clusters: readonly ClusterOptions[]): void {
  allowDescribe(role, ['ec2:DescribeLaunchTemplates']);
  allow(role, {
    actions: ['ec2:DeleteLaunchTemplate'],
    resources: [ec2Arn(Stack.of(role), 'launch-template')],
    conditions: { StringEquals: { [`aws:ResourceTag/${CLUSTER_TAG}`]: clusters.map(({ name }) => name) } },
  });
}

export function grantInstanceReads(role: IRole): void {
  allowDescribe(role, ['ec2:DescribeInstances']);
}

/** Instance types, offerings, spot prices and the price list. */
export function grantCatalogueReads(role: IRole): void {
  allowDescribe(role, [
    'ec2:DescribeAvailabilityZones',
    'ec2:DescribeInstanceTypes',
    'ec2:DescribeInstanceTypeOfferings',
    'ec2:DescribeSpotPriceHistory',
    'pricing:GetProducts',
  ]);
}

/** Launching: everything that comes into being carries the tag of one of our clusters, from its first moment (promise 4). */
export function grantLaunch(role: IRole, clusters: readonly ClusterOptions[], nodeRoles: string[]): void {
  const stack = Stack.of(role);
  const names = clusters.map(({ name }) => name);
  const tagged = { StringEquals: { [`aws:RequestTag/${CLUSTER_TAG}`]: names } };
  const own = { StringEquals: { [`aws:ResourceTag/${CLUSTER_TAG}`]: names } };
  const launch = ['ec2:CreateFleet', 'ec2:RunInstances'];
  const launched = LAUNCHED.map((type) => ec2Arn(stack, type));
  allow(role, { actions: [...launch, 'ec2:CreateLaunchTemplate'], resources: launched, conditions: tagged });
  allow(role, { actions: launch, resources: [ec2Arn(stack, 'launch-template')], conditions: own });
  const chosenFrom = LAUNCHED_FROM.map((type) => anybodysArn(stack, type));
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
  const reason = 'EC2 names what it makes only while it makes it: the condition on the cluster tag is the limit';
  acknowledgeWildcards(role, LAUNCHED.map(printedArn), reason);
  const chosen = 'The EC2NodeClass of the cluster selects them at run time; a launch takes nothing away from them';
  acknowledgeWildcards(
    role,
    [
      ...LAUNCHED_FROM.map((type) => `arn:<AWS::Partition>:ec2:<AWS::Region>:*:${type}/*`),
      ...PUBLIC.map((type) => `arn:<AWS::Partition>:ec2:<AWS::Region>::${type}/*`),
    ],
    chosen,
  );
}

/** The roles under which EC2 itself works for us: it makes them on the first launch of an account, with our permission (C33). */
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

/** What is wrong with instances (C82). */
export function grantInstanceStatusReads(role: IRole): void {
  allowDescribe(role, ['ec2:DescribeInstanceStatus']);
}

/** C84, C86: their names, once their nodes are registered: these two tags, on instances of our clusters, and nothing else. */
export function grantNaming(role: IRole, clusters: readonly ClusterOptions[]): void {
  allow(role, {
    actions: ['ec2:CreateTags'],
    resources: [ec2Arn(Stack.of(role), 'instance')],
    conditions: {
      StringEquals: { [`aws:ResourceTag/${CLUSTER_TAG}`]: clusters.map(({ name }) => name) },
      'ForAllValues:StringEquals': { 'aws:TagKeys': ['Name', 'karpenter.sh/nodeclaim'] },
    },
  });
}

/** Ending instances that carry the tag of one of our clusters, and no other (promise 4). */
export function grantTerminate(role: IRole, clusters: readonly ClusterOptions[]): void {
  const instances = ec2Arn(Stack.of(role), 'instance');
  allow(role, {
    actions: ['ec2:TerminateInstances'],
    resources: [instances],
    conditions: { StringEquals: { [`aws:ResourceTag/${CLUSTER_TAG}`]: clusters.map(({ name }) => name) } },
  });
  acknowledgeWildcards(
    role,
    [printedArn('instance')],
    'Instance ids are not known at deploy time: the condition on the cluster tag is the limit',
  );
}

function ec2Arn(stack: Stack, resource: string): string {
  return stack.formatArn({ service: 'ec2', resource, resourceName: '*' });
}

/** Subnets may be another account's, shared with ours. */
function anybodysArn(stack: Stack, resource: string): string {
  return stack.formatArn({ service: 'ec2', account: '*', resource, resourceName: '*' });
}

/** Images and their snapshots belong to whoever made them: their ARNs have no account. */
function publicArn(stack: Stack, resource: string): string {
  return stack.formatArn({ service: 'ec2', account: '', resource, resourceName: '*' });
}

function allowDescribe(role: IRole, actions: readonly string[]): void {
  allow(role, { actions, resources: ['*'] });
  acknowledgeWildcards(
    role,
    ['*'],
    'The Describe actions of EC2, the price list and the zonal shifts of clusters know no narrower resource; nothing else is allowed on every resource',
  );
}

interface Grant {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, unknown>>;
}

function allow(role: IRole, { actions, resources, conditions }: Grant): void {
  const statement = new PolicyStatement({
    actions: [...actions],
    resources: [...resources],
    ...(conditions && { conditions }),
  });
  role.addToPrincipalPolicy(statement);
}

/** What Lambda does for a function in a VPC, and the function itself never. */
const INTERFACE_WRITES = [
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/** A function in a VPC: Lambda makes and removes its network interfaces in the function's name. */
export function grantNetworkInterfaces(role: IRole): void {
  const actions = [...INTERFACE_WRITES, 'ec2:DescribeNetworkInterfaces', 'ec2:DescribeSubnets'];
  role.addToPrincipalPolicy(new PolicyStatement({ actions, resources: ['*'] }));
  const stack = Stack.of(role);
  // By the stack's name: a function waits for its policy, which therefore cannot refer to it.
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
  acknowledgeWildcards(role, ['*'], 'Lambda asks for exactly this, and refuses a function whose role has less');
}

/** An ARN as nag prints it: an acknowledgement is found by its text. */
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
