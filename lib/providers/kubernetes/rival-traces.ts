import { parseTime, SECOND_MS } from '../../apis/time.ts';
import {
  AUTO_MODE_GROUP,
  KARPENTER_LABEL,
  KARPENTER_LEASE,
  type KarpenterDeployment,
  type KarpenterLease,
  type RivalTraces,
} from '../../core/cluster/rivals.ts';
import type { Clock } from '../../ports/clock.ts';
import { RefusedError } from '../../ports/errors.ts';
import type { ApiClient } from './api-client.ts';
import { listAll } from './lists.ts';
import { type Fields, fieldsOf } from './project.ts';

/** Four functions look every minute, and more often while there is work: one look is good for as long as a lease lasts. */
const KEPT_MS = 15 * SECOND_MS;

/** How a warm function looks for other autoscalers: three small lists, kept for a moment. */
export class RivalTraceReader {
  readonly #client: ApiClient;
  readonly #clock: Clock;
  #kept: { readonly traces: Promise<RivalTraces>; readonly untilMs: number } | undefined;

  constructor(client: ApiClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async read(): Promise<RivalTraces> {
    const nowMs = this.#clock.now();
    if (this.#kept === undefined || this.#kept.untilMs <= nowMs) {
      this.#kept = { traces: readTraces(this.#client), untilMs: nowMs + KEPT_MS };
    }
    const { traces } = this.#kept;
    try {
      return await traces;
    } catch (error) {
      // A failure is not kept: the next run asks again.
      if (this.#kept?.traces === traces) this.#kept = undefined;
      throw error;
    }
  }
}

async function readTraces(client: ApiClient): Promise<RivalTraces> {
  const [leases, deployments, pools] = await Promise.all([
    orRefused(
      listAll(client, {
        // By name and by selector: RBAC can then allow this one lease and no other.
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

/** One list that may not be read takes nothing from the others. */
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

function leaseOf(raw: Fields): KarpenterLease | undefined {
  const { name, namespace } = fieldsOf(raw['metadata']);
  const { holderIdentity, renewTime, leaseDurationSeconds } = fieldsOf(raw['spec']);
  // Only the one that was asked for: a server that knows no selectors shows them all.
  if (name !== KARPENTER_LEASE || typeof renewTime !== 'string') return undefined;
  return {
    namespace: String(namespace),
    holder: typeof holderIdentity === 'string' ? holderIdentity : '',
    renewedAtMs: parseTime(renewTime),
    durationMs: Number(leaseDurationSeconds ?? 0) * SECOND_MS,
  };
}

function deploymentOf(raw: Fields): KarpenterDeployment {
  const { name, namespace } = fieldsOf(raw['metadata']);
  const { replicas = 1 } = fieldsOf(raw['spec']);
  return { namespace: String(namespace), name: String(name), replicas: Number(replicas) };
}

function autoModePoolOf(raw: Fields): string | undefined {
  const { spec } = fieldsOf(fieldsOf(raw['spec'])['template']);
  const isTheirs = fieldsOf(fieldsOf(spec)['nodeClassRef'])['group'] === AUTO_MODE_GROUP;
  return isTheirs ? String(fieldsOf(raw['metadata'])['name']) : undefined;
}
