import type { ClusterClaim } from '../../core/cluster/cluster-claim.ts';
import type { WantedAccess } from '../../core/install/access-entries.ts';
import type { ClusterMessage } from '../../core/install/cluster-messages.ts';
import { nominationPolicy } from '../../core/install/nomination-policy.ts';
import { rbacObjects } from '../../core/install/rbac.ts';
import { webhookConfiguration } from '../../core/install/webhook-configuration.ts';
import { webhookPolicy } from '../../core/install/webhook-policy.ts';
import { PortError, portErrorOf } from '../../ports/errors.ts';
import type { Installation, InstalledObject } from '../../ports/installation.ts';
import { type AdministratorPorts, asAdministrator, awaitRights } from './administrator.ts';
import { autoscalersIn } from './cluster-holder.ts';
import { type DrainPorts, drainCluster } from './drain-cluster.ts';
import { removeAccess } from './ensure-access.ts';
import { heldByKerf } from './held-by-kerf.ts';
import type { InstallPorts } from './install.ts';
import { letGoOfHeld } from './let-go.ts';
import { repeated } from './repeated.ts';

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
  readonly failures: readonly RemovalFailure[];
}

export interface RemovalFailure extends ClusterMessage {
  /** Whether the error was not one of a port: the removal stopped in this cluster, and another one continues it. @default false */
  readonly isUnexpected?: true;
}

/**
 * Removes Kerf from clusters. The webhook is removed first, because its endpoint stops answering. RBAC is removed before
 * finalizers, because a running function would add the finalizers again. The claim is released when all of this is done, and
 * access is removed last. From a cluster that another deployment holds or has taken over, only access is removed. The nodes of Karpenter
 * are not drained, and keep their finalizers. So do nodes that drain, which are reported.
 * Until the drain ends, a call that is not refused is repeated, because termination needs the access.
 * CustomResourceDefinitions, users' objects and, unless they are drained, nodes and instances remain. *Shape:* the failures. A failure of a port does not stop the
 * other steps. Any other error stops the removal in its cluster, which keeps its access, and not in the others.
 */
export async function uninstall(ports: UninstallPorts, targets: readonly UninstallTarget[]): Promise<Uninstalled> {
  const draining: string[] = [];
  const failures: RemovalFailure[] = [];
  await Promise.all(
    targets.map(async (target) => {
      const { cluster, installed } = target;
      const attempt = attemptsIn(cluster, failures);
      try {
        if (installed) {
          const state = await attempt(
            async () =>
              await asAdministrator(repeating(ports), target, async () => await uninstallOne(ports, target, attempt)),
          );
          if (state === 'draining') return void draining.push(cluster);
        }
        await attempt(async () => await removeAccess(ports.entries, target));
      } catch (error) {
        failures.push({ cluster, message: portErrorOf(error).message, isUnexpected: true });
      }
    }),
  );
  return { draining, failures };
}

/** The rights are given also if a call for them is throttled. */
function repeating(ports: UninstallPorts): AdministratorPorts {
  const { entries, warn } = ports;
  return {
    warn,
    entries: {
      givePolicy: async (...args) => await repeated(ports, async () => await entries.givePolicy(...args)),
      takePolicy: async (...args) => await entries.takePolicy(...args),
    },
  };
}

type Attempt = <T>(work: () => Promise<T>) => Promise<T | undefined>;

/** Notes a failure of a port and continues. *Errors:* any other error. */
function attemptsIn(cluster: string, failures: RemovalFailure[]): Attempt {
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
  const endpoint = { url: '', cluster, secret: '' };
  const webhook = webhookConfiguration(endpoint);
  const begun = await repeated(ports, async () => await begin(ports, cluster, webhook));
  if (begun === 'of-others') return 'removed';
  const { installation, claim } = begun;
  const others = await attempt(
    async () => await repeated(ports, async () => await autoscalersIn(ports, installation, cluster)),
  );
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
  if (held !== undefined) await letGoOfHeld(installation, held, { isOfKarpenter, attempt });
  await attempt(async () => await installation.releaseClaim());
  return 'removed';
}

interface Begun {
  readonly installation: Installation;
  readonly claim: ClusterClaim | undefined;
}

/** Removes the webhook. This also checks that the cluster answers, before the many calls that follow. Repeatable. */
async function begin(ports: UninstallPorts, cluster: string, webhook: InstalledObject): Promise<Begun | 'of-others'> {
  const installation = await ports.installation(cluster);
  await awaitRights(ports, installation);
  const claim = await installation.readClaim();
  if ((claim !== undefined && !claim.isOwn) || (await installation.isTakenOver())) return 'of-others';
  await installation.remove(webhook);
  return { installation, claim };
}

/**
 * Karpenter has the same finalizers, and adds that of a node only once: without it, the pods of a node would not be drained. Without a
 * claim, Kerf was only in shadow, and the records are those of `kerf adopt`.
 */
const OF_KARPENTER =
  'nodes, NodeClaims and EC2NodeClasses keep their finalizers, and no node is drained, because Karpenter is active or Kerf was only in shadow';
