import {
  type AccessEntry,
  accessStep,
  type WantedAccess,
  whyEntriesUnsupported,
} from '../../core/install/access-entries.ts';
import type { AccessEntries } from '../../ports/access-entries.ts';
import { RefusedError } from '../../ports/errors.ts';

/** Why the cluster accepts no access entries; or why single entries were refused. */
export type AccessOutcome = { readonly noEntries: string } | { readonly refusals: readonly string[] };

/** Creates missing access entries of functions and nodes. Entries of others do not change. *Errors:* UnreachableError, RefusedError. */
export async function ensureAccess(
  entries: AccessEntries,
  { cluster, entries: wanted }: WantedAccess,
): Promise<AccessOutcome> {
  const noEntries = whyEntriesUnsupported(cluster, await entries.authenticationMode(cluster));
  if (noEntries !== undefined) return { noEntries };
  const refusals: string[] = [];
  for (const entry of wanted) refusals.push(...(await ensureAccessEntry(entries, cluster, entry)));
  return { refusals };
}

/** Removes the access entries of functions that `ensureAccess` created, in order. Nodes keep their entries, because they keep running. */
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
  return [];
}

async function create(entries: AccessEntries, cluster: string, entry: AccessEntry): Promise<string | undefined> {
  try {
    await entries.create(cluster, entry);
    return undefined;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const hint =
      entry.type === 'STANDARD' ? '' : ' (does the role exist? Set nodeRole to an existing role, or set makeNodeRole)';
    return `${error.message}${hint}`;
  }
}
