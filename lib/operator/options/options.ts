import { isRecord } from '../../apis/record.ts';
import { deploymentName } from '../../core/cluster/cluster-claim.ts';
import type { ClusterFunction } from '../../core/install/rbac.ts';
import { type ClusterOptions, parseCluster } from './cluster-options.ts';
import { checkUrl, OptionError, parseJson } from './option-values.ts';

/**
 * Every environment variable of the functions. The stack writes them and the wiring parses them, both with this file, so that
 * names and formats stay equal.
 */

/** The functions that reconcile one cluster in a run. Each has a queue, with which all of them wake it, and a schedule for each cluster. */
export const CLUSTER_FUNCTIONS = [
  'provisioning',
  'lifecycle',
  'disruption',
  'termination',
] as const satisfies readonly ClusterFunction[];
export type { ClusterFunction };

/** The functions that the webhook wakes. */
export const WEBHOOK_TARGETS = ['provisioning', 'lifecycle'] as const;

/** The functions that an interruption wakes: the node is drained, its pods need a new node, and an unknown launch outcome is resolved first. */
export const INTERRUPTION_TARGETS = ['provisioning', 'lifecycle', 'termination'] as const;

/** The functions that the installer wakes when it drains a cluster. */
export const INSTALLER_TARGETS = ['provisioning', 'termination'] as const;

export { NODE_POOL as NODE_POOL_TAG } from '../../apis/labels.ts';
/** The stack has a rule for it. */
export { ALL_CLUSTERS, CATALOGUE_WAKE } from '../../core/delivery/catalogue-wake.ts';
/** The stack configures the queues with the plans by which functions return messages. */
export {
  type DeliveryPlan,
  EVENT_PLAN,
  WAKE_PLAN,
} from '../../core/delivery/deliveries.ts';
/** The schedules of the stack. */
export { SLOW_TICK_MINUTES, tickedEachMinute, tickedSlowly } from '../../core/delivery/ticks.ts';
/** The stack allows access entries with these groups alone, to which RBAC grants rights. */
export { groupOf } from '../../core/install/rbac.ts';
/** The queries of the log lines name actions and reasons. */
export type { Action } from '../../core/model/decision.ts';
export type { DeletionReason } from '../../core/model/node-claim-record.ts';
/** The stack's IAM conditions name what a launch writes. */
export { CLUSTER_TAG, ownershipTags } from '../../core/model/ownership-tags.ts';
/** The attribute of the custom resource for a webhook's secret. */
export const SECRET_ATTRIBUTE = 'Secret';

/** The property of an installer's custom resource with the clusters of the other networks, which have installers of their own. */
export const ELSEWHERE = 'Elsewhere';

/** The metrics that are paid for. Those that Karpenter has too have its names (F11). */
export const METRICS = {
  namespace: 'Kerf',
  decisions: 'Decisions',
  failures: 'Failures',
  onStandby: 'StoodDown',
  shadowDecisions: 'ShadowDecisions',
  pendingPods: 'karpenter_scheduler_queue_depth',
  nodes: 'karpenter_cluster_state_node_count',
  hourlyCostUsd: 'karpenter_nodepools_cost_total',
  problems: 'Problems',
  waitingPods: 'WaitingPods',
} as const;

/** What each metric counts, and when it is written. `npm run generate` writes docs/signals.md from this table. @internal */
export const METRIC_MEANINGS: Readonly<Record<Exclude<keyof typeof METRICS, 'namespace'>, string>> = {
  decisions: 'With the setting `metrics`: decisions with actions. Written when there are any.',
  failures: 'Failures of runs and of single objects. Written when there are any.',
  onStandby: 'Whether Kerf is on standby in a cluster. Written each minute while it is.',
  shadowDecisions:
    'With the setting `metrics`: decisions in shadow, which are not carried out. Written when there are any.',
  pendingPods:
    'With the setting `metrics`: pods for which the scheduler finds no node. Written in each run of provisioning while there are any.',
  nodes:
    'With the setting `metrics`: nodes of Kerf. Written when the number changes, and every 15 minutes while there are any: no value for longer means none.',
  hourlyCostUsd:
    'With the setting `metrics`: the price of the instances in USD an hour. Written when it changes, and every 15 minutes while there are any: no value for longer means none.',
  problems: 'Problems of a run besides waiting pods. Written in each run that finds any.',
  waitingPods:
    'Pods that wait for more than five minutes although Kerf has a node for them. Written while there are any.',
};

/** The metrics of the deployment, which have alarms. The others are those of a cluster. @internal */
export const DEPLOYMENT_METRICS: readonly string[] = [METRICS.onStandby, METRICS.problems, METRICS.waitingPods];

/** The folder of the price tables in the catalogue function's package. */
export const PRICE_FOLDER = 'data';

export const VARIABLES = {
  clusters: 'CLUSTERS',
  /** The names of the clusters of the deployment that other functions serve, as a JSON list. @default not known: they do not fit */
  otherClusters: 'OTHER_CLUSTERS',
  table: 'TABLE_NAME',
  /** The AWS account, for the name of the deployment. */
  account: 'ACCOUNT_ID',
  /** The bucket for payloads that do not fit into an item of the table. */
  bodies: 'BODIES_BUCKET_NAME',
  eventBus: 'EVENT_BUS_NAME',
  /** The webhook's address without the cluster's name, for the functions that write it into clusters. */
  webhookUrl: 'WEBHOOK_URL',
  webhookSecret: 'WEBHOOK_SECRET',
  /** Of the installer: the roles of the deployment, its stack, its custom resource there, and its place in the stack. */
  roles: 'ROLES',
  stack: 'STACK_ID',
  stackResource: 'STACK_RESOURCE',
  installerPath: 'INSTALLER_PATH',
  /** The VPC of the function, if it has one. */
  vpc: 'VPC_ID',
  /** The function's own queue, in which failed messages become visible again. */
  ownQueue: 'OWN_QUEUE_URL',
  queue: (target: ClusterFunction): string => `${target.toUpperCase()}_QUEUE_URL`,
} as const;

export type Environment = Readonly<Record<string, string | undefined>>;
export type QueueUrls<Target extends ClusterFunction = ClusterFunction> = Readonly<Record<Target, string>>;

export interface WebhookOptions {
  readonly clusters: ReadonlySet<string>;
  readonly secret: string;
  readonly queueUrls: QueueUrls<(typeof WEBHOOK_TARGETS)[number]>;
}

export interface ControllerOptions {
  readonly region: string;
  readonly clusters: ReadonlyMap<string, ClusterOptions>;
  /** The names of all clusters of the deployment. @default not known */
  readonly served?: readonly string[];
  readonly table: string;
  /** The name of the deployment, for the claim of a cluster. */
  readonly deployment: string;
  readonly bodies: string;
  readonly eventBus: string;
  readonly ownQueueUrl: string;
  readonly queueUrls: QueueUrls;
}

export interface InterruptionOptions {
  readonly region: string;
  readonly clusters: ReadonlySet<string>;
  /** The clusters in shadow. */
  readonly shadows: ReadonlySet<string>;
  readonly table: string;
  readonly eventBus: string;
  readonly ownQueueUrl: string;
  readonly queueUrls: QueueUrls<(typeof INTERRUPTION_TARGETS)[number]>;
}

export interface CatalogueOptions {
  readonly region: string;
  readonly table: string;
  readonly priceFolder: string;
}

/** *Errors:* OptionError. */
export function webhookOptions(environment: Environment): WebhookOptions {
  return {
    clusters: new Set(readClusters(environment).keys()),
    secret: readVariable(environment, VARIABLES.webhookSecret),
    queueUrls: readQueueUrls(environment, WEBHOOK_TARGETS),
  };
}

/** The address that API servers call, unless a cluster's configuration has another. */
export interface WebhookAddress {
  readonly url: string;
  readonly secret: string;
  /** Whether this function runs in a VPC. Then it may be unable to reach a Function URL that an API server can reach. */
  readonly fromVpc: boolean;
}

/** *Errors:* OptionError. */
export function webhookAddress(environment: Environment): WebhookAddress {
  return {
    url: checkUrl(readVariable(environment, VARIABLES.webhookUrl), VARIABLES.webhookUrl),
    secret: readVariable(environment, VARIABLES.webhookSecret),
    fromVpc: (environment[VARIABLES.vpc] ?? '') !== '',
  };
}

/** *Errors:* OptionError. */
export function controllerOptions(environment: Environment): ControllerOptions {
  const clusters = readClusters(environment);
  const others = readOtherClusters(environment);
  return {
    region: readVariable(environment, 'AWS_REGION'),
    clusters,
    ...(others !== undefined && { served: [...clusters.keys(), ...others] }),
    table: readVariable(environment, VARIABLES.table),
    deployment: readDeployment(environment),
    bodies: readVariable(environment, VARIABLES.bodies),
    eventBus: readVariable(environment, VARIABLES.eventBus),
    ownQueueUrl: checkUrl(readVariable(environment, VARIABLES.ownQueue), VARIABLES.ownQueue),
    queueUrls: readQueueUrls(environment, CLUSTER_FUNCTIONS),
  };
}

/** *Errors:* OptionError. */
export function interruptionOptions(environment: Environment): InterruptionOptions {
  const clusters = [...readClusters(environment).values()];
  return {
    region: readVariable(environment, 'AWS_REGION'),
    clusters: new Set(clusters.map(({ name }) => name)),
    shadows: new Set(clusters.flatMap(({ name, shadow }) => (shadow === true ? [name] : []))),
    table: readVariable(environment, VARIABLES.table),
    eventBus: readVariable(environment, VARIABLES.eventBus),
    ownQueueUrl: checkUrl(readVariable(environment, VARIABLES.ownQueue), VARIABLES.ownQueue),
    queueUrls: readQueueUrls(environment, INTERRUPTION_TARGETS),
  };
}

/** *Errors:* OptionError. */
export function catalogueOptions(environment: Environment): CatalogueOptions {
  return {
    region: readVariable(environment, 'AWS_REGION'),
    table: readVariable(environment, VARIABLES.table),
    priceFolder: `${readVariable(environment, 'LAMBDA_TASK_ROOT')}/${PRICE_FOLDER}`,
  };
}

/** *Errors:* OptionError. */
export function widgetOptions(environment: Environment): { readonly table: string; readonly bodies: string } {
  return {
    table: readVariable(environment, VARIABLES.table),
    bodies: readVariable(environment, VARIABLES.bodies),
  };
}

function readDeployment(environment: Environment): string {
  return deploymentName({
    account: readVariable(environment, VARIABLES.account),
    region: readVariable(environment, 'AWS_REGION'),
    table: readVariable(environment, VARIABLES.table),
  });
}

/** *Errors:* OptionError. */
export function readClusters(environment: Environment): ReadonlyMap<string, ClusterOptions> {
  const where = VARIABLES.clusters;
  const clusters = parseJson(readVariable(environment, where), where);
  if (!isRecord(clusters) || Object.keys(clusters).length === 0) {
    throw new OptionError(
      `${where} is ${JSON.stringify(clusters)}: it must be an object with one key for each cluster`,
    );
  }
  return new Map(
    Object.entries(clusters).map(([name, options]) => [
      name,
      parseCluster(isRecord(options) ? { ...options, name } : options, `${where}.${name}`),
    ]),
  );
}

function readOtherClusters({ [VARIABLES.otherClusters]: text }: Environment): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const names = parseJson(text, VARIABLES.otherClusters);
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  throw new OptionError(`${VARIABLES.otherClusters} is ${text}: it must be a list of names`);
}

/** *Errors:* OptionError. */
export function readQueueUrls<Target extends ClusterFunction>(
  environment: Environment,
  targets: readonly Target[],
): QueueUrls<Target>;
export function readQueueUrls(environment: Environment, targets: readonly ClusterFunction[]): Partial<QueueUrls> {
  return Object.fromEntries(
    targets.map((target) => [
      target,
      checkUrl(readVariable(environment, VARIABLES.queue(target)), VARIABLES.queue(target)),
    ]),
  );
}

/** *Errors:* OptionError if the variable is missing or empty. */
export function readVariable(environment: Environment, variable: string): string {
  const value = environment[variable];
  if (value === undefined || value === '') {
    throw new OptionError(`${variable} is not set: the stack sets it on every function that needs it`);
  }
  return value;
}
