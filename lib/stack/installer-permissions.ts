/** What the installer may do in EKS and CloudFormation. */
import { CfnElement, Stack } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ClusterOptions } from '../operator/options/cluster-options.ts';
import { CLUSTER_FUNCTIONS, groupOf } from '../operator/options/options.ts';
import { acknowledgeWildcards, allow } from './permissions.ts';

/**
 * Allows creating the access entries of the deployment in its clusters, and removing them from any cluster, also one that is no
 * longer configured. The policy of an administrator can be associated only with the entry of the installer itself.
 */
export function grantInstallation(
  installer: Role,
  functions: readonly Role[],
  clusters: readonly ClusterOptions[],
): void {
  const stack = Stack.of(installer);
  const eks = (resource: string, resourceName: string): string =>
    stack.formatArn({ service: 'eks', resource, resourceName });
  const entryOf = ({ roleName }: Role): string => eks('access-entry', `*/role/${stack.account}/${roleName}/*`);
  const configured = clusters.map(({ name }) => eks('cluster', name));
  const own = [...functions, installer];
  allow(installer, { actions: ['eks:ListClusters'], resources: ['*'] });
  allow(installer, { actions: ['eks:DescribeCluster'], resources: [eks('cluster', '*')] });
  allow(installer, { actions: ['eks:DescribeAccessEntry'], resources: [eks('access-entry', '*')] });
  allow(installer, {
    actions: ['eks:CreateAccessEntry'],
    resources: configured,
    conditions: {
      ArnEquals: { 'eks:principalArn': own.map(({ roleArn }) => roleArn) },
      StringEquals: { 'eks:accessEntryType': 'STANDARD' },
      'ForAllValues:StringEquals': { 'eks:kubernetesGroups': CLUSTER_FUNCTIONS.map(groupOf) },
    },
  });
  allow(installer, {
    actions: ['eks:CreateAccessEntry'],
    resources: configured,
    conditions: { StringEquals: { 'eks:accessEntryType': ['EC2_LINUX', 'EC2_WINDOWS'] } },
  });
  allow(installer, {
    actions: ['eks:TagResource'],
    resources: clusters.map(({ name }) => eks('access-entry', `${name}/*`)),
  });
  allow(installer, { actions: ['eks:UpdateAccessEntry'], resources: functions.map(entryOf) });
  allow(installer, { actions: ['eks:DeleteAccessEntry'], resources: own.map(entryOf) });
  const policy = `arn:${stack.partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`;
  allow(installer, {
    actions: ['eks:AssociateAccessPolicy'],
    resources: [entryOf(installer)],
    conditions: { StringEquals: { 'eks:policyArn': policy } },
  });
  allow(installer, { actions: ['eks:DisassociateAccessPolicy'], resources: [entryOf(installer)] });
  allow(installer, { actions: ['cloudformation:DescribeStackResource'], resources: [stack.stackId] });
  acknowledge(installer, own, clusters);
}

function acknowledge(installer: Role, own: readonly Role[], clusters: readonly ClusterOptions[]): void {
  acknowledgeWildcards(installer, ['*'], 'ListClusters supports no narrower resource');
  acknowledgeWildcards(
    installer,
    [printed('cluster/*'), printed('access-entry/*')],
    'A cluster that is no longer configured is found by the access entries in it, which are only read',
  );
  acknowledgeWildcards(
    installer,
    clusters.map(({ name }) => printed(`access-entry/${name}/*`)),
    'EKS adds an id to the name of an entry, so access is limited to the cluster',
  );
  // cdk-nag prints a reference as the logical id.
  acknowledgeWildcards(
    installer,
    own.map((role) => printed(`access-entry/*/role/<AWS::AccountId>/<${logicalIdOf(role)}>/*`)),
    'Entries of the deployment’s own roles, also in a cluster that is no longer configured; EKS adds an id to the name',
  );
}

/** The logical id of a construct's resource. */
export function logicalIdOf({ node: { path, defaultChild } }: Construct): string {
  if (CfnElement.isCfnElement(defaultChild)) return Stack.of(defaultChild).getLogicalId(defaultChild);
  throw new Error(`CDK did not create one resource for ${path}`);
}

/** An ARN as cdk-nag prints it. */
function printed(resource: string): string {
  return `arn:<AWS::Partition>:eks:<AWS::Region>:<AWS::AccountId>:${resource}`;
}
