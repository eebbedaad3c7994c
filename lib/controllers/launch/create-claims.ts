import { inParallel } from '../../core/in-parallel.ts';
import type { Action } from '../../core/model/decision.ts';
import { wakeForDeletion } from '../act/mark-deleted.ts';
import { type Outcome, outcomeOf } from '../act/outcomes.ts';
import type { SendsWakes, WritesClaims } from '../run/ports.ts';
import { sendWakes } from '../run/wake-up.ts';

/** Records that are written at the same time. */
const AT_ONCE = 10;

export type Creation = Action & { readonly kind: 'create-node-claim' };

export function isCreation(action: Action): action is Creation {
  return action.kind === 'create-node-claim';
}

/**
 * E33: the new claims, without replacements of commands that could not be continued. Such a command is still a proposal, and is decided
 * again: the names of its replacements follow from its id, so a replacement that exists, and has pods now, would count as the new node.
 */
export function withoutHeld(
  creations: readonly Creation[],
  outcomes: ReadonlyMap<Action, Outcome>,
): readonly Creation[] {
  const held = new Set<string | undefined>();
  for (const { kind, action } of outcomes.values())
    if (action.kind === 'continue-disruption' && kind !== 'done') held.add(action.command.id);
  return creations.filter(({ nodeClaim }) => !held.has(nodeClaim.command));
}

/**
 * Writes the records of new claims. Then lifecycle is woken once for all of them, so that it launches those with equal requests with one
 * call. *Shape:* the outcome of each action.
 */
export async function createClaims(
  ports: WritesClaims & SendsWakes,
  cluster: string,
  actions: readonly Creation[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  await inParallel(actions, AT_ONCE, async (action) => {
    const { name, deletion } = action.nodeClaim;
    const outcome = await outcomeOf(action, async () => {
      await ports.store.createNodeClaim(action.nodeClaim);
      return deletion === undefined ? [] : wakeForDeletion(ports, cluster, { name, reason: deletion.reason });
    });
    outcomes.push(outcome);
  });
  const created = outcomes.flatMap(({ kind, action }) => {
    const isNew = kind === 'done' && action.kind === 'create-node-claim' && action.nodeClaim.deletion === undefined;
    return isNew ? [action.nodeClaim.name] : [];
  });
  const [nodeClaim] = created;
  if (nodeClaim === undefined) return outcomes;
  const wake = { cluster, reason: 'created', ...(created.length === 1 && { nodeClaim }) };
  const lost = await sendWakes(ports, [['lifecycle', wake]]);
  const first = outcomes.findIndex(({ kind }) => kind === 'done');
  return outcomes.map((one, index) =>
    index === first && one.kind === 'done' ? { ...one, lostWakes: [...one.lostWakes, ...lost] } : one,
  );
}
