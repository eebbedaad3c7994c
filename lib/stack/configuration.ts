import { type ClusterOptions, parseCluster, writeClusters } from '../operator/cluster-options.ts';
import { OptionError, parseJson, shown } from '../operator/option-values.ts';

/** Lambda allows 4 KB for all environment variables of a function; the other variables need about 1 KB of it. */
const LONGEST_CLUSTERS = 3_000;

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
  const { length } = writeClusters(clusters);
  if (length > LONGEST_CLUSTERS) {
    throw new OptionError(
      `clusters is ${length} characters as the functions read it: at most ${LONGEST_CLUSTERS} fit. ` +
        'Leave out certificateAuthority where EKS can be asked for it, or deploy twice under two names.',
    );
  }
  return clusters;
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
