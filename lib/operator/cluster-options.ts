/** One cluster of a deployment, as its owner configures it: `clusters` of the CDK context, checked once. */
import type { WorkloadSelector } from '../core/cluster/settings.ts';
import { fingerprint } from '../core/identity.ts';

export type { NetworkOptions } from './option-fields.ts';

import {
  choiceOf,
  durationBetween,
  type Field,
  flag,
  flagsAmong,
  matching,
  type NetworkOptions,
  networkOf,
  numberBetween,
  pathOf,
  readFields,
  selectorsOf,
  text,
} from './option-fields.ts';
import { checkUrl, isRecord, OptionError, shown } from './option-values.ts';

/** F18, as far as Kerf has the feature; each is on where nothing is said. */
export const FEATURE_GATES = ['nodeOverlay', 'capacityBuffer', 'reservedCapacity'] as const;
export type FeatureGate = (typeof FEATURE_GATES)[number];

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
  /** Whether the stack applies CRDs, RBAC and the webhook configuration to the cluster. @default true */
  readonly install?: boolean;
  /** What deleting the stack does with instances: leave them, or drain and end them first. @default 'keep' */
  readonly onDelete?: 'keep' | 'drain';
  /** F20 DISABLE_DRY_RUN, the other way round: whether the calls of a launch are tried before a NodeClass is called ready. @default true */
  readonly dryRunChecks?: boolean;
  /** F20 ISOLATED_VPC: IAM is not asked, so that instance profiles must be there. @default false */
  readonly isolatedVpc?: boolean;
  /** Where the cluster's functions run: for an endpoint that only its VPC reaches. @default in no VPC, by the public endpoint */
  readonly network?: NetworkOptions;
  /** What the API server calls, up to the cluster's name: another way to the webhook function. @default its Function URL */
  readonly webhookUrl?: string;
  /** Base64 PEM that vouches for webhookUrl. @default the authorities that the API server believes */
  readonly webhookCertificateAuthority?: string;
  /** Decide and record, and write nothing to the cluster or EC2. @default false */
  readonly shadow?: boolean;
  /** F17 BATCH_IDLE_DURATION. @default '1s' */
  readonly batchIdleDuration?: string;
  /** F17 BATCH_MAX_DURATION. @default '10s' */
  readonly batchMaxDuration?: string;
  /** F17 PREFERENCE_POLICY (B32). @default 'Respect' */
  readonly preferencePolicy?: 'Respect' | 'Ignore';
  /** F17 MIN_VALUES_POLICY (B24). @default 'Strict' */
  readonly minValuesPolicy?: 'Strict' | 'BestEffort';
  /** F18 FEATURE_GATES. @default all on */
  readonly featureGates?: { readonly [Gate in FeatureGate]?: boolean };
  /** F19 LOG_LEVEL: clusters in one network share functions, and the most talkative of them has its way. @default 'info' */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
  /** F20 VM_MEMORY_OVERHEAD_PERCENT, as a share of 1 (C4). @default 0.075 */
  readonly vmMemoryOverheadPercent?: number;
  /** F20 RESERVED_ENIS (C7). @default 0 */
  readonly reservedEnis?: number;
  /** F20 AMI_REFRESH_INTERVAL: for how long an image that was found is believed. @default '5m' */
  readonly amiRefreshInterval?: string;
  /** F20 SUBNET_REFRESH_INTERVAL: the same of subnets and what is free in them. @default '1m' */
  readonly subnetRefreshInterval?: string;
  /** Pods that neither wake an empty cluster nor hold its last node. @default [{ namespace: 'kube-system' }] */
  readonly ignoreAtZero?: readonly WorkloadSelector[];
}

const base64 = matching(
  /^(?=.)(?:[0-9A-Za-z+/]{4})*(?:[0-9A-Za-z+/]{2}==|[0-9A-Za-z+/]{3}=)?$/,
  'a certificate as EKS shows it: PEM in base64, on one line',
);
/** The stack makes the ARN of it. */
const roleName = matching(/^[0-9A-Za-z_+=,.@/-]+$/, 'the name of an IAM role, not its ARN');
const BATCH = { least: '0s', most: '5m' };
/** Karpenter takes no less than a minute either. */
const REFRESH = { least: '1m', most: '24h' };

const FIELDS: { readonly [Key in keyof Required<ClusterOptions>]: Field<Required<ClusterOptions>[Key]> } = {
  name: checkName,
  endpoint: checkEndpoint,
  certificateAuthority: base64,
  serviceCidr: matching(/^[0-9A-Fa-f.:]+\/[0-9]{1,3}$/, 'a network such as 10.100.0.0/16'),
  kubernetesVersion: matching(/^1\.[0-9]{2}$/, 'a version such as 1.35'),
  nodeRole: roleName,
  windowsNodeRole: roleName,
  makeNodeRole: flag,
  zonalShift: flag,
  accessEntries: flag,
  install: flag,
  onDelete: choiceOf('keep', 'drain'),
  dryRunChecks: flag,
  isolatedVpc: flag,
  network: networkOf,
  webhookUrl: checkWebhookUrl,
  webhookCertificateAuthority: base64,
  shadow: flag,
  batchIdleDuration: durationBetween(BATCH),
  batchMaxDuration: durationBetween(BATCH),
  preferencePolicy: choiceOf('Respect', 'Ignore'),
  minValuesPolicy: choiceOf('Strict', 'BestEffort'),
  featureGates: flagsAmong(FEATURE_GATES),
  logLevel: choiceOf('debug', 'info', 'warn', 'error'),
  vmMemoryOverheadPercent: numberBetween(0, 0.5),
  reservedEnis: numberBetween(0, 15, { whole: true }),
  amiRefreshInterval: durationBetween(REFRESH),
  subnetRefreshInterval: durationBetween(REFRESH),
  ignoreAtZero: selectorsOf,
};

/** One cluster of a configuration, checked. *Errors:* OptionError, which begins with `where`. */
export function parseCluster(value: unknown, where: string): ClusterOptions {
  if (!isRecord(value)) throw new OptionError(`${where} is ${shown(value)}: it must be an object`);
  const fields = readFields(value, FIELDS, where);
  return { ...fields, name: checkName(fields.name, pathOf(where, 'name')) };
}

/** Clusters of one name share functions; undefined for those that are reached from no VPC. */
export function networkName({ network }: ClusterOptions): string | undefined {
  if (network === undefined) return undefined;
  const { vpcId, subnetIds, securityGroupIds } = network;
  return `${vpcId}-${fingerprint(JSON.stringify([subnetIds.toSorted(), securityGroupIds.toSorted()]), 6)}`;
}

/** What only the stack itself has a use for is no use to a function. */
const UNTOLD: readonly (keyof ClusterOptions)[] = [
  'name',
  'nodeRole',
  'windowsNodeRole',
  'makeNodeRole',
  'accessEntries',
  'onDelete',
  'network',
];

/** CLUSTERS, as the stack writes it: `{ "demo": {}, "other": { "endpoint": "https://…" } }`. */
export function writeClusters(clusters: readonly ClusterOptions[]): string {
  const untold = Object.fromEntries(UNTOLD.map((key) => [key, undefined]));
  return JSON.stringify(Object.fromEntries(clusters.map((cluster) => [cluster.name, { ...cluster, ...untold }])));
}

/** The rule of EKS; it is also what keeps a name harmless in a path, an ARN and a construct id. */
export function checkName(name: unknown, where: string): string {
  if (typeof name === 'string' && /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/.test(name)) return name;
  throw new OptionError(
    `${where} is ${shown(name)}: it must be the name of an EKS cluster, letters, digits, - and _, at most 100`,
  );
}

/** Tokens go to this address: without TLS they may only stay on this machine, as they do in tests. */
export function checkEndpoint(value: unknown, where: string): string {
  const endpoint = checkUrl(text(value, where), where);
  const { protocol, hostname } = new URL(endpoint);
  if (protocol === 'https:' || hostname === '127.0.0.1' || hostname === 'localhost') return endpoint;
  throw new OptionError(`${where} is ${endpoint}: it must begin with https:// (http:// only for 127.0.0.1)`);
}

/** The API server refuses any other, and appends nothing but the path that we ask for. */
function checkWebhookUrl(value: unknown, where: string): string {
  const url = URL.parse(text(value, where));
  const plain = url?.protocol === 'https:' && url.search === '' && url.hash === '' && url.username === '';
  if (url !== null && plain && url.pathname.endsWith('/')) return url.href;
  throw new OptionError(
    `${where} is ${shown(value)}: it must be an address like https://hooks.example.com/, with a / at its end, ` +
      'without user, query or fragment',
  );
}
