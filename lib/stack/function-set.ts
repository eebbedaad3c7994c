import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct, IConstruct } from 'constructs';
import { type ClusterOptions, writeClusters } from '../operator/options/cluster-options.ts';
import { nodeRolesOf } from '../operator/options/node-roles.ts';
import {
  CLUSTER_FUNCTIONS,
  type ClusterFunction,
  EVENT_PLAN,
  INTERRUPTION_TARGETS,
  VARIABLES,
  WEBHOOK_TARGETS,
} from '../operator/options/options.ts';
import type { BodyBucketConstruct } from './body-bucket.ts';
import { LONGEST_CLUSTERS } from './configuration.ts';
import { Installer } from './installer.ts';
import { InterruptionRules } from './interruption-rules.ts';
import { KerfAlarm } from './monitoring/alarms.ts';
import { describeOutput } from './monitoring/describe-output.ts';
import { NodeRole, roleArn } from './node-role.ts';
import * as permissions from './permissions.ts';
import { Schedules } from './schedules.ts';
import type { StateTable } from './state-table.ts';
import { WakeFunction } from './wake-function.ts';
import type { DeadLetters } from './wake-queue.ts';
import { Webhook } from './webhook.ts';
import type { SecretSource } from './webhook-secret.ts';

export interface FunctionSetProps {
  /** All clusters of one network. */
  readonly clusters: readonly ClusterOptions[];
  /** The names of the clusters of other networks. */
  readonly elsewhere: readonly string[];
  readonly state: StateTable;
  readonly bodies: BodyBucketConstruct;
  readonly decisions: EventBus;
  /** Of the wakes of all sets. The tick replaces a wake, so its dead letter is only the sign of a failure. */
  readonly wakeDeadLetters: DeadLetters;
  readonly secrets: SecretSource;
  /** A text that differs from the last deployment creates a new secret for the webhook. @default - the secret is kept */
  readonly webhookSecretRotation?: string;
}

/** For `kerf status`. Names that do not fit are left out: it then counts clusters that were removed as long as they have marks. */
function otherClusters(
  clusters: readonly ClusterOptions[],
  elsewhere: readonly string[],
): Readonly<Record<string, string>> {
  const names = JSON.stringify(elsewhere);
  const fits = Buffer.byteLength(writeClusters(clusters)) + names.length <= LONGEST_CLUSTERS;
  return fits ? { [VARIABLES.otherClusters]: names } : {};
}

/**
 * The functions for the clusters of one network, with their triggers. Only functions that call the API of a cluster run in
 * its VPC: the webhook must start fast, and webhook and interruption need only queues and the table.
 */
export class FunctionSet {
  readonly functions: WakeFunctions;
  readonly webhook: Webhook;
  readonly #scope: Construct;

  constructor(scope: Construct, props: FunctionSetProps) {
    this.#scope = scope;
    const { clusters, elsewhere, state, bodies, decisions, secrets, ...others } = props;
    const { webhookSecretRotation: secretRotation, ...shared } = others;
    const environment = {
      [VARIABLES.clusters]: writeClusters(clusters),
      POWERTOOLS_LOG_LEVEL: mostVerboseLevel(clusters),
    };
    const stored = {
      ...otherClusters(clusters, elsewhere),
      [VARIABLES.table]: state.name,
      [VARIABLES.account]: Stack.of(scope).account,
      [VARIABLES.bodies]: bodies.name,
      [VARIABLES.eventBus]: decisions.eventBusName,
    };
    const own = wakeFunctions(scope, { environment: { ...environment, ...stored }, clusters, ...shared });
    this.functions = own;
    const webhook = new Webhook(scope, 'Webhook', {
      environment,
      secrets,
      ...(secretRotation !== undefined && { secretRotation }),
    });
    this.webhook = webhook;
    webhook.introduceTo(this.functions.lifecycle);
    const nodes = clusters.map((cluster) => this.#nodeRolesOf(cluster));
    this.#permit({ clusters, state, bodies, decisions, nodeRoles: nodes.flatMap(({ arns }) => arns) });
    this.#connect(webhook);
    const schedules = new Schedules(scope, 'Schedules', {
      clusters,
      functions: own,
    });
    for (const name of CLUSTER_FUNCTIONS) {
      own[name].admitRules(shared.wakeDeadLetters);
      own[name].dropOldTicks();
    }
    new InterruptionRules(scope, 'InterruptionRules', { queue: this.functions.interruption.wakeQueue });
    const installer = this.#install({ nodes, elsewhere, webhook, state });
    this.#watchTicks(clusters, installer?.resource ?? schedules);
    // Its resource is created last and deleted first, so the functions that drain a cluster exist until it is done.
    installer?.resource.node.addDependency(...Object.values(this.functions), webhook, schedules);
    this.#writeOutputs(webhook);
  }

  /**
   * An alarm for a function that has a tick each minute. Its runs for wakes and for other clusters count too: an alarm for the rule of each
   * cluster would cost 0.10 USD a month each, and with 100 clusters the stack would have more resources than CloudFormation allows. The
   * alarm is created last, when the function has run, because it takes a missing value for a missing tick.
   */
  #watchTicks(clusters: readonly ClusterOptions[], last: IConstruct): void {
    const isShadow = clusters.every(({ shadow = false }) => shadow);
    const ticked = isShadow ? this.functions.provisioning : this.functions.lifecycle;
    new KerfAlarm(this.#scope, 'TicksStopped', {
      alarm: 'TicksStopped',
      metric: ticked.function.metricInvocations({ period: Duration.minutes(5), statistic: 'Sum' }),
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.BREACHING,
      evaluationPeriods: 2,
    }).node.addDependency(last);
  }

  /** Outputs for operators, and for installing without the installer. */
  #writeOutputs(webhook: Webhook): void {
    // The full URL is this URL, the name of the cluster, a slash and the secret, which is in the environment of the function.
    this.#output({ WebhookUrl: webhook.url, WebhookFunctionName: webhook.function.functionName });
    for (const [name, { wakeQueue, logGroup }] of Object.entries(this.functions)) {
      this.#output({ [`${name}QueueUrl`]: wakeQueue.queue.queueUrl, [`${name}LogGroup`]: logGroup.logGroupName });
    }
    for (const name of CLUSTER_FUNCTIONS) this.#output({ [`${name}RoleArn`]: this.functions[name].role.roleArn });
  }

  /**
   * The node roles of a cluster. The name of a role that is created here is an output. The role belongs to the stack and not to the network:
   * CloudFormation cannot create a role of the same name beside it when the cluster moves to another network.
   */
  #nodeRolesOf(cluster: ClusterOptions): NodesOfCluster {
    const { linux, windows } = nodeRolesOf(cluster);
    const stack = Stack.of(this.#scope);
    const arns = [...linux, ...windows].map((name) => roleArn(stack, name));
    if (cluster.makeNodeRole !== true) return { cluster, arns };
    const created = new NodeRole(stack, `NodeRole-${cluster.name}`, { cluster });
    new CfnOutput(stack, `NodeRoleName-${cluster.name}`, {
      value: created.role.roleName,
      description: `The role of the nodes of ${cluster.name}: spec.role of its EC2NodeClasses`,
    });
    return { cluster, arns, created };
  }

  /** Creates the installer. EKS checks that a role exists, so the roles of nodes are created first. */
  #install({ nodes, ...shared }: Installed): Installer | undefined {
    const installed = nodes.filter(({ cluster }) => cluster.accessEntries !== false || cluster.install !== false);
    if (installed.length === 0) return undefined;
    const clusters = installed.map(({ cluster }) => cluster);
    const installer = new Installer(this.#scope, 'Installer', { ...shared, clusters, functions: this.functions });
    installer.resource.node.addDependency(...installed.flatMap(({ created = [] }) => created));
    this.#output({ InstallerRoleArn: installer.role.roleArn, InstallerLogGroup: installer.logGroup.logGroupName });
    return installer;
  }

  /** Grants permissions. */
  #permit({ clusters, state, bodies, decisions, nodeRoles }: Permitted): void {
    const { provisioning, lifecycle, disruption, termination, interruption } = this.functions;
    const controllers = CLUSTER_FUNCTIONS.map((name) => this.functions[name]);
    for (const { role } of controllers) permissions.grantClusterAccess(role, clusters);
    for (const { role } of controllers) state.grant(role, 'cluster-functions', clusters);
    state.grant(lifecycle.role, 'garbage-collection', clusters);
    state.grant(interruption.role, 'interruption', clusters);
    // The functions that decide for a whole cluster and complete open decisions.
    for (const { role } of [provisioning, disruption]) bodies.grantReadWrite(role);
    for (const { role } of [...controllers, interruption]) decisions.grantPutEventsTo(role);
    for (const { role } of [provisioning, lifecycle, disruption]) permissions.grantNodeClassReads(role, clusters);
    permissions.grantInstanceProfiles(lifecycle.role, clusters);
    for (const { role } of controllers) permissions.grantZonalShiftReads(role, clusters);
    for (const { role } of [lifecycle, termination, interruption]) permissions.grantInstanceReads(role);
    permissions.grantLaunch(lifecycle.role, clusters, nodeRoles);
    permissions.grantServiceLinkedRoles(lifecycle.role);
    permissions.grantTerminate(termination.role, clusters);
    permissions.grantCare(lifecycle.role, clusters);
    permissions.grantInstanceStatusReads(lifecycle.role);
  }

  /** Grants access to the queues of other functions. */
  #connect(webhook: Webhook): void {
    for (const name of CLUSTER_FUNCTIONS) this.functions[name].mayWake(this.functions, CLUSTER_FUNCTIONS);
    this.functions.interruption.mayWake(this.functions, INTERRUPTION_TARGETS);
    webhook.mayWake(this.functions, WEBHOOK_TARGETS);
  }

  /** Adds outputs to the stack: the URLs, log groups and roles that docs/operations.md and docs/webhook.md use. */
  #output(values: Readonly<Record<string, string>>): void {
    for (const [key, value] of Object.entries(values)) {
      const name = key.charAt(0).toUpperCase() + key.slice(1);
      new CfnOutput(this.#scope, name, { value, description: describeOutput(name) });
    }
  }
}

interface Permitted {
  readonly clusters: readonly ClusterOptions[];
  readonly state: StateTable;
  readonly bodies: BodyBucketConstruct;
  readonly decisions: EventBus;
  /** By ARN. */
  readonly nodeRoles: string[];
}

interface Installed {
  readonly nodes: readonly NodesOfCluster[];
  readonly elsewhere: readonly string[];
  readonly webhook: Webhook;
  readonly state: StateTable;
}

interface NodesOfCluster {
  readonly cluster: ClusterOptions;
  /** Of the roles. */
  readonly arns: readonly string[];
  /** @default the cluster uses existing roles */
  readonly created?: NodeRole;
}

type WakeFunctions = Readonly<Record<ClusterFunction | 'interruption', WakeFunction>>;

/** The functions with their queues. */
function wakeFunctions(
  scope: Construct,
  {
    environment,
    clusters,
    wakeDeadLetters: deadLetters,
  }: Pick<FunctionSetProps, 'clusters' | 'wakeDeadLetters'> & {
    readonly environment: Readonly<Record<string, string>>;
  },
): WakeFunctions {
  const [{ network } = {}] = clusters;
  const inNetwork = { environment, deadLetters, ...(network !== undefined && { network }) };
  return {
    // Only scheduling is CPU-intensive. A function with 1769 MiB gets one full vCPU.
    provisioning: new WakeFunction(scope, 'Provisioning', { name: 'provisioning', ...inNetwork, memoryMib: 1_769 }),
    lifecycle: new WakeFunction(scope, 'Lifecycle', { name: 'lifecycle', ...inNetwork }),
    disruption: new WakeFunction(scope, 'Disruption', { name: 'disruption', ...inNetwork, memoryMib: 1_769 }),
    termination: new WakeFunction(scope, 'Termination', { name: 'termination', ...inNetwork }),
    interruption: new WakeFunction(scope, 'Interruption', {
      name: 'interruption',
      environment,
      plan: EVENT_PLAN,
      // A spot instance has two minutes left, so messages are not batched.
      batchingWindow: Duration.seconds(0),
    }),
  };
}

/** From least to most verbose. */
const LEVELS = ['error', 'warn', 'info', 'debug'] as const;

function mostVerboseLevel(clusters: readonly ClusterOptions[]): string {
  const levels = clusters.map(({ logLevel = 'info' }) => LEVELS.indexOf(logLevel));
  return (LEVELS[Math.max(...levels)] ?? 'info').toUpperCase();
}
