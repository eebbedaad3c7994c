import { CustomResource, Duration, FileSystem, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ClusterOptions } from '../operator/cluster-options.ts';
import { type AccessEntry, INSTALLER_TARGETS, VARIABLES, type WokenFunction } from '../operator/options.ts';
import { LambdaFunction, type Woken } from './lambda-function.ts';
import { acknowledgeWildcards } from './permissions.ts';
import type { StateTable } from './state-table.ts';
import type { Webhook } from './webhook.ts';

export interface InstallerProps {
  /** All that it can reach: clusters of one network. */
  readonly clusters: readonly {
    readonly cluster: ClusterOptions;
    /** @default - others let in who must get in */
    readonly entries: readonly AccessEntry[];
  }[];
  readonly webhook: Webhook;
  readonly state: StateTable;
  readonly functions: Readonly<Record<WokenFunction, Woken>>;
}

const ROOT = `${import.meta.dirname}/../../`;
/** What goes into a cluster. */
const CONTENT = ['data/crds', 'lib/core/install'];

/**
 * Brings Kerf into its clusters when the stack is deployed, and takes it out again: who is let in, definitions, rights and the
 * webhook. Not by CloudFormation's own resource for access entries, which fails where an entry exists: the role of the nodes
 * mostly has one.
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
      // What could not be taken out of a cluster is told there, and nowhere else.
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
      // The longest that CloudFormation waits.
      serviceTimeout: drains ? Duration.hours(1) : Duration.minutes(15),
      properties: {
        Clusters: stack.toJsonString(
          clusters.map(({ cluster, entries }) => ({ cluster, entries: this.#entries(cluster, entries) })),
        ),
        InstalledBy: `${stack.stackId}/${this.node.path}`,
        // What is installed changes with the version: CloudFormation asks again only where a property did.
        Content: CONTENT.map((folder) => FileSystem.fingerprint(`${ROOT}${folder}`)).join(' '),
        WebhookUrl: webhook.url,
        WebhookSecretArn: webhook.secretArn,
      },
    });
    this.resource.node.addDependency(this.role);
    Validations.of(this.resource).acknowledge({
      id: 'CloudFormation-Validate::W9003',
      reason: 'CDK writes the number as a text, and CloudFormation takes it',
    });
  }

  /** Its own entry is the last: it is taken back after all others. Whoever grants rights must have them. */
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
      'EKS names an entry by the role and an id of its own: the cluster is the limit',
    );
  }
}
