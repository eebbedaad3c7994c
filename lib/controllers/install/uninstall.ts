import { activeAutoscalers } from '../../core/cluster/other-autoscalers.ts';
import type { WantedAccess } from '../../core/install/access-entries.ts';
import type { ClusterMessage } from '../../core/install/cluster-messages.ts';
import { rbacObjects } from '../../core/install/rbac.ts';
import { webhookConfiguration } from '../../core/install/webhook-configuration.ts';
import { instanceOf, providerIdOf } from '../../core/model/node-claim-record.ts';
import { PortError } from '../../ports/errors.ts';
import type { HeldObject, Installation } from '../../ports/installation.ts';
import { type DrainPorts, drainCluster } from './drain-cluster.ts';
import { removeAccess } from './ensure-access.ts';
import type { InstallPorts } from './install.ts';

export interface UninstallTarget extends WantedAccess {
  /** Whether anything but access was installed. */
  readonly installed: boolean;
  /** Whether its instances go too. */
  readonly drain: boolean;
}

export type UninstallPorts = InstallPorts & DrainPorts;

export interface Uninstalled {
  /** Nodes are still on their way out: to be called again, and nothing that they need was taken away. */
  readonly draining: readonly string[];
  readonly failures: readonly ClusterMessage[];
}

/**
 * Takes Kerf out of clusters: the webhook first, so that nobody is asked who does not answer any more; rights before
 * finalizers, or a function that runs meanwhile puts them back; access last. A cluster that another deployment has taken over,
 * as happens when it moves to another network, loses no more than access. Definitions, users' objects and, unless they
 * are drained, nodes and instances stay. *Shape:* what could not be done, which keeps nothing else from being done.
 */
export async function uninstall(ports: UninstallPorts, targets: readonly UninstallTarget[]): Promise<Uninstalled> {
  const draining: string[] = [];
  const failures: ClusterMessage[] = [];
  await Promise.all(
    targets.map(async (target) => {
      const { cluster, installed } = target;
      const attempt = attemptsIn(cluster, failures);
      if (installed) {
        const state = await attempt(async () => await leave(ports, target, attempt));
        if (state === 'draining') return void draining.push(cluster);
      }
      await attempt(async () => await removeAccess(ports.entries, target));
    }),
  );
  return { draining, failures };
}

type Attempt = <T>(work: () => Promise<T>) => Promise<T | undefined>;

/** What fails is noted, and the rest goes on. */
function attemptsIn(cluster: string, failures: ClusterMessage[]): Attempt {
  return async (work) => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      failures.push({ cluster, message: error.message });
      return undefined;
    }
  };
}

async function leave(
  ports: UninstallPorts,
  { cluster, drain }: UninstallTarget,
  attempt: Attempt,
): Promise<'left' | 'draining'> {
  const installation = await ports.installation(cluster);
  if (await installation.isTakenOver()) return 'left';
  // Also the first proof that the cluster answers: one that does not is not asked a hundred times.
  const webhook = webhookConfiguration({ url: '', cluster, secret: '' });
  await installation.remove(webhook);
  if (drain) {
    const state = await attempt(async () => await drainCluster(ports, installation, cluster));
    if (state === 'draining') return 'draining';
  }
  for (const object of rbacObjects().toReversed()) await attempt(async () => await installation.remove(object));
  // A tick of lifecycle puts back a webhook that is gone, for as long as it has the rights to.
  await attempt(async () => await installation.remove(webhook));
  const held = (await attempt(async () => await heldByUs(ports, installation, cluster))) ?? [];
  for (const object of held) await attempt(async () => await installation.letGo(object));
  return 'left';
}

/** A node and a claim by its record, classes where nobody else looks after them: Karpenter has the same finalizers. */
async function heldByUs(
  { store, clock }: UninstallPorts,
  installation: Installation,
  cluster: string,
): Promise<readonly HeldObject[]> {
  const records = await store.listNodeClaims(cluster);
  const names = new Set(records.map(({ name }) => name));
  const instances = records.flatMap((record) => instanceOf(record) ?? []);
  const providerIds = new Set(instances.map(providerIdOf));
  const nodes = await installation.listHeld('Node');
  const claims = await installation.listHeld('NodeClaim');
  const otherAutoscalers = activeAutoscalers(
    cluster,
    { ...(await installation.findOtherAutoscalers()), autoMode: undefined },
    clock.now(),
  );
  const classes = otherAutoscalers.length > 0 ? [] : await installation.listHeld('EC2NodeClass');
  return [
    ...nodes.filter(({ providerId }) => providerId !== undefined && providerIds.has(providerId)),
    ...claims.filter(({ name }) => names.has(name)),
    ...classes,
  ];
}
