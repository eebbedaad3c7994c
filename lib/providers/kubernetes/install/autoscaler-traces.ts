import { parseTime, SECOND_MS } from '../../../apis/formats/time.ts';
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
import { listAll } from '../client/lists.ts';
import { fieldsOf, type RawObject } from '../project/project.ts';
import { deploymentOf, NodeClaimWriters } from './node-claim-writers.ts';

/** Results are cached for the duration of a lease, because four functions check at least every minute. */
const KEPT_MS = 15 * SECOND_MS;

export interface AutoscalerTraceOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  /** The namespaces in which Karpenter may run. @default `KARPENTER_NAMESPACES` */
  readonly namespaces?: readonly string[];
}

/**
 * Detects other autoscalers by three small lists, which a warm function caches.
 * *Cost:* one more call for each service account of a sign, at most once a minute.
 */
export class AutoscalerTraceReader {
  readonly #client: ApiClient;
  readonly #clock: Clock;
  readonly #namespaces: readonly string[];
  readonly #writers: NodeClaimWriters;
  #kept: { readonly traces: Promise<AutoscalerTraces>; readonly untilMs: number } | undefined;

  constructor({ client, clock, namespaces = KARPENTER_NAMESPACES }: AutoscalerTraceOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#namespaces = namespaces;
    this.#writers = new NodeClaimWriters(client, clock);
  }

  async read(): Promise<AutoscalerTraces> {
    const nowMs = this.#clock.now();
    if (this.#kept === undefined || this.#kept.untilMs <= nowMs) {
      this.#kept = { traces: this.#readAll(), untilMs: nowMs + KEPT_MS };
    }
    const { traces } = this.#kept;
    try {
      return await traces;
    } catch (error) {
      // Failures are not cached, so the next run tries again.
      if (this.#kept?.traces === traces) this.#kept = undefined;
      throw error;
    }
  }

  async #readAll(): Promise<AutoscalerTraces> {
    const signs = await readSigns(this.#client);
    const namespaces = this.#namespaces;
    const { writers, unread } = await this.#writers.of({ ...signs, namespaces });
    return { ...signs, namespaces, writers, unread: [...signs.unread, ...unread] };
  }
}

type Signs = Omit<AutoscalerTraces, 'namespaces' | 'writers'>;

async function readSigns(client: ApiClient): Promise<Signs> {
  const [leases, deployments, pools] = await Promise.all([
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
    orRefused(listAll(client, { path: '/apis/karpenter.sh/v1/nodepools', project: autoModePoolOf, optional: true })),
  ]);
  return {
    leases: leases.found,
    deployments: deployments.found,
    autoModePools: pools.found,
    unread: [leases, deployments, pools].flatMap(({ refused }) => refused),
  };
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
    renewedAtMs: parseTime(renewTime),
    durationMs: Number(leaseDurationSeconds ?? 0) * SECOND_MS,
  };
}

function autoModePoolOf(raw: RawObject): string | undefined {
  const { spec } = fieldsOf(fieldsOf(raw['spec'])['template']);
  const isTheirs = fieldsOf(fieldsOf(spec)['nodeClassRef'])['group'] === AUTO_MODE_GROUP;
  return isTheirs ? String(fieldsOf(raw['metadata'])['name']) : undefined;
}
