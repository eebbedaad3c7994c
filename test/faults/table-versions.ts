import { fieldOf, isRecord } from '../../lib/apis/record.ts';
import { compress, unpackBody } from '../../lib/providers/dynamodb/body.ts';
import type { TableState } from '../fakes/dynamodb/storage.ts';
import type { StoredItem } from '../fakes/dynamodb/values.ts';

/**
 * The items as another version of Kerf writes them. The simulation runs only the current code: an upgrade is played by the items
 * that the version before left behind, and a rollback by items with fields and actions that this version does not have.
 */
export function rewritten(state: TableState, as: 'older' | 'newer'): TableState {
  return new Map(
    [...state].map(([pk, { items, order }]) => [
      pk,
      { order, items: new Map([...items].map(([sk, item]) => [sk, rewrittenItem(sk, item, as)])) },
    ]),
  );
}

export function isTableState(value: unknown): value is TableState {
  return value instanceof Map;
}

function rewrittenItem(sk: string, item: StoredItem, as: 'older' | 'newer'): StoredItem {
  const kind = sk.split('#', 1)[0] ?? '';
  const payload = item['payload']?.B;
  if (payload === undefined || !['claim', 'command', 'decision', 'move', 'pass-memory'].includes(kind)) return item;
  const body = unpackBody(payload, isRecord, sk);
  const changed = as === 'newer' ? newer(body) : older(kind, body);
  return { ...item, payload: { B: compress(changed) } };
}

type Body = Readonly<Record<string, unknown>>;

/** A later version adds fields, and actions of kinds that this version does not have. */
function newer(body: Body): Body {
  const actions = fieldOf(body, 'actions');
  return {
    ...body,
    addedLater: { nested: ['value'] },
    ...(Array.isArray(actions) && { actions: [...actions, { kind: 'added-later', nodeClaim: 'none' }] }),
  };
}

/** Fields that the version before did not write. */
const ADDED: Readonly<Record<string, readonly string[]>> = {
  claim: ['nodeLostAtMs', 'command', 'addedLater'],
  command: ['replacements', 'state', 'savingUsdPerHour', 'evictions', 'addedLater'],
  decision: ['addedLater'],
  'pass-memory': ['rejected', 'stopped', 'failing', 'addedLater'],
};

function older(kind: string, body: Body): Body {
  // The version before has no such command.
  if (kind === 'command' && fieldOf(body, 'state') === 'replacing') return body;
  return Object.fromEntries(Object.entries(body).filter(([field]) => ADDED[kind]?.includes(field) !== true));
}
