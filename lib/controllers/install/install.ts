import { SECOND_MS } from '../../apis/formats/time.ts';
import { compareText } from '../../core/compare-text.ts';
import type { WantedAccess } from '../../core/install/access-entries.ts';
import { type ClusterMessage, reasonOf } from '../../core/install/cluster-messages.ts';
import { definitionStep, wantedDefinitions } from '../../core/install/definitions.ts';
import { nominationPolicy } from '../../core/install/nomination-policy.ts';
import { rbacObjects } from '../../core/install/rbac.ts';
import { type WebhookEndpoint, webhookConfiguration } from '../../core/install/webhook-configuration.ts';
import { webhookPolicy } from '../../core/install/webhook-policy.ts';
import type { AccessEntries } from '../../ports/access-entries.ts';
import type { Clock } from '../../ports/clock.ts';
import { portErrorOf, RefusedError } from '../../ports/errors.ts';
import type { Installation } from '../../ports/installation.ts';
import { type AdministratorPorts, asAdministrator, awaitRights, RIGHTS_PAUSE_MS } from './administrator.ts';
import { autoscalersIn, whyHeld } from './cluster-holder.ts';
import { ensureAccess } from './ensure-access.ts';

export interface InstallTarget extends WantedAccess {
  /** @default Kerf only creates access entries, and others install the rest */
  readonly webhook?: WebhookEndpoint;
  /** Whether Kerf decides there and writes nothing. @default false */
  readonly shadow?: boolean;
}

export interface InstallPorts extends AdministratorPorts {
  readonly entries: AccessEntries;
  readonly installation: (cluster: string) => Promise<Installation>;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<void>;
}

const ESTABLISHED_WITHIN_MS = 30 * SECOND_MS;
/** The API servers of a cluster accept an entry at different times, and each call may reach another one. */
const TRIES = 3;

/** The number of characters of an error that CloudFormation shows. */
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
        failures.push({ cluster, message: portErrorOf(error).message });
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
  const { entries, webhook } = target;
  const access = entries.length === 0 ? { refusals: [] } : await ensureAccess(ports, target);
  if ('noEntries' in access) return { failures: [access.noEntries], notes: [] };
  if (webhook === undefined) return { failures: access.refusals, notes: [] };
  return await asAdministrator(ports, target, async () => {
    const { failures, notes } = await installObjects(ports, target, webhook);
    return { failures: [...access.refusals, ...failures], notes };
  });
}

async function installObjects(ports: InstallPorts, target: InstallTarget, webhook: WebhookEndpoint): Promise<Outcome> {
  const installation = await ports.installation(target.cluster);
  for (let attempt = 1; ; attempt += 1) {
    await awaitRights(ports, installation);
    try {
      const held = await whyHeld(ports, installation, target);
      if (held !== undefined) return held;
      const { failures, notes } = await applyDefinitions(ports, installation);
      const limits = await applyPolicies(installation, webhook);
      for (const object of rbacObjects()) await installation.apply(object);
      await installation.apply(webhookConfiguration(webhook));
      const otherAutoscalers = (await autoscalersIn(ports, installation, target.cluster)).map(({ message }) => message);
      return { failures, notes: [...notes, ...limits, ...otherAutoscalers] };
    } catch (error) {
      if (!(error instanceof RefusedError) || attempt === TRIES) throw error;
      await ports.pause(RIGHTS_PAUSE_MS);
    }
  }
}

/** Before the roles and the webhook configuration, so that every write is checked. *Shape:* a note where the cluster lacks the API. */
async function applyPolicies(installation: Installation, webhook: WebhookEndpoint): Promise<readonly string[]> {
  const outcomes: ('applied' | 'unsupported')[] = [];
  for (const object of [...webhookPolicy(webhook), ...nominationPolicy()])
    outcomes.push(await installation.apply(object));
  if (!outcomes.includes('unsupported')) return [];
  return [
    'the cluster has no ValidatingAdmissionPolicy (Kubernetes 1.30 or newer): nothing limits what Kerf may write to its ' +
      'webhook configuration and to the status of pods; upgrade the cluster and deploy again',
  ];
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
