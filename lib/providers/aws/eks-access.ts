import { type Cluster, DescribeClusterCommand, type EKSClient } from '@aws-sdk/client-eks';
import { MINUTE_MS } from '../../apis/time.ts';
import type { ClusterBootstrap } from '../../core/node-class/cluster-bootstrap.ts';
import type { Clock } from '../../ports/clock.ts';
import { RefusedError } from '../../ports/errors.ts';
import { eksToken } from './eks-token.ts';
import { translated } from './errors.ts';
import type { AwsCredentials } from './signature-v4.ts';

export interface EksAccessOptions {
  readonly client: EKSClient;
  readonly cluster: string;
  readonly region: string;
  /** Asked for each new token: a function's credentials change while it is warm. */
  readonly credentials: () => Promise<AwsCredentials>;
  readonly clock: Clock;
}

export interface EksCluster {
  readonly bootstrap: ClusterBootstrap;
  readonly kubernetesVersion: string;
  /** @default the configuration says all of it, and EKS was not asked */
  readonly arn?: string;
}

/** EKS takes a token for 15 minutes. */
const TOKEN_MS = 14 * MINUTE_MS;
/** Only an upgrade of the cluster changes the answer. */
const DESCRIPTION_MS = 10 * MINUTE_MS;

interface Kept<T> {
  readonly value: T;
  readonly untilMs: number;
}

/** How to reach one EKS cluster: where it is, and as whom. */
export class EksAccess {
  readonly #options: EksAccessOptions;
  #cluster: Kept<EksCluster> | undefined;
  #token: Kept<string> | undefined;

  constructor(options: EksAccessOptions) {
    this.#options = options;
  }

  /** *Errors:* RefusedError where the cluster is unknown or still in creation; UnreachableError. */
  async describe(): Promise<EksCluster> {
    const now = this.#options.clock.now();
    if (this.#cluster !== undefined && this.#cluster.untilMs > now) return this.#cluster.value;
    const { client, cluster: name } = this.#options;
    const command = new DescribeClusterCommand({ name });
    const answer = await translated(`describe EKS cluster ${name}`, () => client.send(command));
    const value = clusterOf(name, answer.cluster);
    this.#cluster = { value, untilMs: now + DESCRIPTION_MS };
    return value;
  }

  /** A bearer token for the cluster's API, made without a call. */
  async token(): Promise<string> {
    const nowMs = this.#options.clock.now();
    if (this.#token !== undefined && this.#token.untilMs > nowMs) return this.#token.value;
    const { cluster, region } = this.#options;
    const credentials = await translated(`find credentials for ${cluster}`, this.#options.credentials);
    const value = eksToken({ cluster, region, credentials, nowMs });
    this.#token = { value, untilMs: nowMs + TOKEN_MS };
    return value;
  }
}

function clusterOf(name: string, cluster: Cluster | undefined): EksCluster {
  const network = cluster?.kubernetesNetworkConfig;
  const serviceCidr = network?.serviceIpv4Cidr ?? network?.serviceIpv6Cidr;
  const certificateAuthority = cluster?.certificateAuthority?.data;
  const { arn, endpoint, version } = cluster ?? {};
  if (!endpoint || !certificateAuthority || !serviceCidr || !version) {
    throw new RefusedError(
      `EKS cluster ${name} (${cluster?.status ?? 'no status'}) has no endpoint, certificate, version or service network yet: wait until it is ACTIVE`,
    );
  }
  return {
    bootstrap: { clusterName: name, endpoint, certificateAuthority, serviceCidr },
    kubernetesVersion: version,
    ...(arn === undefined ? {} : { arn }),
  };
}
