import { SECOND_MS, timeIn } from '../../../apis/formats/time.ts';
import { optional } from '../../../apis/optional.ts';
import type { ClusterClaim } from '../../../core/cluster/cluster-claim.ts';
import {
  KARPENTER_LABEL,
  KARPENTER_LEASE,
  KARPENTER_NAMESPACES,
  type KarpenterLease,
} from '../../../core/cluster/karpenter-signs.ts';
import { AUTO_MODE_GROUP, type AutoscalerTraces } from '../../../core/cluster/other-autoscalers.ts';
import type { Clock } from '../../../ports/clock.ts';
import { RefusedError } from '../../../ports/errors.ts';
import type { ApiClient } from '../client/api-client.ts';
import { KeptRead } from '../client/kept-read.ts';
import { listAll } from '../client/lists.ts';
import { fieldsOf, type RawObject } from '../project/project.ts';
import { claimCluster, readClaim } from './cluster-claim.ts';
import { deploymentOf, NodeClaimWriters } from './node-claim-writers.ts';

/** Results are cached for the duration of a lease, because four functions check at least every minute. */
const KEPT_MS = 15 * SECOND_MS;

export interface AutoscalerTraceOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  /** The namespaces in which Karpenter may run. @default `KARPENTER_NAMESPACES` */
  readonly namespaces?: readonly string[];
  /** The name of the deployment. @default the claim of the cluster is not read */
  readonly deployment?: string;
}

/**
 * Detects other autoscalers by two small lists and one Lease, which a warm function caches.
 * *Cost:* one more call for each service account of a sign, at most once a minute.
 */
export class AutoscalerTraceReader {
  readonly #client: ApiClient;
  readonly #clock: Clock;
  readonly #namespaces: readonly string[];
  readonly #deployment: string | undefined;
  readonly #writers: NodeClaimWriters;
  readonly #traces: KeptRead<AutoscalerTraces>;
  readonly #autoModePools: KeptRead<readonly string[]>;

  constructor({ client, clock, namespaces = KARPENTER_NAMESPACES, deployment }: AutoscalerTraceOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#namespaces = namespaces;
    this.#deployment = deployment;
    this.#writers = new NodeClaimWriters(client, clock);
    const kept = { clock, keepMs: KEPT_MS };
    this.#traces = new KeptRead(async () => this.#readAll(), kept);
    this.#autoModePools = new KeptRead(async () => listAutoModePools(client), kept);
  }

  async read(): Promise<AutoscalerTraces> {
    return await this.#traces.value();
  }

  /** The names of NodePools of EKS Auto Mode. Without an answer of EKS, they are the sign of Auto Mode. */
  async readAutoModePools(): Promise<readonly string[]> {
    return await this.#autoModePools.value();
  }

  /** Claims the cluster for this deployment. The next read sees the result. */
  async claim(): Promise<ClusterClaim> {
    const deployment = this.#deployment ?? '';
    this.#traces.forget();
    return await claimCluster(this.#client, deployment, this.#clock.now());
  }

  async #readAll(): Promise<AutoscalerTraces> {
    const [signs, claim] = await Promise.all([readSigns(this.#client), this.#readClaim()]);
    const namespaces = this.#namespaces;
    const { writers, unread } = await this.#writers.of({ ...signs, namespaces });
    return {
      ...signs,
      namespaces,
      writers,
      ...(claim.found && { claim: claim.found }),
      unread: [...signs.unread, ...unread, ...claim.refused],
    };
  }

  async #readClaim(): Promise<{ readonly found?: ClusterClaim | undefined; readonly refused: readonly string[] }> {
    if (this.#deployment === undefined) return { refused: [] };
    try {
      return { found: await readClaim(this.#client, this.#deployment), refused: [] };
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      return { refused: [error.message] };
    }
  }
}

type Signs = Pick<AutoscalerTraces, 'leases' | 'deployments' | 'unread'>;

async function readSigns(client: ApiClient): Promise<Signs> {
  const [leases, deployments] = await Promise.all([
    orRefused(
      listAll(client, {
        // With a field selector on the name, so RBAC can allow only this lease.
        path: '/apis/coordination.k8s.io/v1/leases',
        query: { fieldSelector: `metadata.name=${KARPENTER_LEASE}` },
        project: leaseOf,
      }),
    ),
    orRefused(
      listAll(client, {
        path: '/apis/apps/v1/deployments',
        query: { labelSelector: KARPENTER_LABEL },
        project: deploymentOf,
      }),
    ),
  ]);
  const unread = [leases, deployments].flatMap(({ refused }) => refused);
  return { leases: leases.found, deployments: deployments.found, unread };
}

function listAutoModePools(client: ApiClient): Promise<readonly string[]> {
  return listAll(client, { path: '/apis/karpenter.sh/v1/nodepools', project: autoModePoolOf, optional: true });
}

/** A forbidden list does not affect the others. */
async function orRefused<T>(
  list: Promise<readonly T[]>,
): Promise<{ readonly found: readonly T[]; readonly refused: readonly string[] }> {
  try {
    return { found: await list, refused: [] };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { found: [], refused: [error.message] };
  }
}

function leaseOf(raw: RawObject): KarpenterLease | undefined {
  const { name, namespace } = fieldsOf(raw['metadata']);
  const { holderIdentity, renewTime, leaseDurationSeconds } = fieldsOf(raw['spec']);
  // A server without support for selectors returns all leases.
  if (name !== KARPENTER_LEASE || typeof renewTime !== 'string') return undefined;
  return {
    namespace: String(namespace),
    holder: typeof holderIdentity === 'string' ? holderIdentity : '',
    durationMs: Number(leaseDurationSeconds ?? 0) * SECOND_MS,
    ...optional({ renewedAtMs: timeIn(renewTime) }),
  };
}

function autoModePoolOf(raw: RawObject): string | undefined {
  const { spec } = fieldsOf(fieldsOf(raw['spec'])['template']);
  const isTheirs = fieldsOf(fieldsOf(spec)['nodeClassRef'])['group'] === AUTO_MODE_GROUP;
  return isTheirs ? String(fieldsOf(raw['metadata'])['name']) : undefined;
}
