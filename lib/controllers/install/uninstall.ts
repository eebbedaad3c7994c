import type { WantedAccess } from '../../core/install/access-entries.ts';
import type { ClusterMessage } from '../../core/install/cluster-messages.ts';
import { nominationPolicy } from '../../core/install/nomination-policy.ts';
import { rbacObjects } from '../../core/install/rbac.ts';
import { webhookConfiguration } from '../../core/install/webhook-configuration.ts';
import { webhookPolicy } from '../../core/install/webhook-policy.ts';
import type { Blocked } from '../../core/model/decision.ts';
import { instanceOf, providerIdOf } from '../../core/model/node-claim-record.ts';
import { PortError } from '../../ports/errors.ts';
import type { HeldObject, Installation } from '../../ports/installation.ts';
import { asAdministrator, awaitRights } from './administrator.ts';
import { autoscalersIn } from './cluster-holder.ts';
import { type DrainPorts, drainCluster } from './drain-cluster.ts';
import { removeAccess } from './ensure-access.ts';
import type { InstallPorts } from './install.ts';

export interface UninstallTarget extends WantedAccess {
  /** Whether Kerf installed more than access entries. */
  readonly installed: boolean;
  /** Whether its instances are terminated too. */
  readonly drain: boolean;
}

export type UninstallPorts = InstallPorts & DrainPorts;

export interface Uninstalled {
  /** Clusters with nodes that are still draining: call `uninstall` again. What the drain needs is not removed yet. */
  readonly draining: readonly string[];
  readonly failures: readonly ClusterMessage[];
}

/**
 * Removes Kerf from clusters. The webhook is removed first, because its endpoint stops answering. RBAC is removed before
 * finalizers, because a running function would add the finalizers again. The claim is released when all of this is done, and
 * access is removed last. From a cluster that another deployment holds or has taken over, only access is removed. The nodes of Karpenter
 * are not drained, and keep their finalizers.
 * CustomResourceDefinitions, users' objects and, unless they are drained, nodes and instances remain. *Shape:* the failures; a failure does not stop the other steps.
 */
export async function uninstall(ports: UninstallPorts, targets: readonly UninstallTarget[]): Promise<Uninstalled> {
  const draining: string[] = [];
  const failures: ClusterMessage[] = [];
  await Promise.all(
    targets.map(async (target) => {
      const { cluster, installed } = target;
      const attempt = attemptsIn(cluster, failures);
      if (installed) {
        const state = await attempt(
          async () => await asAdministrator(ports, target, async () => await uninstallOne(ports, target, attempt)),
        );
        if (state === 'draining') return void draining.push(cluster);
      }
      await attempt(async () => await removeAccess(ports.entries, target));
    }),
  );
  return { draining, failures };
}

type Attempt = <T>(work: () => Promise<T>) => Promise<T | undefined>;

/** Notes a failure and continues. */
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

async function uninstallOne(
  ports: UninstallPorts,
  { cluster, drain }: UninstallTarget,
  attempt: Attempt,
): Promise<'removed' | 'draining'> {
  const installation = await ports.installation(cluster);
  await awaitRights(ports, installation);
  const claim = await installation.readClaim();
  if ((claim !== undefined && !claim.isOwn) || (await installation.isTakenOver())) return 'removed';
  // This call also checks that the cluster answers, before the many calls that follow.
  const endpoint = { url: '', cluster, secret: '' };
  const webhook = webhookConfiguration(endpoint);
  await installation.remove(webhook);
  const others = await attempt(async () => await autoscalersIn(ports, installation, cluster));
  const isOfKarpenter = claim === undefined || others?.some(({ reason }) => reason === 'KarpenterActive') === true;
  if (isOfKarpenter) ports.warn(cluster, OF_KARPENTER);
  if (drain && !isOfKarpenter) {
    const state = await attempt(async () => await drainCluster(ports, installation, cluster));
    if (state === 'draining') return 'draining';
  }
  for (const object of rbacObjects().toReversed()) await attempt(async () => await installation.remove(object));
  // A tick of lifecycle creates a missing webhook, as long as it has the permissions.
  await attempt(async () => await installation.remove(webhook));
  for (const object of [...webhookPolicy(endpoint), ...nominationPolicy()])
    await attempt(async () => await installation.remove(object));
  const held = others && (await attempt(async () => await heldByKerf(ports, installation, { cluster, others })));
  for (const object of (held ?? []).filter(({ kind }) => kind === 'Node' || !isOfKarpenter))
    await attempt(async () => await installation.letGo(object, { keepsFinalizer: isOfKarpenter }));
  await attempt(async () => await installation.releaseClaim());
  return 'removed';
}

/**
 * Karpenter has the same finalizers, and adds that of a node only once: without it, the pods of a node would not be drained. Without a
 * claim, Kerf was only in shadow, and the records are those of `kerf adopt`.
 */
const OF_KARPENTER =
  'nodes, NodeClaims and EC2NodeClasses keep their finalizers, and no node is drained, because Karpenter is active or Kerf was only in shadow';

/** Nodes and claims with a record, readable or not, and classes unless another autoscaler is active. */
async function heldByKerf(
  { store }: UninstallPorts,
  installation: Installation,
  { cluster, others }: { readonly cluster: string; readonly others: readonly Blocked[] },
): Promise<readonly HeldObject[]> {
  const { records, unreadable } = await store.readNodeClaims(cluster);
  const names = new Set([...records, ...unreadable].map(({ name }) => name));
  const instances = records.flatMap((record) => instanceOf(record) ?? []);
  const nodes = await installation.listHeld('Node');
  const claims = (await installation.listHeld('NodeClaim')).filter(({ name }) => names.has(name));
  const providerIds = new Set([...instances.map(providerIdOf), ...claims.map(({ providerId }) => providerId)]);
  const classes = others.length > 0 ? [] : await installation.listHeld('EC2NodeClass');
  return [
    ...nodes.filter(({ providerId }) => providerId !== undefined && providerIds.has(providerId)),
    ...claims,
    ...classes,
  ];
}
