/**
 * What the stack tells the functions: every environment variable, by name and by meaning. The stack writes them and the
 * wiring parses them, both with this file, so that neither can drift from the other.
 */

export interface ClusterOptions {
  readonly name: string;
  /** F20 CLUSTER_ENDPOINT: the API server's address. What is given here and below, EKS is not asked for. */
  readonly endpoint?: string;
  /** F20 CLUSTER_CA_BUNDLE: what its certificate is verified with, base64. */
  readonly certificateAuthority?: string;
  /** The network of its services: nodes find the cluster's DNS by it. */
  readonly serviceCidr?: string;
  /** `1.35`: images are chosen by it. */
  readonly kubernetesVersion?: string;
  /** The IAM role of the nodes, by name: Kerf may hand it to an instance of this cluster. @default KarpenterNodeRole-NAME */
  readonly nodeRole?: string;
  /** The same for nodes that run Windows, which EKS lets in by an entry of another kind. @default none */
  readonly windowsNodeRole?: string;
  /** Whether the stack makes a role for the nodes, KerfNodeRole-NAME, and lets it in. @default false */
  readonly makeNodeRole?: boolean;
  /** C36 ENABLE_ZONAL_SHIFT: whether nothing is launched in a zone that ARC shifts the cluster away from. @default false */
  readonly zonalShift?: boolean;
  /** Whether the stack lets its functions and the nodes into the cluster, through EKS. @default true */
  readonly accessEntries?: boolean;
  /** F20 DISABLE_DRY_RUN, the other way round: whether the calls of a launch are tried before a NodeClass is called ready. @default true */
  readonly dryRunChecks?: boolean;
}

/** Something in the configuration is not what it must be. The message names it, its value and what is allowed. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

/** The functions that are woken through a queue of their own. */
export const WOKEN_FUNCTIONS = ['provisioning', 'lifecycle', 'disruption', 'termination', 'catalogue'] as const;
export type WokenFunction = (typeof WOKEN_FUNCTIONS)[number];

/** Those that look at one cluster, and so are woken for each cluster every minute. */
export const CLUSTER_FUNCTIONS = ['provisioning', 'lifecycle', 'disruption', 'termination'] as const;

/** Those that the webhook wakes. */
export const WEBHOOK_TARGETS = ['provisioning', 'lifecycle', 'termination'] as const;

/** Those that an interruption wakes: the node is drained, its pods need another, and a launch may have to be settled first. */
export const INTERRUPTION_TARGETS = ['provisioning', 'lifecycle', 'termination'] as const;

/** The stack writes what the installer reads. */
export type { AccessEntry } from '../core/install/access-entries.ts';
/** The stack's IAM conditions name what a launch writes. */
export { CLUSTER_TAG } from '../core/node-claim/ownership-tags.ts';

export const METRICS = {
  namespace: 'Kerf',
  decisions: 'Decisions',
  actions: 'Actions',
  failures: 'Failures',
  pendingPods: 'PendingPods',
  nodes: 'Nodes',
  hourlyCostUsd: 'HourlyCostUsd',
} as const;

/** Where the price tables lie inside the catalogue function's package. */
export const PRICE_FOLDER = 'data';

export const VARIABLES = {
  clusters: 'CLUSTERS',
  table: 'TABLE_NAME',
  eventBus: 'EVENT_BUS_NAME',
  webhookSecret: 'WEBHOOK_SECRET',
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
  readonly eventBus: string;
  readonly ownQueueUrl: string;
  readonly queueUrls: QueueUrls;
}

export interface InterruptionOptions {
  readonly region: string;
  readonly clusters: ReadonlySet<string>;
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
    secret: read(environment, VARIABLES.webhookSecret),
    queueUrls: readQueueUrls(environment, WEBHOOK_TARGETS),
  };
}

/** *Errors:* OptionError. */
export function controllerOptions(environment: Environment): ControllerOptions {
  return {
    region: read(environment, 'AWS_REGION'),
    clusters: readClusters(environment),
    table: read(environment, VARIABLES.table),
    eventBus: read(environment, VARIABLES.eventBus),
    ownQueueUrl: checkUrl(read(environment, VARIABLES.ownQueue), VARIABLES.ownQueue),
    queueUrls: readQueueUrls(environment, WOKEN_FUNCTIONS),
  };
}

/** *Errors:* OptionError. */
export function interruptionOptions(environment: Environment): InterruptionOptions {
  return {
    region: read(environment, 'AWS_REGION'),
    clusters: new Set(readClusters(environment).keys()),
    table: read(environment, VARIABLES.table),
    eventBus: read(environment, VARIABLES.eventBus),
    ownQueueUrl: checkUrl(read(environment, VARIABLES.ownQueue), VARIABLES.ownQueue),
    queueUrls: readQueueUrls(environment, INTERRUPTION_TARGETS),
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

/** CLUSTERS, as the stack writes it: `{ "demo": {}, "other": { "endpoint": "https://…" } }`. */
export function writeClusters(clusters: readonly ClusterOptions[]): string {
  // What only the stack itself has a use for is no use to a function.
  const untold = { name: undefined, nodeRole: undefined, windowsNodeRole: undefined, makeNodeRole: undefined };
  const told = clusters.map((cluster) => [cluster.name, { ...cluster, ...untold, accessEntries: undefined }]);
  return JSON.stringify(Object.fromEntries(told));
}

const TEXT_KEYS = [
  'name',
  'endpoint',
  'certificateAuthority',
  'serviceCidr',
  'kubernetesVersion',
  'nodeRole',
  'windowsNodeRole',
] as const;
const FLAG_KEYS = ['makeNodeRole', 'accessEntries', 'dryRunChecks', 'zonalShift'] as const;
const CLUSTER_KEYS: readonly string[] = [...TEXT_KEYS, ...FLAG_KEYS];

/** One cluster of a configuration, checked. *Errors:* OptionError, which begins with `where`. */
export function parseCluster(value: unknown, where: string): ClusterOptions {
  if (!isRecord(value)) throw new OptionError(`${where} is ${JSON.stringify(value)}: it must be an object`);
  const keys = Object.keys(value);
  const unknown = keys.find((key) => !CLUSTER_KEYS.includes(key));
  if (unknown !== undefined) {
    throw new OptionError(`${where}.${unknown} is not known: allowed are ${CLUSTER_KEYS.join(', ')}`);
  }
  const texts = fieldsOf(value, TEXT_KEYS, (text, key) => {
    if (typeof text === 'string' && text !== '') return text;
    throw new OptionError(`${where}.${key} is ${JSON.stringify(text)}: it must be a text`);
  });
  const flags = fieldsOf(value, FLAG_KEYS, (flag, key) => {
    if (typeof flag === 'boolean') return flag;
    throw new OptionError(`${where}.${key} is ${JSON.stringify(flag)}: it must be true or false`);
  });
  if (texts.endpoint !== undefined) checkEndpoint(texts.endpoint, `${where}.endpoint`);
  return { ...texts, ...flags, name: checkName(texts.name, `${where}.name`) };
}

function fieldsOf<Key extends string, T>(
  from: Readonly<Record<string, unknown>>,
  keys: readonly Key[],
  check: (value: unknown, key: Key) => T,
): { readonly [K in Key]?: T } {
  const fields: { [K in Key]?: T } = {};
  for (const key of keys) if (from[key] !== undefined) fields[key] = check(from[key], key);
  return fields;
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

/** *Errors:* OptionError. */
export function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new OptionError(`${where} is not JSON: ${text}`, { cause });
  }
}

/** The rule of EKS; it is also what keeps a name harmless in a path, an ARN and a construct id. */
function checkName(name: string | undefined, where: string): string {
  if (name !== undefined && /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/.test(name)) return name;
  throw new OptionError(
    `${where} is ${JSON.stringify(name)}: it must be the name of an EKS cluster, letters, digits, - and _, at most 100`,
  );
}

/** Tokens go to this address: without TLS they may only stay on this machine, as they do in tests. */
function checkEndpoint(endpoint: string, where: string): void {
  const { protocol, hostname } = new URL(checkUrl(endpoint, where));
  if (protocol === 'https:' || hostname === '127.0.0.1' || hostname === 'localhost') return;
  throw new OptionError(`${where} is ${endpoint}: it must begin with https:// (http:// only for 127.0.0.1)`);
}

function checkUrl(url: string, where: string): string {
  const parsed = URL.parse(url);
  if (parsed !== null && (parsed.protocol === 'https:' || parsed.protocol === 'http:')) return url;
  throw new OptionError(`${where} is ${url}: it must be an address that begins with https://`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
