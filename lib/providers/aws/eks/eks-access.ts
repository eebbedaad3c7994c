import { type Cluster, DescribeClusterCommand, type EKSClient } from '@aws-sdk/client-eks';
import { MINUTE_MS, SECOND_MS } from '../../../apis/formats/time.ts';
import { optional } from '../../../apis/optional.ts';
import type { ClusterBootstrap } from '../../../core/model/cluster-bootstrap.ts';
import type { Clock } from '../../../ports/clock.ts';
import { RefusedError, UnreachableError } from '../../../ports/errors.ts';
import { translated } from '../client/errors.ts';
import type { AwsCredentials } from '../client/request-signer.ts';
import { eksToken } from './eks-token.ts';

export interface EksAccessOptions {
  readonly client: EKSClient;
  readonly cluster: string;
  readonly region: string;
  /** Called for each new token, because the credentials of a warm function change. `fresh` excludes cached credentials. */
  readonly credentials: (fresh: boolean) => Promise<AwsCredentials>;
  readonly clock: Clock;
  /** How long a call may take while there is an earlier answer, in milliseconds. @default 2 s */
  readonly answerWithinMs?: number;
}

export interface EksCluster {
  readonly bootstrap: ClusterBootstrap;
  readonly kubernetesVersion: string;
  /** @default the configuration is complete, and EKS was not called */
  readonly arn?: string;
  /** Whether EKS Auto Mode manages its compute. @default as with arn */
  readonly autoMode?: boolean;
}

/** EKS accepts a token for 15 minutes. */
const TOKEN_MS = 14 * MINUTE_MS;
/** Most of the answer changes only when the cluster is upgraded. */
const DESCRIPTION_MS = 10 * MINUTE_MS;
/** Auto Mode may be enabled at any time. The call is the longest of an idle run. */
const AUTO_MODE_MS = 5 * MINUTE_MS;

/**
 * Promise 7: every run waits for this call, and a call without an answer takes 45 s by the limits of the SDK. The first eviction after a spot
 * warning has ten seconds.
 */
const ANSWER_WITHIN_MS = 2 * SECOND_MS;
/** The runs of this time use the last answer without a call. */
const NEXT_TRY_MS = 30 * SECOND_MS;

interface Kept<T> {
  readonly value: T;
  readonly sinceMs: number;
}

/** The endpoint and credentials of one EKS cluster. */
export class EksAccess {
  readonly #options: EksAccessOptions;
  #cluster: Kept<EksCluster> | undefined;
  #token: Kept<string> | undefined;
  #unansweredMs = -Infinity;

  constructor(options: EksAccessOptions) {
    this.#options = options;
  }

  /** `oldestMs`: the maximum age of the answer. *Errors:* RefusedError if the cluster does not exist or is being created; UnreachableError if there is no earlier answer. */
  async describe(oldestMs: number = DESCRIPTION_MS): Promise<EksCluster> {
    const now = this.#options.clock.now();
    const kept = this.#cluster;
    const isKept = kept !== undefined && (now - kept.sinceMs < oldestMs || now - this.#unansweredMs < NEXT_TRY_MS);
    if (isKept) return kept.value;
    try {
      const value = await this.#ask(kept && { abortSignal: AbortSignal.timeout(this.#answerWithinMs) });
      this.#cluster = { value, sinceMs: now };
      return value;
    } catch (error) {
      // The last answer is used while EKS does not respond, because the endpoint of a cluster never changes.
      if (kept === undefined || !(error instanceof UnreachableError)) throw error;
      this.#unansweredMs = now;
      return kept.value;
    }
  }

  get #answerWithinMs(): number {
    return this.#options.answerWithinMs ?? ANSWER_WITHIN_MS;
  }

  /** Whether EKS Auto Mode manages compute in the cluster. *Errors:* as `describe`. */
  async autoMode(): Promise<boolean> {
    return (await this.describe(AUTO_MODE_MS)).autoMode === true;
  }

  async #ask(within?: { readonly abortSignal: AbortSignal }): Promise<EksCluster> {
    const { client, cluster: name } = this.#options;
    const command = new DescribeClusterCommand({ name });
    const answer = await translated(`describe EKS cluster ${name}`, () => client.send(command, within));
    return clusterOf(name, answer.cluster);
  }

  /**
   * A bearer token for the cluster's API, created without a call. @param refused the token that the API server rejected. If
   * it is no longer cached, a concurrent call has already created another.
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
      `EKS cluster ${name} (${cluster?.status ?? 'no status'}) has no endpoint, certificate, version or service network yet; wait until it is ACTIVE`,
    );
  }
  return {
    bootstrap: { clusterName: name, endpoint, certificateAuthority, serviceCidr },
    kubernetesVersion: version,
    ...optional({ arn }),
    autoMode: cluster?.computeConfig?.enabled === true,
  };
}
