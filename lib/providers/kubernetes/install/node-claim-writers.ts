import { MINUTE_MS } from '../../../apis/formats/time.ts';
import {
  isHeld,
  type KarpenterDeployment,
  type KarpenterLease,
  type KarpenterSigns,
  type ServiceAccount,
} from '../../../core/cluster/karpenter-signs.ts';
import { compareText } from '../../../core/compare-text.ts';
import type { Clock } from '../../../ports/clock.ts';
import { RefusedError } from '../../../ports/errors.ts';
import type { ApiClient } from '../client/api-client.ts';
import { listAll } from '../client/lists.ts';
import { objectPath } from '../client/object-path.ts';
import { fieldsOf, type RawObject } from '../project/project.ts';

/** Rights change rarely, and a function asks only while a sign of Karpenter exists. */
const KEPT_MS = MINUTE_MS;
const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

/** No service account has this name. */
const UNLISTED = '';

interface Found {
  readonly writers: readonly ServiceAccount[];
  /** Questions that the API server refused to answer. */
  readonly unread: readonly string[];
}

type Signs = Omit<KarpenterSigns, 'writers'>;

/** Answers which service accounts of Karpenter's namespaces may create NodeClaims. A warm function caches the answers. */
export class NodeClaimWriters {
  readonly #client: ApiClient;
  readonly #clock: Clock;
  readonly #kept = new Map<string, { readonly isWriter: boolean; readonly untilMs: number }>();

  constructor(client: ApiClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * The writers among the service accounts of the signs. An account whose rights Kerf may not read counts as a writer, because an
   * older ClusterRole lacks this permission, and two autoscalers must not act on the same nodes. So does an account of a held lease
   * that Kerf may not list.
   */
  async of(signs: Signs): Promise<Found> {
    const found = await Promise.all(
      signs.namespaces.map(async (namespace) => await this.#inNamespace(signs, namespace)),
    );
    return { writers: found.flatMap(({ writers }) => writers), unread: found.flatMap(({ unread }) => unread) };
  }

  async #inNamespace({ leases, deployments }: Signs, namespace: string): Promise<Found> {
    const nowMs = this.#clock.now();
    const running = deployments.filter((one) => one.namespace === namespace && one.replicas > 0 && one.ready > 0);
    const labelled = await this.#writersAmong(accountsOf(running));
    const lease = leases.find((one) => one.namespace === namespace && isHeld(one, nowMs));
    if (lease === undefined || labelled.writers.length > 0) return labelled;
    // The chart lets users change the label, so a held lease may belong to any Deployment of the namespace.
    try {
      for (const account of accountsOf(await this.#listByHolder(lease))) {
        const found = await this.#writersAmong([account]);
        if (found.writers.length > 0) return found;
      }
      return labelled;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      return { writers: [{ namespace, name: UNLISTED }], unread: [error.message] };
    }
  }

  /** The Deployments of the lease's namespace. The first are those whose pod may hold the lease. */
  async #listByHolder({ namespace, holder }: KarpenterLease): Promise<readonly KarpenterDeployment[]> {
    const path = `${objectPath('/apis/apps/v1/namespaces', namespace)}/deployments`;
    const deployments = await listAll(this.#client, { path, project: deploymentOf });
    return deployments.toSorted((a, b) => rank(a, holder) - rank(b, holder) || compareText(a.name, b.name));
  }

  async #writersAmong(accounts: readonly ServiceAccount[]): Promise<Found> {
    const unread: string[] = [];
    const answers = await Promise.all(
      accounts.map(async (account) => {
        try {
          return (await this.#isWriter(account)) ? [account] : [];
        } catch (error) {
          if (!(error instanceof RefusedError)) throw error;
          unread.push(error.message);
          return [account];
        }
      }),
    );
    return { writers: answers.flat(), unread };
  }

  async #isWriter(account: ServiceAccount): Promise<boolean> {
    const nowMs = this.#clock.now();
    const key = `${account.namespace}/${account.name}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && nowMs < kept.untilMs) return kept.isWriter;
    const isWriter = await mayCreateNodeClaims(this.#client, account);
    this.#kept.set(key, { isWriter, untilMs: nowMs + KEPT_MS });
    return isWriter;
  }
}

/** A right on NodeClaims, which have no namespace, comes from a ClusterRoleBinding. Users of one namespace cannot create one. */
async function mayCreateNodeClaims(client: ApiClient, { namespace, name }: ServiceAccount): Promise<boolean> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: `system:serviceaccount:${namespace}:${name}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      resourceAttributes: { group: 'karpenter.sh', resource: 'nodeclaims', verb: 'create' },
    },
  };
  const answer = await client.expect({ method: 'POST', path: REVIEWS, body });
  return fieldsOf(fieldsOf(answer)['status'])['allowed'] === true;
}

function accountsOf(deployments: readonly KarpenterDeployment[]): readonly ServiceAccount[] {
  const accounts = deployments.map(({ namespace, serviceAccount: name }) => ({ namespace, name }));
  return [...new Map(accounts.map((account) => [account.name, account])).values()];
}

/** A pod's name begins with the name of its Deployment, and the holder of a lease with the name of its pod. */
function rank({ name }: KarpenterDeployment, holder: string): number {
  return holder.startsWith(`${name}-`) ? 0 : 1;
}

export function deploymentOf(raw: RawObject): KarpenterDeployment {
  const { name, namespace } = fieldsOf(raw['metadata']);
  const { replicas = 1, template } = fieldsOf(raw['spec']);
  const { serviceAccountName } = fieldsOf(fieldsOf(template)['spec']);
  return {
    namespace: String(namespace),
    name: String(name),
    replicas: Number(replicas),
    ready: Number(fieldsOf(raw['status'])['readyReplicas'] ?? 0),
    serviceAccount:
      typeof serviceAccountName === 'string' && serviceAccountName !== '' ? serviceAccountName : 'default',
  };
}
