import { CustomResource, Duration, FileSystem, Stack, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { type ClusterOptions, writeInstalledClusters } from '../operator/options/cluster-options.ts';
import {
  CLUSTER_FUNCTIONS,
  type ClusterFunction,
  ELSEWHERE,
  INSTALLER_TARGETS,
  VARIABLES,
} from '../operator/options/options.ts';
import { grantInstallation, logicalIdOf } from './installer-permissions.ts';
import { LambdaFunction, type Woken } from './lambda-function.ts';
import { roleArn } from './node-role.ts';
import type { StateTable } from './state-table.ts';
import type { Webhook } from './webhook.ts';

export interface InstallerProps {
  /** The clusters of one network. */
  readonly clusters: readonly ClusterOptions[];
  /** The names of the clusters of other networks. A cluster that moves there is not a former one. */
  readonly elsewhere: readonly string[];
  readonly webhook: Webhook;
  readonly state: StateTable;
  readonly functions: Readonly<Record<ClusterFunction, Woken & { readonly role: Role }>>;
}

const ROOT = `${import.meta.dirname}/../../`;
/** The folders whose content is installed in a cluster. */
const CONTENT = ['data/crds', 'lib/core/install'];

/**
 * Installs Kerf in its clusters when the stack is deployed, and removes it when the stack is deleted: access entries, CRDs,
 * RBAC and the webhook. CloudFormation's resource for access entries is not used, because it fails for an existing entry,
 * and the role of the nodes usually has one. What it does comes from its environment; the properties of the resource only make
 * CloudFormation call it.
 */
export class Installer extends LambdaFunction {
  readonly resource: CustomResource;

  constructor(scope: Construct, id: string, { clusters, elsewhere, webhook, state, functions }: InstallerProps) {
    const network = clusters[0]?.network;
    const drains = clusters.some(({ onDelete }) => onDelete === 'drain');
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
    state.grant(this.role, 'installer', clusters);
    this.mayWake(functions, INSTALLER_TARGETS);
    const own = CLUSTER_FUNCTIONS.map((name) => functions[name].role);
    grantInstallation(this.role, own, clusters);
    const configuration = this.#configure(clusters, functions);
    this.resource = new CustomResource(this, 'Access', {
      serviceToken: this.function.functionArn,
      // The maximum time that CloudFormation waits.
      serviceTimeout: drains ? Duration.hours(1) : Duration.minutes(15),
      properties: {
        ...configuration,
        // CloudFormation updates the resource only if a property changes, so a hash of the installed content is one.
        Content: CONTENT.map((folder) => FileSystem.fingerprint(`${ROOT}${folder}`)).join(' '),
        ...(elsewhere.length > 0 && { [ELSEWHERE]: elsewhere }),
        WebhookUrl: webhook.url,
        WebhookSecret: webhook.secretName,
      },
    });
    this.resource.node.addDependency(this.role);
    this.#introduceResource();
    this.#checkRightsDaily();
    Validations.of(this.resource).acknowledge({
      id: 'CloudFormation-Validate::W9003',
      reason: 'CDK writes the number as text, which CloudFormation accepts',
    });
  }

  /** *Shape:* the configuration, also as properties, so that a change of it makes CloudFormation call the installer. */
  #configure(clusters: readonly ClusterOptions[], functions: InstallerProps['functions']): Record<string, string> {
    const stack = Stack.of(this);
    const Clusters = writeInstalledClusters(clusters);
    const Roles = stack.toJsonString({
      prefix: roleArn(stack, ''),
      ...Object.fromEntries(CLUSTER_FUNCTIONS.map((name) => [name, functions[name].role.roleName])),
      installer: this.role.roleName,
    });
    this.function.addEnvironment(VARIABLES.clusters, Clusters);
    this.function.addEnvironment(VARIABLES.roles, Roles);
    return { Clusters, Roles };
  }

  /** By its logical id, because the resource depends on the function. */
  #introduceResource(): void {
    const stack = Stack.of(this);
    this.function.addEnvironment(VARIABLES.stack, stack.stackId);
    this.function.addEnvironment(VARIABLES.stackResource, logicalIdOf(this.resource));
    this.function.addEnvironment(VARIABLES.installerPath, this.node.path);
  }

  /** If an invocation ends before it takes its rights back, and its repetitions too, the rights end after a day at the latest. */
  #checkRightsDaily(): void {
    new Rule(this, 'DailyCheck', {
      description: 'Kerf takes rights back that an installation has left',
      schedule: Schedule.rate(Duration.days(1)),
      targets: [new LambdaTarget(this.function)],
    });
  }
}
