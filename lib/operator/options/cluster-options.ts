/** The configuration of one cluster of a deployment: `clusters` of the CDK context, validated once. */
import { isRecord } from '../../apis/record.ts';
import { fingerprint } from '../../core/identity.ts';
import { DECISION_SNAPSHOTS, type DecisionSnapshots, type WorkloadSelector } from '../../core/model/settings.ts';

export type { NetworkOptions } from './option-fields.ts';

import {
  choiceOf,
  durationBetween,
  flag,
  flagsAmong,
  labelKeysOf,
  type NetworkOptions,
  namespacesOf,
  networkOf,
  numberBetween,
  type OptionField,
  pathOf,
  readFields,
  repairAfterOf,
  selectorsOf,
  textMatching,
  textOption,
} from './option-fields.ts';
import { checkUrl, OptionError, shown } from './option-values.ts';

/** The feature gates of F18 that Kerf has. */
export const FEATURE_GATES = [
  'nodeOverlay',
  'capacityBuffer',
  'reservedCapacity',
  'nodeRepair',
  'spotToSpotConsolidation',
  'staticCapacity',
] as const;
export type FeatureGate = (typeof FEATURE_GATES)[number];

export interface ClusterOptions {
  readonly name: string;
  /** F20 CLUSTER_ENDPOINT: the API server's address. @default from EKS, as for the next three */
  readonly endpoint?: string;
  /** F20 CLUSTER_CA_BUNDLE: the certificate authority of the API server, PEM in base64. */
  readonly certificateAuthority?: string;
  /** The CIDR of the cluster's services, from which nodes derive the address of the cluster's DNS. */
  readonly serviceCidr?: string;
  /** For example `1.35`. It selects the images. */
  readonly kubernetesVersion?: string;
  /** The name of the nodes' IAM role, which Kerf may pass to instances. @default KarpenterNodeRole-NAME */
  readonly nodeRole?: string;
  /** The same for Windows nodes, which need an access entry of another type. @default none */
  readonly windowsNodeRole?: string;
  /** Whether the stack creates a role for the nodes, KerfNodeRole-NAME, with an access entry. @default false */
  readonly makeNodeRole?: boolean;
  /** C36 ENABLE_ZONAL_SHIFT: whether Kerf launches no nodes in a zone from which ARC shifts the cluster away. @default false */
  readonly zonalShift?: boolean;
  /** Whether the stack creates EKS access entries for its functions and the nodes. @default true */
  readonly accessEntries?: boolean;
  /** Whether the stack applies CRDs, RBAC and the webhook configuration to the cluster. @default true */
  readonly install?: boolean;
  /** What deleting the stack does with instances: keep them, or drain and terminate them first. @default 'keep' */
  readonly onDelete?: 'keep' | 'drain';
  /** F20 DISABLE_DRY_RUN, inverted: whether a NodeClass becomes ready only after a dry run of a launch. @default true */
  readonly dryRunChecks?: boolean;
  /** F20 ISOLATED_VPC: Kerf does not call IAM, so NodeClasses must name existing instance profiles. @default false */
  readonly isolatedVpc?: boolean;
  /** The network in which the cluster's functions run, for a private endpoint. @default no VPC, public endpoint */
  readonly network?: NetworkOptions;
  /** The address of the webhook for the API server, without the cluster's name. @default the Function URL of the webhook function */
  readonly webhookUrl?: string;
  /** The certificate authority of webhookUrl, PEM in base64. @default the certificate authorities of the API server's system */
  readonly webhookCertificateAuthority?: string;
  /** Whether Kerf decides and records, and writes nothing to the cluster or EC2. @default false */
  readonly shadow?: boolean;
  /** F17 BATCH_IDLE_DURATION. @default '1s' */
  readonly batchIdleDuration?: string;
  /** F17 BATCH_MAX_DURATION. @default '10s' */
  readonly batchMaxDuration?: string;
  /** F17 PREFERENCE_POLICY (B32). @default 'Respect' */
  readonly preferencePolicy?: 'Respect' | 'Ignore';
  /** The most that preferences may cost while capacity is missing, as a multiple of the node without them (B30). @default 1.5 */
  readonly preferencePriceFactor?: number;
  /** F17 MIN_VALUES_POLICY (B24). @default 'Strict' */
  readonly minValuesPolicy?: 'Strict' | 'BestEffort';
  /** Whether several nodes may be replaced by several cheaper ones; Karpenter replaces nodes by one at most (E21). @default true */
  readonly fleetConsolidation?: boolean;
  /** Whether moves of consolidation that save little for their evictions wait; Karpenter's do not (E28). @default false */
  readonly lowScoreWaits?: boolean;
  /** Whether nodes that are used less than others have the taint `kerf.dev/underutilized:PreferNoSchedule`, so that the kube-scheduler uses them last. @default true */
  readonly softTaints?: boolean;
  /** Whether pending pods are nominated for the nodes that they are planned for (B66). @default true */
  readonly nominatePods?: boolean;
  /** F18 FEATURE_GATES. @default all on, except the last three */
  readonly featureGates?: { readonly [Gate in FeatureGate]?: boolean };
  /** G17: how long a node may have a condition before it is replaced, for example `{ "Ready=Unknown": "10m" }`. @default D29 */
  readonly repairAfter?: Readonly<Record<string, string>>;
  /** How long a registered node may take to be initialized before its NodeClaim is deleted (D8). @default no limit */
  readonly initializationTimeout?: string;
  /** F19 LOG_LEVEL. Clusters in one network share functions, which use the most verbose of their levels. @default 'info' */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
  /** Whether the metrics of the cluster that no alarm of Kerf reads are written (F11): four are 1.20 USD a month. @default false */
  readonly metrics?: boolean;
  /** F20 VM_MEMORY_OVERHEAD_PERCENT, as a share of 1 (C4). @default 0.075 */
  readonly vmMemoryOverheadPercent?: number;
  /** F20 RESERVED_ENIS (C7). @default 0 */
  readonly reservedEnis?: number;
  /** F20 AMI_REFRESH_INTERVAL: how long found images are cached. @default '5m' */
  readonly amiRefreshInterval?: string;
  /** F20 SUBNET_REFRESH_INTERVAL: how long found subnets and their free addresses are cached. @default '1m' */
  readonly subnetRefreshInterval?: string;
  /** The namespaces in which Karpenter may run. Signs of it in other namespaces are ignored. @default ['kube-system', 'karpenter'] */
  readonly karpenterNamespaces?: readonly string[];
  /** Pods for which Kerf neither launches a first node nor keeps the last node. @default [{ namespace: 'kube-system' }] */
  readonly ignoreAtZero?: readonly WorkloadSelector[];
  /** Of which decisions the snapshot is stored, for `kerf replay`. @default 'acted' */
  readonly decisionSnapshots?: DecisionSnapshots;
  /** The labels of pods by which usage is recorded, five at most. @default [] */
  readonly usageLabels?: readonly string[];
}

const base64 = textMatching(
  /^(?=.)(?:[0-9A-Za-z+/]{4})*(?:[0-9A-Za-z+/]{2}==|[0-9A-Za-z+/]{3}=)?$/,
  'a certificate as EKS returns it: PEM in base64, on one line',
);
/** The stack builds the ARN from it. */
const roleName = textMatching(/^[0-9A-Za-z_+=,.@/-]+$/, 'the name of an IAM role, not its ARN');
const BATCH = { least: '0s', most: '5m' };
/** A shorter time would delete nodes that start normally. */
const INITIALIZATION = { least: '5m', most: '24h' };
/** Karpenter has the same minimum. */
const REFRESH = { least: '1m', most: '24h' };

const FIELDS: { readonly [Key in keyof Required<ClusterOptions>]: OptionField<Required<ClusterOptions>[Key]> } = {
  name: checkName,
  endpoint: checkEndpoint,
  certificateAuthority: base64,
  serviceCidr: textMatching(/^[0-9A-Fa-f.:]+\/[0-9]{1,3}$/, 'a network such as 10.100.0.0/16'),
  kubernetesVersion: textMatching(/^1\.[0-9]{2}$/, 'a version as text, such as "1.35"'),
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
  preferencePriceFactor: numberBetween(1, 100),
  minValuesPolicy: choiceOf('Strict', 'BestEffort'),
  fleetConsolidation: flag,
  lowScoreWaits: flag,
  softTaints: flag,
  nominatePods: flag,
  featureGates: flagsAmong(FEATURE_GATES),
  repairAfter: repairAfterOf,
  initializationTimeout: durationBetween(INITIALIZATION),
  logLevel: choiceOf('debug', 'info', 'warn', 'error'),
  metrics: flag,
  vmMemoryOverheadPercent: numberBetween(0, 0.5),
  reservedEnis: numberBetween(0, 15, { whole: true }),
  amiRefreshInterval: durationBetween(REFRESH),
  subnetRefreshInterval: durationBetween(REFRESH),
  karpenterNamespaces: namespacesOf,
  ignoreAtZero: selectorsOf,
  decisionSnapshots: choiceOf(...DECISION_SNAPSHOTS),
  usageLabels: labelKeysOf,
};

/** The settings of a cluster besides its name. */
export const CLUSTER_SETTINGS: readonly string[] = Object.keys(FIELDS).filter((key) => key !== 'name');

/** Validates one cluster of a configuration. *Errors:* OptionError, whose message begins with `where`. */
export function parseCluster(value: unknown, where: string): ClusterOptions {
  if (!isRecord(value)) throw new OptionError(`${where} is ${shown(value)}: it must be an object`);
  const fields = readFields(value, FIELDS, where);
  return { ...fields, name: checkName(fields.name, pathOf(where, 'name')) };
}

/** Clusters with the same network name share functions. Undefined for clusters without a network. */
export function networkName({ network }: ClusterOptions): string | undefined {
  if (network === undefined) return undefined;
  const { vpcId, subnetIds, securityGroupIds } = network;
  return `${vpcId}-${fingerprint(JSON.stringify([subnetIds.toSorted(), securityGroupIds.toSorted()]), 6)}`;
}

/** Options that only the stack and the installer use; other functions do not get them. */
const OF_STACK: readonly (keyof ClusterOptions)[] = [
  'name',
  'nodeRole',
  'windowsNodeRole',
  'makeNodeRole',
  'accessEntries',
  'onDelete',
  'network',
];

/** The variable CLUSTERS as the stack writes it: `{ "demo": {}, "other": { "endpoint": "https://…" } }`. */
export function writeClusters(clusters: readonly ClusterOptions[]): string {
  return write(clusters, OF_STACK);
}

/** The same for the installer, which also needs the options of the stack. */
export function writeInstalledClusters(clusters: readonly ClusterOptions[]): string {
  return write(clusters, ['name', 'network']);
}

function write(clusters: readonly ClusterOptions[], without: readonly (keyof ClusterOptions)[]): string {
  const omitted = Object.fromEntries(without.map((key) => [key, undefined]));
  return JSON.stringify(Object.fromEntries(clusters.map((cluster) => [cluster.name, { ...cluster, ...omitted }])));
}

/** EKS has the same rule. It also makes a name safe in a path, an ARN and a construct id. */
export function checkName(name: unknown, where: string): string {
  if (typeof name === 'string' && /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/.test(name)) return name;
  throw new OptionError(
    `${where} is ${shown(name)}: it must be the name of an EKS cluster, letters, digits, - and _, at most 100`,
  );
}

/** Tokens are sent to this address, so it needs TLS, except on this machine (for tests). */
export function checkEndpoint(value: unknown, where: string): string {
  const endpoint = checkUrl(textOption(value, where), where);
  const { protocol, hostname } = new URL(endpoint);
  if (protocol === 'https:' || hostname === '127.0.0.1' || hostname === 'localhost') return endpoint;
  throw new OptionError(`${where} is ${endpoint}: it must begin with https:// (http:// only for 127.0.0.1)`);
}

/** The API server refuses other addresses. The cluster's name and the secret are appended to the path. */
function checkWebhookUrl(value: unknown, where: string): string {
  const url = URL.parse(textOption(value, where));
  const plain = url?.protocol === 'https:' && url.search === '' && url.hash === '' && url.username === '';
  if (url !== null && plain && url.pathname.endsWith('/')) return url.href;
  throw new OptionError(
    `${where} is ${shown(value)}: it must be an address like https://hooks.example.com/, with a / at its end, ` +
      'without user, query or fragment',
  );
}
