import {
  type ClusterOptions,
  networkName,
  parseCluster,
  writeClusters,
  writeInstalledClusters,
} from '../operator/options/cluster-options.ts';
import { OptionError, parseJson, shown } from '../operator/options/option-values.ts';
import { withSettings } from '../operator/options/single-cluster.ts';

/** In bytes. Lambda allows 4,096 bytes for all environment variables; the others of a function in a VPC may need 1,310. */
export const LONGEST_CLUSTERS = 2_700;

/** In characters, as AWS counts a managed policy. The statement for instance profiles lists each cluster twice and cannot be split. */
const LARGEST_STATEMENT = 5_600;
const OF_EACH_CLUSTER = 'arn:aws-us-gov:iam::123456789012:instance-profile/karpenter/ap-southeast-1//*"","",'.length;

/**
 * Reads the clusters of a deployment from the CDK context: `-c clusters='[{"name":"a"},…]'`, or `-c cluster=a` for one cluster.
 * Further keys are settings of a single cluster, for example `-c shadow=true`.
 *
 * *Errors:* OptionError.
 */
export function configuredClusters(contextOf: (key: string) => unknown): readonly ClusterOptions[] {
  const list = readList(contextOf('cluster'), contextOf('clusters'));
  const clusters = withSettings(list, contextOf).map((value, index) => parseCluster(value, `clusters[${index}]`));
  const names = clusters.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new OptionError(`clusters contains ${twice} twice; list each cluster once`);
  checkNodeRoles(clusters);
  checkDrains(clusters);
  for (const sharing of Map.groupBy(clusters, networkName).values()) {
    checkLength(sharing);
    checkNames(sharing);
  }
  return clusters;
}

/** IAM does not distinguish role names by case, and CloudFormation does not distinguish outputs by - and _. */
function checkNodeRoles(clusters: readonly ClusterOptions[]): void {
  const making = clusters.filter(({ makeNodeRole }) => makeNodeRole === true);
  const alike = Map.groupBy(making, ({ name }) => name.toLowerCase().replaceAll(/[-_]/g, ''));
  const taken = [...alike.values()].find(({ length }) => length > 1);
  if (taken === undefined) return;
  const names = taken.map(({ name }) => name).join(' and ');
  throw new OptionError(
    `makeNodeRole of ${names}: AWS does not distinguish the names of their roles; set nodeRole for all but one`,
  );
}

/** The installer removes only access from a cluster in which it has installed nothing. */
function checkDrains(clusters: readonly ClusterOptions[]): void {
  const kept = clusters.find(({ onDelete, install }) => onDelete === 'drain' && install === false);
  if (kept === undefined) return;
  throw new OptionError(
    `onDelete of ${kept.name} is "drain", but with "install": false its nodes would not be drained and their instances would keep ` +
      'running: set onDelete to keep and terminate them yourself, or remove install',
  );
}

/** The functions of a network read only the clusters of that network. */
function checkLength(sharing: readonly ClusterOptions[]): void {
  const length = Math.max(...[writeClusters, writeInstalledClusters].map((write) => Buffer.byteLength(write(sharing))));
  if (length <= LONGEST_CLUSTERS) return;
  throw new OptionError(
    `${theClusters(sharing)} ${length} bytes of environment variables, but at most ` +
      `${LONGEST_CLUSTERS} are available. Remove certificateAuthority where functions can read it from EKS, and options with default values`,
  );
}

function theClusters([first, ...others]: readonly ClusterOptions[]): string {
  return others.length === 0
    ? `cluster ${first?.name} needs`
    : `the ${others.length + 1} clusters from ${first?.name} on need`;
}

function checkNames(sharing: readonly ClusterOptions[]): void {
  const length = sharing.reduce((sum, { name }) => sum + 2 * name.length + OF_EACH_CLUSTER, 0);
  if (length <= LARGEST_STATEMENT) return;
  throw new OptionError(
    `${theClusters(sharing)} an IAM policy statement of ${length} characters, but at most ` +
      `${LARGEST_STATEMENT} are allowed, enough for about 50 clusters. Clusters of another network have separate functions and policies`,
  );
}

/**
 * Reads `-c rotateWebhookSecret=TEXT`. A text that differs from the last deployment gives the webhook a new secret.
 *
 * *Errors:* OptionError.
 */
export function webhookSecretRotation(contextOf: (key: string) => unknown): string | undefined {
  const rotation = contextOf('rotateWebhookSecret');
  if (rotation === undefined) return undefined;
  if (typeof rotation === 'string' && /^[0-9A-Za-z-]{1,64}$/.test(rotation)) return rotation;
  throw new OptionError(
    `rotateWebhookSecret is ${shown(rotation)}; use at most 64 letters, digits and -, such as 2026-11-21`,
  );
}

/**
 * Reads `-c alarmTopicArn=ARN`: the SNS topic that the alarms of the deployment notify.
 *
 * *Errors:* OptionError.
 */
export function alarmTopic(contextOf: (key: string) => unknown): string | undefined {
  const arn = contextOf('alarmTopicArn');
  if (arn === undefined) return undefined;
  if (typeof arn === 'string' && /^arn:[a-z-]+:sns:[a-z0-9-]+:[0-9]{12}:[0-9A-Za-z_-]{1,256}$/.test(arn)) return arn;
  throw new OptionError(
    `alarmTopicArn is ${shown(arn)}: it must be the ARN of an SNS topic, such as arn:aws:sns:eu-west-3:123456789012:on-call`,
  );
}

function readList(cluster: unknown, clusters: unknown): readonly unknown[] {
  if (cluster !== undefined && clusters !== undefined) {
    throw new OptionError('cluster and clusters are both set; use one of them');
  }
  if (cluster !== undefined) return [{ name: cluster }];
  // Text on the command line, a list in cdk.json.
  const list = typeof clusters === 'string' ? listOfText(clusters) : clusters;
  if (Array.isArray(list) && list.length > 0) return list;
  throw new OptionError(
    list === undefined
      ? `no cluster is set; use -c cluster=NAME, or -c clusters='[{"name":"a"},{"name":"b"}]' for several`
      : `clusters is ${JSON.stringify(list)}; it must be a list such as [{"name":"a"},{"name":"b"}]`,
  );
}

function listOfText(text: string): unknown {
  try {
    return parseJson(text, 'clusters');
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    throw new OptionError(`${error.message}; write -c clusters='${JSON.stringify(namesIn(text))}'`, { cause: error });
  }
}

/** The clusters that a list of names without JSON probably means; an example for any other text. */
function namesIn(text: string): readonly { readonly name: string }[] {
  const names = text.split(/[\s,]+/).filter((name) => name !== '');
  const areNames = names.length > 0 && names.every((name) => /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/.test(name));
  return (areNames ? names : ['a', 'b']).map((name) => ({ name }));
}
