import { CustomResource, Duration, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ClusterOptions } from '../operator/cluster-options.ts';
import type { AccessEntry } from '../operator/options.ts';
import { LambdaFunction } from './lambda-function.ts';
import { acknowledgeWildcards } from './permissions.ts';

export interface InstallerProps {
  readonly access: readonly { readonly cluster: ClusterOptions; readonly entries: readonly AccessEntry[] }[];
}

/**
 * Lets functions and nodes into the clusters when the stack is deployed. Not by CloudFormation's own resource, which fails
 * where an entry exists: the role of the nodes mostly has one.
 */
export class Installer extends LambdaFunction {
  constructor(scope: Construct, id: string, { access }: InstallerProps) {
    super(scope, id, { name: 'installer', environment: {}, timeout: Duration.minutes(2), memoryMib: 512 });
    const stack = Stack.of(this);
    const names = access.map(({ cluster }) => cluster.name);
    const clusters = names.map((name) => stack.formatArn({ service: 'eks', resource: 'cluster', resourceName: name }));
    const entries = names.map((name) =>
      stack.formatArn({ service: 'eks', resource: 'access-entry', resourceName: `${name}/*` }),
    );
    this.#allow(['eks:DescribeCluster', 'eks:CreateAccessEntry'], clusters);
    this.#allow(
      ['eks:DescribeAccessEntry', 'eks:UpdateAccessEntry', 'eks:DeleteAccessEntry', 'eks:TagResource'],
      entries,
    );
    acknowledgeWildcards(
      this.role,
      names.map((name) => `arn:<AWS::Partition>:eks:<AWS::Region>:<AWS::AccountId>:access-entry/${name}/*`),
      'EKS names an entry by the role and an id of its own: the cluster is the limit',
    );
    const resource = new CustomResource(this, 'Access', {
      serviceToken: this.function.functionArn,
      serviceTimeout: Duration.minutes(5),
      properties: {
        Access: stack.toJsonString(
          access.map(({ cluster, entries: each }) => ({ cluster: cluster.name, entries: each })),
        ),
      },
    });
    resource.node.addDependency(this.role);
    Validations.of(resource).acknowledge({
      id: 'CloudFormation-Validate::W9003',
      reason: 'CDK writes the number as a text, and CloudFormation takes it',
    });
  }

  #allow(actions: readonly string[], resources: readonly string[]): void {
    this.role.addToPrincipalPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
  }
}
