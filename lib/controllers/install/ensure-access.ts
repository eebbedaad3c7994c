import { type AccessEntry, accessStep, type WantedAccess, whyNoEntries } from '../../core/install/access-entries.ts';
import type { AccessEntries } from '../../ports/access-entries.ts';
import { RefusedError } from '../../ports/errors.ts';

/** Why nobody can be let in that way; or why some could not. */
export type AccessOutcome = { readonly nobody: string } | { readonly refusals: readonly string[] };

/** Lets functions and nodes into a cluster, where they are not in yet; what others made stays. *Errors:* UnreachableError, RefusedError. */
export async function ensureAccess(
  entries: AccessEntries,
  { cluster, entries: wanted }: WantedAccess,
): Promise<AccessOutcome> {
  const nobody = whyNoEntries(cluster, await entries.authenticationMode(cluster));
  if (nobody !== undefined) return { nobody };
  const refusals: string[] = [];
  for (const entry of wanted) refusals.push(...(await ensureAccessEntry(entries, cluster, entry)));
  return { refusals };
}

/** Takes back what `letInto` gave to functions, in order. Nodes stay in: they run on, whoever looks after them. */
export async function removeAccess(entries: AccessEntries, { cluster, entries: each }: WantedAccess): Promise<void> {
  for (const { principal } of each.filter(({ type }) => type === 'STANDARD')) await entries.remove(cluster, principal);
}

async function ensureAccessEntry(
  entries: AccessEntries,
  cluster: string,
  entry: AccessEntry,
): Promise<readonly string[]> {
  const step = accessStep(cluster, entry, await entries.find(cluster, entry.principal));
  switch (step.kind) {
    case 'refused':
      return [step.message];
    case 'keep':
      break;
    case 'set-groups':
      await entries.setGroups(cluster, entry.principal, step.groups);
      break;
    case 'create': {
      const refusal = await create(entries, cluster, entry);
      if (refusal !== undefined) return [refusal];
    }
  }
  if (entry.policy !== undefined) await entries.givePolicy(cluster, entry.principal, entry.policy);
  return [];
}

async function create(entries: AccessEntries, cluster: string, entry: AccessEntry): Promise<string | undefined> {
  try {
    await entries.create(cluster, entry);
    return undefined;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const hint = entry.type === 'STANDARD' ? '' : ' (is there such a role? Name it in nodeRole, or set makeNodeRole)';
    return `${error.message}${hint}`;
  }
}
