import { CustomResource, Duration, FileSystem, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ClusterOptions } from '../operator/options/cluster-options.ts';
import { type AccessEntry, INSTALLER_TARGETS, VARIABLES, type WokenFunction } from '../operator/options/options.ts';
import { LambdaFunction, type Woken } from './lambda-function.ts';
import { acknowledgeWildcards } from './permissions.ts';
import type { StateTable } from './state-table.ts';
import type { Webhook } from './webhook.ts';

export interface InstallerProps {
  /** The clusters of one network. */
  readonly clusters: readonly {
    readonly cluster: ClusterOptions;
    /** @default - access entries are created elsewhere */
    readonly entries: readonly AccessEntry[];
  }[];
  readonly webhook: Webhook;
  readonly state: StateTable;
  readonly functions: Readonly<Record<WokenFunction, Woken>>;
}

const ROOT = `${import.meta.dirname}/../../`;
/** The folders whose content is installed in a cluster. */
const CONTENT = ['data/crds', 'lib/core/install'];

/**
 * Installs Kerf in its clusters when the stack is deployed, and removes it when the stack is deleted: access entries, CRDs,
 * RBAC and the webhook. CloudFormation's resource for access entries is not used, because it fails for an existing entry,
 * and the role of the nodes usually has one.
 */
export class Installer extends LambdaFunction {
  readonly resource: CustomResource;

  constructor(scope: Construct, id: string, { clusters, webhook, state, functions }: InstallerProps) {
    const network = clusters[0]?.cluster.network;
    const drains = clusters.some(({ cluster }) => cluster.onDelete === 'drain');
    super(scope, id, {
      name: 'installer',
      environment: { [VARIABLES.table]: state.name },
      timeout: Duration.minutes(drains ? 15 : 5),
      memoryMib: 512,
      // Only this log has the errors of removing Kerf from a cluster.
      keepsLog: true,
      ...(network !== undefined && { network }),
    });
    webhook.introduceTo(this);
    state.grantReadWrite(this.role);
    this.mayWake(functions, INSTALLER_TARGETS);
    this.#allowEks(clusters.map(({ cluster }) => cluster.name));
    const stack = Stack.of(this);
    this.resource = new CustomResource(this, 'Access', {
      serviceToken: this.function.functionArn,
      // The maximum time that CloudFormation waits.
      serviceTimeout: drains ? Duration.hours(1) : Duration.minutes(15),
      properties: {
        Clusters: stack.toJsonString(
          clusters.map(({ cluster, entries }) => ({ cluster, entries: this.#entries(cluster, entries) })),
        ),
        InstalledBy: `${stack.stackId}/${this.node.path}`,
        // CloudFormation updates the resource only if a property changes, so a hash of the installed content is one.
        Content: CONTENT.map((folder) => FileSystem.fingerprint(`${ROOT}${folder}`)).join(' '),
        WebhookUrl: webhook.url,
        WebhookSecretArn: webhook.secretArn,
      },
    });
    this.resource.node.addDependency(this.role);
    Validations.of(this.resource).acknowledge({
      id: 'CloudFormation-Validate::W9003',
      reason: 'CDK writes the number as text, which CloudFormation accepts',
    });
  }

  /** Its own entry is last, so it is deleted last. RBAC requires that a user who grants rights has them. */
  #entries(cluster: ClusterOptions, entries: readonly AccessEntry[]): readonly AccessEntry[] {
    if (entries.length === 0 || cluster.install === false) return entries;
    const principal = this.role.roleArn;
    return [...entries, { principal, type: 'STANDARD', groups: [], policy: this.#policy }];
  }

  get #policy(): string {
    return `arn:${Stack.of(this).partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`;
  }

  #allowEks(names: readonly string[]): void {
    const stack = Stack.of(this);
    const clusters = names.map((name) => stack.formatArn({ service: 'eks', resource: 'cluster', resourceName: name }));
    const entries = names.map((name) =>
      stack.formatArn({ service: 'eks', resource: 'access-entry', resourceName: `${name}/*` }),
    );
    const onEntries = ['eks:DescribeAccessEntry', 'eks:UpdateAccessEntry', 'eks:DeleteAccessEntry', 'eks:TagResource'];
    const statements = [
      { actions: ['eks:DescribeCluster', 'eks:CreateAccessEntry'], resources: clusters },
      { actions: onEntries, resources: entries },
      {
        actions: ['eks:AssociateAccessPolicy'],
        resources: entries,
        conditions: { StringEquals: { 'eks:policyArn': this.#policy } },
      },
    ];
    for (const statement of statements) this.role.addToPrincipalPolicy(new PolicyStatement(statement));
    acknowledgeWildcards(
      this.role,
      names.map((name) => `arn:<AWS::Partition>:eks:<AWS::Region>:<AWS::AccountId>:access-entry/${name}/*`),
      'EKS adds an id to the name of an entry, so access is limited to the cluster',
    );
  }
}
