import { type AccessEntry, accessStep, type WantedAccess, whyNoEntries } from '../core/install/access-entries.ts';
import type { AccessEntries } from '../ports/access-entries.ts';
import { RefusedError } from '../ports/errors.ts';

/**
 * Lets functions and nodes into their clusters, where they are not in yet; what others made stays.
 * *Errors:* RefusedError with every reason, cluster by cluster: whoever deploys sees them at once; UnreachableError.
 */
export async function installAccess(entries: AccessEntries, wanted: readonly WantedAccess[]): Promise<void> {
  const refusals: string[] = [];
  for (const access of wanted) {
    if (access.entries.length > 0) refusals.push(...(await letInto(entries, access)));
  }
  if (refusals.length > 0) throw new RefusedError(refusals.join('. '));
}

/** Takes back what `installAccess` gave to functions. Nodes stay in: they run on, whoever looks after them. */
export async function removeAccess(entries: AccessEntries, installed: readonly WantedAccess[]): Promise<void> {
  for (const { cluster, entries: each } of installed) {
    for (const { principal } of each.filter(({ type }) => type === 'STANDARD'))
      await entries.remove(cluster, principal);
  }
}

/** *Shape:* why some could not be let in. */
async function letInto(entries: AccessEntries, { cluster, entries: wanted }: WantedAccess): Promise<readonly string[]> {
  const whyNone = whyNoEntries(cluster, await entries.authenticationMode(cluster));
  if (whyNone !== undefined) return [whyNone];
  const refusals: string[] = [];
  for (const entry of wanted) refusals.push(...(await letIn(entries, cluster, entry)));
  return refusals;
}

async function letIn(entries: AccessEntries, cluster: string, entry: AccessEntry): Promise<readonly string[]> {
  const step = accessStep(cluster, entry, await entries.find(cluster, entry.principal));
  switch (step.kind) {
    case 'keep':
      return [];
    case 'refused':
      return [step.message];
    case 'set-groups':
      await entries.setGroups(cluster, entry.principal, step.groups);
      return [];
    case 'create':
      return create(entries, cluster, entry);
  }
}

async function create(entries: AccessEntries, cluster: string, entry: AccessEntry): Promise<readonly string[]> {
  try {
    await entries.create(cluster, entry);
    return [];
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const hint = entry.type === 'STANDARD' ? '' : ' (is there such a role? Name it in nodeRole, or set makeNodeRole)';
    return [`${error.message}${hint}`];
  }
}
