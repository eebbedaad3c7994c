import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { activeAutoscalers } from '../../core/cluster/other-autoscalers.ts';
import { compareText } from '../../core/compare-text.ts';
import type { WantedAccess } from '../../core/install/access-entries.ts';
import { type ClusterMessage, reasonOf } from '../../core/install/cluster-messages.ts';
import { definitionStep, wantedDefinitions } from '../../core/install/definitions.ts';
import { rbacObjects } from '../../core/install/rbac.ts';
import { type WebhookEndpoint, webhookConfiguration } from '../../core/install/webhook-configuration.ts';
import type { AccessEntries } from '../../ports/access-entries.ts';
import type { Clock } from '../../ports/clock.ts';
import { PortError, RefusedError } from '../../ports/errors.ts';
import type { Installation } from '../../ports/installation.ts';
import { ensureAccess } from './ensure-access.ts';

export interface InstallTarget extends WantedAccess {
  /** @default Kerf only creates access entries, and others install the rest */
  readonly webhook?: WebhookEndpoint;
}

export interface InstallPorts {
  readonly entries: AccessEntries;
  readonly installation: (cluster: string) => Promise<Installation>;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<void>;
}

/** EKS confirms an entry some seconds before its API servers accept it. */
const RIGHTS_WITHIN_MS = 2 * MINUTE_MS;
const ESTABLISHED_WITHIN_MS = 30 * SECOND_MS;
const RIGHTS_PAUSE_MS = 5 * SECOND_MS;
/** The API servers of a cluster accept an entry at different times, and each call may reach another one. */
const TRIES = 3;

/** The number of characters of an error that CloudFormation shows. @internal */
export const MAX_REASON = 1_000;

/**
 * Installs Kerf in its clusters: access, definitions, RBAC, and then the webhook, which needs all of them. A repeated
 * installation, or one over an older version, changes only what is different, and deletes nothing. *Shape:* notes for the user.
 * *Errors:* RefusedError with the failures of each cluster. A cluster that fails does not delay the others.
 */
export async function install(
  ports: InstallPorts,
  targets: readonly InstallTarget[],
): Promise<readonly ClusterMessage[]> {
  const failures: ClusterMessage[] = [];
  const notes: ClusterMessage[] = [];
  await Promise.all(
    targets.map(async (target) => {
      const { cluster } = target;
      try {
        const outcome = await installOne(ports, target);
        failures.push(...outcome.failures.map((message) => ({ cluster, message })));
        notes.push(...outcome.notes.map((message) => ({ cluster, message })));
      } catch (error) {
        if (!(error instanceof PortError)) throw error;
        failures.push({ cluster, message: error.message });
      }
    }),
  );
  const inOrder = failures.toSorted((one, other) => compareText(one.cluster, other.cluster));
  if (inOrder.length > 0) throw new RefusedError(reasonOf(inOrder, MAX_REASON));
  return notes;
}

interface Outcome {
  readonly failures: readonly string[];
  readonly notes: readonly string[];
}

async function installOne(ports: InstallPorts, target: InstallTarget): Promise<Outcome> {
  const { cluster, entries, webhook } = target;
  const access = entries.length === 0 ? { refusals: [] } : await ensureAccess(ports.entries, target);
  if ('noEntries' in access) return { failures: [access.noEntries], notes: [] };
  if (webhook === undefined) return { failures: access.refusals, notes: [] };
  const installation = await ports.installation(cluster);
  for (let attempt = 1; ; attempt += 1) {
    await awaitPermissions(ports, installation);
    try {
      const { failures, notes } = await applyDefinitions(ports, installation);
      for (const object of rbacObjects()) await installation.apply(object);
      await installation.apply(webhookConfiguration(webhook));
      const traces = { ...(await installation.findOtherAutoscalers()), autoMode: undefined };
      const otherAutoscalers = activeAutoscalers(cluster, traces, ports.clock.now()).map(({ message }) => message);
      return { failures: [...access.refusals, ...failures], notes: [...notes, ...otherAutoscalers] };
    } catch (error) {
      if (!(error instanceof RefusedError) || attempt === TRIES) throw error;
      await ports.pause(RIGHTS_PAUSE_MS);
    }
  }
}

async function awaitPermissions({ clock, pause }: InstallPorts, installation: Installation): Promise<void> {
  const untilMs = clock.now() + RIGHTS_WITHIN_MS;
  for (;;) {
    const why = await installation.whyNoRights();
    if (why === undefined) return;
    if (clock.now() + RIGHTS_PAUSE_MS > untilMs) {
      throw new RefusedError(
        `the installer does not have the permissions of an administrator after ${RIGHTS_WITHIN_MS / SECOND_MS} s (${why}): give its role ` +
          '(the output InstallerRoleArn) an access entry with AmazonEKSClusterAdminPolicy, or set install to false',
      );
    }
    await pause(RIGHTS_PAUSE_MS);
  }
}

async function applyDefinitions(ports: InstallPorts, installation: Installation): Promise<Outcome> {
  const failures: string[] = [];
  const notes: string[] = [];
  for (const wanted of wantedDefinitions()) {
    const { name } = wanted.definition.metadata;
    const step = definitionStep(wanted, await installation.findDefinition(name));
    if (step.kind === 'refused') failures.push(step.message);
    if (step.kind === 'keep') notes.push(step.message);
    if (step.kind === 'apply') await installation.applyDefinition(wanted.definition, step.instead);
  }
  const untilMs = ports.clock.now() + ESTABLISHED_WITHIN_MS;
  for (const { definition } of wantedDefinitions()) {
    const why = await whyNeverEstablished(ports, untilMs, async () =>
      installation.whyNotEstablished(definition.metadata.name),
    );
    if (why !== undefined) failures.push(why);
  }
  return { failures, notes };
}

async function whyNeverEstablished(
  { clock, pause }: InstallPorts,
  untilMs: number,
  check: () => Promise<string | undefined>,
): Promise<string | undefined> {
  let why = await check();
  while (why !== undefined && clock.now() < untilMs) {
    await pause(SECOND_MS);
    why = await check();
  }
  return why;
}
