import { RemovalPolicy, type Stack, Validations } from 'aws-cdk-lib';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { ClusterOptions } from '../operator/options/cluster-options.ts';
import { createdNodeRole } from '../operator/options/node-roles.ts';

/** The permissions of a node: to join the cluster, to assign pod IPs, to pull images, and to be managed by SSM. */
const POLICIES = [
  'AmazonEKSWorkerNodePolicy',
  'AmazonEKS_CNI_Policy',
  'AmazonEC2ContainerRegistryPullOnly',
  'AmazonSSMManagedInstanceCore',
];

export interface NodeRoleProps {
  readonly cluster: ClusterOptions;
}

/**
 * The role of a cluster's nodes, with a fixed name that EC2NodeClasses can use. It is retained after the stack is deleted, like the nodes:
 * IAM refuses to delete a role that is in an instance profile, and lifecycle makes these profiles outside of the stack. CloudFormation
 * deletes it if the deploy that creates it fails, so that the deploy can be repeated.
 * *Source:* IAM's DeleteRole; CloudFormation's RetainExceptOnCreate.
 */
export class NodeRole extends Construct {
  readonly role: Role;

  constructor(scope: Construct, id: string, { cluster: { name } }: NodeRoleProps) {
    super(scope, id);
    this.role = new Role(this, 'Role', {
      roleName: createdNodeRole(name),
      description: `Nodes of EKS cluster ${name}, launched by Kerf`,
      assumedBy: new ServicePrincipal('ec2.amazonaws.com'),
      managedPolicies: POLICIES.map((policy) => ManagedPolicy.fromAwsManagedPolicyName(policy)),
    });
    this.role.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    Validations.of(this.role).acknowledge(
      ...POLICIES.map((policy) => ({
        id: `AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`,
        reason: 'EKS documents these policies for nodes, and AWS updates them',
      })),
    );
  }
}

export function roleArn(stack: Stack, name: string): string {
  return stack.formatArn({ service: 'iam', region: '', resource: 'role', resourceName: name });
}
