import { SECOND_MS } from '../../apis/formats/time.ts';
import {
  type AccessEntry,
  accessStep,
  type WantedAccess,
  whyEntriesUnsupported,
} from '../../core/install/access-entries.ts';
import { type AccessEntries, UnknownPrincipalError } from '../../ports/access-entries.ts';
import type { Clock } from '../../ports/clock.ts';
import { type PortError, portErrorOf, RefusedError, UnreachableError } from '../../ports/errors.ts';

export interface AccessPorts {
  readonly entries: Pick<AccessEntries, 'authenticationMode' | 'find' | 'create' | 'setGroups'>;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<void>;
}

/** IAM is eventually consistent: EKS knows a role some seconds after the stack has created it. */
const KNOWN_WITHIN_MS = 30 * SECOND_MS;
const KNOWN_PAUSE_MS = 5 * SECOND_MS;

/** Why the cluster accepts no access entries; or why single entries were refused. */
export type AccessOutcome = { readonly noEntries: string } | { readonly refusals: readonly string[] };

/**
 * Creates missing access entries of functions and nodes. Entries of others do not change. *Shape:* an entry that fails is refused, and does
 * not stop the others. *Errors:* UnreachableError, RefusedError, of the cluster.
 */
export async function ensureAccess(
  ports: AccessPorts,
  { cluster, entries: wanted }: WantedAccess,
): Promise<AccessOutcome> {
  const noEntries = whyEntriesUnsupported(cluster, await ports.entries.authenticationMode(cluster));
  if (noEntries !== undefined) return { noEntries };
  const refusals: string[] = [];
  for (const entry of wanted) refusals.push(...(await ensureAccessEntry(ports, cluster, entry)));
  return { refusals };
}

/**
 * Removes the access entries of functions that `ensureAccess` created, in order. Nodes keep their entries, because they keep running.
 * *Errors:* UnreachableError, RefusedError, with all failures after the last entry.
 */
export async function removeAccess(
  entries: Pick<AccessEntries, 'remove'>,
  ...targets: readonly WantedAccess[]
): Promise<void> {
  const failures: PortError[] = [];
  for (const { cluster, entries: each } of targets)
    for (const { principal } of each.filter(({ type }) => type === 'STANDARD')) {
      try {
        await entries.remove(cluster, principal);
      } catch (cause) {
        failures.push(portErrorOf(cause));
      }
    }
  if (failures.length === 0) return;
  // All entries of a cluster may fail for the same reason.
  const message = [...new Set(failures.map((one) => one.message))].join('; ');
  throw failures.some(({ retryable }) => retryable) ? new UnreachableError(message) : new RefusedError(message);
}

async function ensureAccessEntry(ports: AccessPorts, cluster: string, entry: AccessEntry): Promise<readonly string[]> {
  try {
    const refusal = await takeStep(ports, cluster, entry);
    return refusal === undefined ? [] : [refusal];
  } catch (cause) {
    return [portErrorOf(cause).message];
  }
}

/** *Shape:* why the entry stays as it is. *Errors:* those of the ports. */
async function takeStep(ports: AccessPorts, cluster: string, entry: AccessEntry): Promise<string | undefined> {
  const { entries } = ports;
  const step = accessStep(cluster, entry, await entries.find(cluster, entry.principal));
  switch (step.kind) {
    case 'refused':
      return step.message;
    case 'keep':
      return undefined;
    case 'set-groups':
      await entries.setGroups(cluster, entry.principal, step.groups);
      return undefined;
    case 'create':
      return create(ports, cluster, entry);
  }
}

async function create(ports: AccessPorts, cluster: string, entry: AccessEntry): Promise<string | undefined> {
  try {
    await createOfKnownRole(ports, cluster, entry);
    return undefined;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const hint =
      entry.type === 'STANDARD' ? '' : ' (does the role exist? Set nodeRole to an existing role, or set makeNodeRole)';
    return `${error.message}${hint}`;
  }
}

/** *Errors:* those of the port. UnknownPrincipalError after half a minute. */
async function createOfKnownRole(
  { entries, clock, pause }: AccessPorts,
  cluster: string,
  entry: AccessEntry,
): Promise<void> {
  const untilMs = clock.now() + KNOWN_WITHIN_MS;
  for (;;) {
    try {
      return await entries.create(cluster, entry);
    } catch (error) {
      if (!(error instanceof UnknownPrincipalError) || clock.now() + KNOWN_PAUSE_MS > untilMs) throw error;
    }
    await pause(KNOWN_PAUSE_MS);
  }
}
