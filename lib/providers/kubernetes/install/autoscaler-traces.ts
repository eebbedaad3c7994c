import { parseTime, SECOND_MS } from '../../../apis/formats/time.ts';
import {
  AUTO_MODE_GROUP,
  type AutoscalerTraces,
  KARPENTER_LABEL,
  KARPENTER_LEASE,
  type KarpenterDeployment,
  type KarpenterLease,
} from '../../../core/cluster/other-autoscalers.ts';
import type { Clock } from '../../../ports/clock.ts';
import { RefusedError } from '../../../ports/errors.ts';
import type { ApiClient } from '../client/api-client.ts';
import { listAll } from '../client/lists.ts';
import { fieldsOf, type RawObject } from '../project/project.ts';

/** Results are cached for the duration of a lease, because four functions check at least every minute. */
const KEPT_MS = 15 * SECOND_MS;

/** Detects other autoscalers by three small lists, which a warm function caches. */
export class AutoscalerTraceReader {
  readonly #client: ApiClient;
  readonly #clock: Clock;
  #kept: { readonly traces: Promise<AutoscalerTraces>; readonly untilMs: number } | undefined;

  constructor(client: ApiClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async read(): Promise<AutoscalerTraces> {
    const nowMs = this.#clock.now();
    if (this.#kept === undefined || this.#kept.untilMs <= nowMs) {
      this.#kept = { traces: readTraces(this.#client), untilMs: nowMs + KEPT_MS };
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
}

async function readTraces(client: ApiClient): Promise<AutoscalerTraces> {
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

function deploymentOf(raw: RawObject): KarpenterDeployment {
  const { name, namespace } = fieldsOf(raw['metadata']);
  const { replicas = 1 } = fieldsOf(raw['spec']);
  return { namespace: String(namespace), name: String(name), replicas: Number(replicas) };
}

function autoModePoolOf(raw: RawObject): string | undefined {
  const { spec } = fieldsOf(fieldsOf(raw['spec'])['template']);
  const isTheirs = fieldsOf(fieldsOf(spec)['nodeClassRef'])['group'] === AUTO_MODE_GROUP;
  return isTheirs ? String(fieldsOf(raw['metadata'])['name']) : undefined;
}
