import { type Cluster, DescribeClusterCommand, type EKSClient } from '@aws-sdk/client-eks';
import { MINUTE_MS } from '../../apis/time.ts';
import type { ClusterBootstrap } from '../../core/node-class/cluster-bootstrap.ts';
import type { Clock } from '../../ports/clock.ts';
import { RefusedError, UnreachableError } from '../../ports/errors.ts';
import type { AwsCredentials } from './client/request-signer.ts';
import { eksToken } from './eks-token.ts';
import { translated } from './errors.ts';

export interface EksAccessOptions {
  readonly client: EKSClient;
  readonly cluster: string;
  readonly region: string;
  /** Asked for each new token: a function's credentials change while it is warm. Those that are kept somewhere are not `fresh`. */
  readonly credentials: (fresh: boolean) => Promise<AwsCredentials>;
  readonly clock: Clock;
}

export interface EksCluster {
  readonly bootstrap: ClusterBootstrap;
  readonly kubernetesVersion: string;
  /** @default the configuration says all of it, and EKS was not asked */
  readonly arn?: string;
  /** Whether EKS Auto Mode runs its compute. @default as with arn */
  readonly autoMode?: boolean;
}

/** EKS takes a token for 15 minutes. */
const TOKEN_MS = 14 * MINUTE_MS;
/** Only an upgrade of the cluster changes what most ask for. */
const DESCRIPTION_MS = 10 * MINUTE_MS;
/** Auto Mode may be turned on at any time: each tick asks. */
const AUTO_MODE_MS = MINUTE_MS;

interface Kept<T> {
  readonly value: T;
  readonly sinceMs: number;
}

/** How to reach one EKS cluster: where it is, and as whom. */
export class EksAccess {
  readonly #options: EksAccessOptions;
  #cluster: Kept<EksCluster> | undefined;
  #token: Kept<string> | undefined;

  constructor(options: EksAccessOptions) {
    this.#options = options;
  }

  /** `oldestMs`: how old the answer may be. *Errors:* RefusedError where the cluster is unknown or still in creation; UnreachableError, where nothing is known yet. */
  async describe(oldestMs: number = DESCRIPTION_MS): Promise<EksCluster> {
    const now = this.#options.clock.now();
    const kept = this.#cluster;
    if (kept !== undefined && now - kept.sinceMs < oldestMs) return kept.value;
    try {
      const value = await this.#ask();
      this.#cluster = { value, sinceMs: now };
      return value;
    } catch (error) {
      // What EKS said last holds while it does not answer: a cluster keeps its address for life.
      if (kept !== undefined && error instanceof UnreachableError) return kept.value;
      throw error;
    }
  }

  /** Whether EKS Auto Mode runs its compute in the cluster. *Errors:* as `describe`. */
  async autoMode(): Promise<boolean> {
    return (await this.describe(AUTO_MODE_MS)).autoMode === true;
  }

  async #ask(): Promise<EksCluster> {
    const { client, cluster: name } = this.#options;
    const command = new DescribeClusterCommand({ name });
    const answer = await translated(`describe EKS cluster ${name}`, () => client.send(command));
    return clusterOf(name, answer.cluster);
  }

  /**
   * A bearer token for the cluster's API, made without a call. @param refused the one that the API server did not take:
   * where it is not kept any more, somebody else has made another already.
   */
  async token(refused?: string): Promise<string> {
    const nowMs = this.#options.clock.now();
    const kept = this.#token;
    if (kept !== undefined && nowMs - kept.sinceMs < TOKEN_MS && kept.value !== refused) return kept.value;
    const { cluster, region } = this.#options;
    const fresh = kept !== undefined && kept.value === refused;
    const credentials = await translated(`find credentials for ${cluster}`, () => this.#options.credentials(fresh));
    const value = await eksToken({ cluster, region, credentials, nowMs });
    this.#token = { value, sinceMs: nowMs };
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
    autoMode: cluster?.computeConfig?.enabled === true,
  };
}
