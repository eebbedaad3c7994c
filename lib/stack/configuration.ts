import { type ClusterOptions, networkName, parseCluster, writeClusters } from '../operator/cluster-options.ts';
import { OptionError, parseJson, shown } from '../operator/option-values.ts';

/** In bytes. Lambda allows 4,096 for all environment variables of a function; the others of one in a VPC may need 1,310 of them. @internal */
export const LONGEST_CLUSTERS = 2_700;

/** In characters, as AWS counts a managed policy; one statement, of instance profiles, names each cluster twice and cannot be split. */
const LARGEST_STATEMENT = 5_600;
const OF_EACH_CLUSTER = 'arn:aws-us-gov:iam::123456789012:instance-profile/karpenter/ap-southeast-1//*"","",'.length;

/**
 * The clusters that one deployment serves, from the CDK context: `-c clusters='[{"name":"a"},…]'`, or `-c cluster=a` for
 * one with nothing to say about it.
 *
 * *Errors:* OptionError.
 */
export function configuredClusters(contextOf: (key: string) => unknown): readonly ClusterOptions[] {
  const clusters = readList(contextOf('cluster'), contextOf('clusters')).map((value, index) =>
    parseCluster(value, `clusters[${index}]`),
  );
  const names = clusters.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new OptionError(`clusters names ${twice} twice: each cluster once`);
  checkNodeRoles(clusters);
  for (const sharing of Map.groupBy(clusters, networkName).values()) {
    checkLength(sharing);
    checkNames(sharing);
  }
  return clusters;
}

/** IAM takes roles that differ only in case for one, and CloudFormation outputs that differ only in - and _. */
function checkNodeRoles(clusters: readonly ClusterOptions[]): void {
  const making = clusters.filter(({ makeNodeRole }) => makeNodeRole === true);
  const alike = Map.groupBy(making, ({ name }) => name.toLowerCase().replaceAll(/[-_]/g, ''));
  const taken = [...alike.values()].find(({ length }) => length > 1);
  if (taken === undefined) return;
  const names = taken.map(({ name }) => name).join(' and ');
  throw new OptionError(`makeNodeRole of ${names}: AWS would take their roles for one: name nodeRole in all but one`);
}

/** Functions of one network read the clusters there, and no others. */
function checkLength(sharing: readonly ClusterOptions[]): void {
  const length = Buffer.byteLength(writeClusters(sharing));
  if (length <= LONGEST_CLUSTERS) return;
  throw new OptionError(
    `the ${sharing.length} clusters from ${sharing[0]?.name} on are ${length} bytes as one function reads them: at most ` +
      `${LONGEST_CLUSTERS} fit. Leave out certificateAuthority where EKS can be asked for it, and what is at its default`,
  );
}

function checkNames(sharing: readonly ClusterOptions[]): void {
  const length = sharing.reduce((sum, { name }) => sum + 2 * name.length + OF_EACH_CLUSTER, 0);
  if (length <= LARGEST_STATEMENT) return;
  throw new OptionError(
    `the ${sharing.length} clusters from ${sharing[0]?.name} on make a statement of ${length} characters in a policy of IAM, with room ` +
      `for ${LARGEST_STATEMENT}: some 50 clusters fit. Those with another network have functions and policies of their own`,
  );
}

/**
 * `-c rotateWebhookSecret=TEXT`: another text than at the last deploy, and the webhook gets another secret.
 *
 * *Errors:* OptionError.
 */
export function webhookSecretRotation(contextOf: (key: string) => unknown): string | undefined {
  const rotation = contextOf('rotateWebhookSecret');
  if (rotation === undefined) return undefined;
  if (typeof rotation === 'string' && /^[0-9A-Za-z-]{1,64}$/.test(rotation)) return rotation;
  throw new OptionError(
    `rotateWebhookSecret is ${shown(rotation)}: it must be a text such as 2026-11-21, letters, digits and -, at most 64`,
  );
}

function readList(cluster: unknown, clusters: unknown): readonly unknown[] {
  if (cluster !== undefined && clusters !== undefined) {
    throw new OptionError('cluster and clusters are both set: use one of them');
  }
  if (cluster !== undefined) return [{ name: cluster }];
  // From the command line it is text, from cdk.json a list.
  const list = typeof clusters === 'string' ? parseJson(clusters, 'clusters') : clusters;
  if (Array.isArray(list) && list.length > 0) return list;
  throw new OptionError(
    list === undefined
      ? `no cluster is named: say -c cluster=NAME, or -c clusters='[{"name":"a"},{"name":"b"}]' for several`
      : `clusters is ${JSON.stringify(list)}: it must be a list such as [{"name":"a"},{"name":"b"}]`,
  );
}
