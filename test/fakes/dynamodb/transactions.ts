import type { CancellationReason, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { optional } from '../../../lib/apis/optional.ts';
import { cancelled, invalid } from './errors.ts';
import { answered, type Storage } from './storage.ts';
import { itemBytes } from './values.ts';
import { isAllowed, type PreparedWrite, preparedWrite, type WriteInput, type WriteKind } from './writes.ts';

/** *Source:* Quotas: 100 items and 4 MB in a transaction. */
const MAX_WRITES = 100;
const MAX_BYTES = 4 * 1024 * 1024;
const KINDS: readonly WriteKind[] = ['Put', 'Update', 'Delete', 'ConditionCheck'];
const NONE: CancellationReason = { Code: 'None' };

export interface TransactionPart {
  readonly kind: WriteKind;
  readonly input: WriteInput & { readonly TableName?: string | undefined };
}

export function partsOf(items: readonly TransactWriteItem[] | undefined): readonly TransactionPart[] {
  const writes = items ?? [];
  if (writes.length === 0 || writes.length > MAX_WRITES) {
    throw invalid(`Member must have length greater than or equal to 1 and at most ${MAX_WRITES}, not ${writes.length}`);
  }
  return writes.map((write) => {
    const parts = KINDS.flatMap((kind) => {
      const input = write[kind];
      return input === undefined ? [] : [{ kind, input }];
    });
    const [part] = parts;
    if (part === undefined || parts.length > 1) throw invalid('TransactItems can only contain one of the operations');
    return part;
  });
}

/** Makes all writes or none. *Errors:* TransactionCanceledException with one reason for each write. */
export function transact(storage: Storage, parts: readonly TransactionPart[], nowMs: number): void {
  const writes = parts.map(({ kind, input }) => preparedWrite(kind, input));
  const places = new Set(writes.map(({ place }) => JSON.stringify([place.pk, place.sk])));
  if (places.size < writes.length) throw invalid('Transaction request cannot include multiple operations on one item');
  const outcomes = writes.map((write) => outcomeOf(storage, write));
  if (outcomes.some(({ reason }) => reason !== NONE)) throw cancelled(outcomes.map(({ reason }) => reason));
  const bytes = outcomes.reduce((total, { next }) => total + (next === undefined ? 0 : itemBytes(next)), 0);
  if (bytes > MAX_BYTES) throw invalid('Collection of items in the transaction exceeds the maximum of 4 MB');
  for (const [at, { place }] of writes.entries()) {
    if (parts[at]?.kind !== 'ConditionCheck') storage.set(place, outcomes[at]?.next, nowMs);
  }
}

function outcomeOf(
  storage: Storage,
  write: PreparedWrite,
): { readonly reason: CancellationReason; readonly next?: ReturnType<PreparedWrite['next']> } {
  const current = storage.get(write.place);
  if (!isAllowed(write, current)) {
    const Item = write.returnsItem && current !== undefined ? answered(current) : undefined;
    const Message = 'The conditional request failed';
    return { reason: { Code: 'ConditionalCheckFailed', Message, ...optional({ Item }) } };
  }
  try {
    return { reason: NONE, next: write.next(current) };
  } catch (thrown) {
    if (!(thrown instanceof Error) || thrown.name !== 'ValidationException') throw thrown;
    return { reason: { Code: 'ValidationError', Message: thrown.message } };
  }
}
