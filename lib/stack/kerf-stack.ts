import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import { type ClusterOptions, writeClusters } from '../operator/cluster-options.ts';
import {
  type AccessEntry,
  CLUSTER_FUNCTIONS,
  groupOf,
  INTERRUPTION_TARGETS,
  PRICE_FOLDER,
  VARIABLES,
  WEBHOOK_TARGETS,
  WOKEN_FUNCTIONS,
  type WokenFunction,
} from '../operator/options.ts';
import { Dashboard } from './dashboard.ts';
import { Installer } from './installer.ts';
import { InterruptionRules } from './interruption-rules.ts';
import { givenNodeRoles, NodeRole, roleArn } from './node-role.ts';
import * as permissions from './permissions.ts';
import { Schedules } from './schedules.ts';
import { StandDownAlarm } from './stand-down-alarm.ts';
import { StateTable } from './state-table.ts';
import { WakeFunction } from './wake-function.ts';
import { Webhook } from './webhook.ts';

export interface KerfStackProps extends StackProps {
  readonly clusters: readonly ClusterOptions[];
  /** Another text than at the last deploy makes another secret for the webhook. @default - the first one stays */
  readonly webhookSecretRotation?: string;
}

/** One deployment of Kerf: one account, one region, any number of clusters. */
export class KerfStack extends Stack {
  constructor(scope: Construct, id: string, props: KerfStackProps) {
    super(scope, id, { description: 'Kerf: node autoscaling for Amazon EKS with nothing left running', ...props });
    const { clusters, webhookSecretRotation: secretRotation } = props;
    const names = clusters.map(({ name }) => name);

    const state = new StateTable(this, 'State');
    const decisions = new EventBus(this, 'Decisions', { description: 'Every decision of Kerf' });
    decisions.applyRemovalPolicy(RemovalPolicy.DESTROY);

    const told = { [VARIABLES.clusters]: writeClusters(clusters) };
    const stored = { [VARIABLES.table]: state.name, [VARIABLES.eventBus]: decisions.eventBusName };
    const functions = wakeFunctions(this, { ...told, ...stored });
    const webhook = new Webhook(this, 'Webhook', {
      environment: told,
      ...(secretRotation !== undefined && { secretRotation }),
    });
    webhook.introduceTo(functions.lifecycle);

    const nodes = clusters.map((cluster) => this.#nodeRolesOf(cluster));
    this.#permit(functions, { clusters, state, decisions, nodeRoles: nodes.flatMap(({ roles }) => roles) });
    this.#connect(functions, webhook);
    new Schedules(this, 'Schedules', {
      clusters: names,
      everyMinute: CLUSTER_FUNCTIONS.map((name) => functions[name].wakeQueue),
      twiceADay: functions.catalogue.wakeQueue,
    });
    new InterruptionRules(this, 'InterruptionRules', { queue: functions.interruption.wakeQueue });
    this.#install(functions, nodes);
    for (const cluster of names) new StandDownAlarm(this, `StandDownAlarm-${cluster}`, { cluster });
    new Dashboard(this, 'Dashboard', { clusters: names, functions });

    this.#output({
      // The whole URL is this, the cluster's name, a slash and the secret, which no output prints.
      WebhookUrl: webhook.url,
      WebhookSecretArn: webhook.secretArn,
      TableName: state.name,
      EventBusName: decisions.eventBusName,
    });
    for (const [name, { wakeQueue, logGroup }] of Object.entries(functions)) {
      this.#output({ [`${name}QueueUrl`]: wakeQueue.queue.queueUrl, [`${name}LogGroup`]: logGroup.logGroupName });
    }
    // For RBAC, and for whoever lets them into the clusters in place of the installer.
    for (const name of CLUSTER_FUNCTIONS) this.#output({ [`${name}RoleArn`]: functions[name].role.roleArn });
  }

  /** The roles that nodes of a cluster may have, by ARN; the one that is made here is an output. */
  #nodeRolesOf(cluster: ClusterOptions): NodesOfCluster {
    const { linux, windows } = givenNodeRoles(cluster);
    const arns = (names: readonly string[]) => names.map((name) => roleArn(this, name));
    const made =
      cluster.makeNodeRole === true ? new NodeRole(this, `NodeRole-${cluster.name}`, { cluster }) : undefined;
    if (made !== undefined) new CfnOutput(this, `NodeRoleName-${cluster.name}`, { value: made.role.roleName });
    const linuxArns = [...arns(linux), ...(made === undefined ? [] : [made.role.roleArn])];
    return { cluster, linux: linuxArns, windows: arns(windows), roles: [...linuxArns, ...arns(windows)] };
  }

  /** Who gets into the clusters. */
  #install(functions: WakeFunctions, nodes: readonly NodesOfCluster[]): void {
    const access = nodes
      .filter(({ cluster }) => cluster.accessEntries !== false)
      .map(({ cluster, linux, windows }) => ({
        cluster,
        entries: [
          ...CLUSTER_FUNCTIONS.map((name) => admitted(functions[name].role.roleArn, 'STANDARD', [groupOf(name)])),
          ...linux.map((principal) => admitted(principal, 'EC2_LINUX')),
          ...windows.map((principal) => admitted(principal, 'EC2_WINDOWS')),
        ],
      }));
    if (access.length > 0) new Installer(this, 'Installer', { access });
  }

  /** Who may do what. */
  #permit(functions: WakeFunctions, { clusters, state, decisions, nodeRoles }: Permitted): void {
    const { provisioning, lifecycle, termination, interruption, catalogue } = functions;
    const controllers = CLUSTER_FUNCTIONS.map((name) => functions[name]);
    for (const { role } of controllers) permissions.grantClusterAccess(role, clusters);
    for (const { role } of [...controllers, interruption, catalogue]) state.grantReadWrite(role);
    for (const { role } of [...controllers, interruption]) decisions.grantPutEventsTo(role);
    for (const { role } of [provisioning, lifecycle]) permissions.grantNodeClassReads(role, clusters);
    permissions.grantInstanceProfiles(lifecycle.role, clusters);
    permissions.grantTemplateRelease(lifecycle.role, clusters);
    for (const { role } of controllers) permissions.grantZonalShiftReads(role, clusters);
    for (const { role } of [lifecycle, termination, interruption]) permissions.grantInstanceReads(role);
    permissions.grantLaunch(lifecycle.role, clusters, nodeRoles);
    permissions.grantServiceLinkedRoles(lifecycle.role);
    // Lifecycle ends what no claim calls its own.
    for (const { role } of [lifecycle, termination]) permissions.grantTerminate(role, clusters);
    permissions.grantInstanceStatusReads(lifecycle.role);
    permissions.grantNaming(lifecycle.role, clusters);
    permissions.grantCatalogueReads(catalogue.role);
  }

  /** Who wakes whom. */
  #connect(functions: WakeFunctions, webhook: Webhook): void {
    for (const name of CLUSTER_FUNCTIONS) functions[name].mayWake(functions, WOKEN_FUNCTIONS);
    functions.interruption.mayWake(functions, INTERRUPTION_TARGETS);
    webhook.mayWake(functions, WEBHOOK_TARGETS);
  }

  #output(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values)) {
      new CfnOutput(this, name.charAt(0).toUpperCase() + name.slice(1), { value });
    }
  }
}

interface Permitted {
  readonly clusters: readonly ClusterOptions[];
  readonly state: StateTable;
  readonly decisions: EventBus;
  /** By ARN. */
  readonly nodeRoles: string[];
}

interface NodesOfCluster {
  readonly cluster: ClusterOptions;
  /** By ARN. */
  readonly linux: readonly string[];
  readonly windows: readonly string[];
  readonly roles: readonly string[];
}

function admitted(principal: string, type: AccessEntry['type'], groups: readonly string[] = []): AccessEntry {
  return { principal, type, groups };
}

type WakeFunctions = Readonly<Record<WokenFunction | 'interruption', WakeFunction>>;

/** Each with the queue that wakes it. */
function wakeFunctions(scope: Construct, environment: Readonly<Record<string, string>>): WakeFunctions {
  return {
    // Solving is the one thing that takes a processor: 1769 MiB is a whole one.
    provisioning: new WakeFunction(scope, 'Provisioning', { name: 'provisioning', environment, memoryMib: 1_769 }),
    lifecycle: new WakeFunction(scope, 'Lifecycle', { name: 'lifecycle', environment }),
    disruption: new WakeFunction(scope, 'Disruption', { name: 'disruption', environment, memoryMib: 1_769 }),
    termination: new WakeFunction(scope, 'Termination', { name: 'termination', environment }),
    interruption: new WakeFunction(scope, 'Interruption', {
      name: 'interruption',
      environment,
      // A spot instance has two minutes left: nothing is worth waiting for.
      batchingWindow: Duration.seconds(0),
      batchSize: 10,
    }),
    catalogue: new WakeFunction(scope, 'Catalogue', {
      name: 'catalogue',
      environment,
      timeout: Duration.minutes(5),
      memoryMib: 1_024,
      folder: PRICE_FOLDER,
    }),
  };
}
