import type { ClusterFunction } from '../core/install/rbac.ts';
import { type ClusterOptions, parseCluster } from './cluster-options.ts';
import { checkUrl, isRecord, OptionError, parseJson } from './option-values.ts';

/**
 * What the stack tells the functions: every environment variable, by name and by meaning. The stack writes them and the
 * wiring parses them, both with this file, so that neither can drift from the other.
 */

/** The functions that are woken through a queue of their own. */
export const WOKEN_FUNCTIONS = ['provisioning', 'lifecycle', 'disruption', 'termination', 'catalogue'] as const;
export type WokenFunction = (typeof WOKEN_FUNCTIONS)[number];

/** Those that look at one cluster, and so are woken for each cluster every minute. */
export const CLUSTER_FUNCTIONS = [
  'provisioning',
  'lifecycle',
  'disruption',
  'termination',
] as const satisfies readonly ClusterFunction[];

/** Those that the webhook wakes. */
export const WEBHOOK_TARGETS = ['provisioning', 'lifecycle'] as const;

/** Those that an interruption wakes: the node is drained, its pods need another, and a launch may have to be settled first. */
export const INTERRUPTION_TARGETS = ['provisioning', 'lifecycle', 'termination'] as const;

/** Those that the installer wakes when it drains a cluster. */
export const INSTALLER_TARGETS = ['provisioning', 'termination'] as const;

/** The stack writes what the installer reads. */
export type { AccessEntry } from '../core/install/access-entries.ts';
/** The stack lets the functions in as groups, which RBAC gives their rights to. */
export { groupOf } from '../core/install/rbac.ts';
/** The stack's IAM conditions name what a launch writes. */
export { CLUSTER_TAG } from '../core/node-claim/ownership-tags.ts';

export const METRICS = {
  namespace: 'Kerf',
  decisions: 'Decisions',
  actions: 'Actions',
  failures: 'Failures',
  stoodDown: 'StoodDown',
  shadowDecisions: 'ShadowDecisions',
  shadowActions: 'ShadowActions',
  pendingPods: 'PendingPods',
  nodes: 'Nodes',
  hourlyCostUsd: 'HourlyCostUsd',
} as const;

/** Where the price tables lie inside the catalogue function's package. */
export const PRICE_FOLDER = 'data';

export const VARIABLES = {
  clusters: 'CLUSTERS',
  table: 'TABLE_NAME',
  /** The bucket for what no item of the table can hold. */
  bodies: 'BODIES_BUCKET_NAME',
  eventBus: 'EVENT_BUS_NAME',
  /** What stands in front of the cluster's name in what an API server calls; for those who write that into clusters. */
  webhookUrl: 'WEBHOOK_URL',
  webhookSecret: 'WEBHOOK_SECRET',
  /** The VPC that the function runs in, where it runs in one. */
  vpc: 'VPC_ID',
  /** Of the queue that wakes the function itself: what fails is made visible there again. */
  ownQueue: 'OWN_QUEUE_URL',
  queue: (target: WokenFunction): string => `${target.toUpperCase()}_QUEUE_URL`,
} as const;

export type Environment = Readonly<Record<string, string | undefined>>;
type QueueUrls<Target extends WokenFunction = WokenFunction> = Readonly<Record<Target, string>>;

export interface WebhookOptions {
  readonly clusters: ReadonlySet<string>;
  readonly secret: string;
  readonly queueUrls: QueueUrls<(typeof WEBHOOK_TARGETS)[number]>;
}

export interface ControllerOptions {
  readonly region: string;
  readonly clusters: ReadonlyMap<string, ClusterOptions>;
  readonly table: string;
  readonly bodies: string;
  readonly eventBus: string;
  readonly ownQueueUrl: string;
  readonly queueUrls: QueueUrls;
}

export interface InterruptionOptions {
  readonly region: string;
  readonly clusters: ReadonlySet<string>;
  /** Those in shadow. */
  readonly shadows: ReadonlySet<string>;
  readonly table: string;
  readonly eventBus: string;
  readonly ownQueueUrl: string;
  readonly queueUrls: QueueUrls<(typeof INTERRUPTION_TARGETS)[number]>;
}

/** Which clusters, its custom resource says: of those that are no more, only that knows. */
export interface InstallerOptions {
  readonly region: string;
  readonly table: string;
  readonly webhookUrl: string;
  readonly webhookSecret: string;
  readonly queueUrls: QueueUrls<(typeof INSTALLER_TARGETS)[number]>;
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
    secret: read(environment, VARIABLES.webhookSecret),
    queueUrls: readQueueUrls(environment, WEBHOOK_TARGETS),
  };
}

/** What API servers call, of those that do not say otherwise. */
export interface WebhookAddress {
  readonly url: string;
  readonly secret: string;
  /** Whether the function that is told runs in a VPC: it may have no way to a Function URL, whoever else has one. */
  readonly fromVpc: boolean;
}

/** *Errors:* OptionError. */
export function webhookAddress(environment: Environment): WebhookAddress {
  return {
    url: checkUrl(read(environment, VARIABLES.webhookUrl), VARIABLES.webhookUrl),
    secret: read(environment, VARIABLES.webhookSecret),
    fromVpc: (environment[VARIABLES.vpc] ?? '') !== '',
  };
}

/** *Errors:* OptionError. */
export function controllerOptions(environment: Environment): ControllerOptions {
  return {
    region: read(environment, 'AWS_REGION'),
    clusters: readClusters(environment),
    table: read(environment, VARIABLES.table),
    bodies: read(environment, VARIABLES.bodies),
    eventBus: read(environment, VARIABLES.eventBus),
    ownQueueUrl: checkUrl(read(environment, VARIABLES.ownQueue), VARIABLES.ownQueue),
    queueUrls: readQueueUrls(environment, WOKEN_FUNCTIONS),
  };
}

/** *Errors:* OptionError. */
export function interruptionOptions(environment: Environment): InterruptionOptions {
  const clusters = [...readClusters(environment).values()];
  return {
    region: read(environment, 'AWS_REGION'),
    clusters: new Set(clusters.map(({ name }) => name)),
    shadows: new Set(clusters.flatMap(({ name, shadow }) => (shadow === true ? [name] : []))),
    table: read(environment, VARIABLES.table),
    eventBus: read(environment, VARIABLES.eventBus),
    ownQueueUrl: checkUrl(read(environment, VARIABLES.ownQueue), VARIABLES.ownQueue),
    queueUrls: readQueueUrls(environment, INTERRUPTION_TARGETS),
  };
}

/** *Errors:* OptionError. */
export function installerOptions(environment: Environment): InstallerOptions {
  return {
    region: read(environment, 'AWS_REGION'),
    table: read(environment, VARIABLES.table),
    webhookUrl: checkUrl(read(environment, VARIABLES.webhookUrl), VARIABLES.webhookUrl),
    webhookSecret: read(environment, VARIABLES.webhookSecret),
    queueUrls: readQueueUrls(environment, INSTALLER_TARGETS),
  };
}

/** *Errors:* OptionError. */
export function catalogueOptions(environment: Environment): CatalogueOptions {
  return {
    region: read(environment, 'AWS_REGION'),
    table: read(environment, VARIABLES.table),
    priceFolder: `${read(environment, 'LAMBDA_TASK_ROOT')}/${PRICE_FOLDER}`,
  };
}

function readClusters(environment: Environment): ReadonlyMap<string, ClusterOptions> {
  const where = VARIABLES.clusters;
  const clusters = parseJson(read(environment, where), where);
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

function readQueueUrls<Target extends WokenFunction>(
  environment: Environment,
  targets: readonly Target[],
): QueueUrls<Target>;
function readQueueUrls(environment: Environment, targets: readonly WokenFunction[]): Partial<QueueUrls> {
  return Object.fromEntries(
    targets.map((target) => [target, checkUrl(read(environment, VARIABLES.queue(target)), VARIABLES.queue(target))]),
  );
}

function read(environment: Environment, variable: string): string {
  const value = environment[variable];
  if (value === undefined || value === '') {
    throw new OptionError(`${variable} is not set: the stack sets it on every function that needs it`);
  }
  return value;
}
