import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { checkOperands, isMet } from './conditions.ts';
import { invalid } from './errors.ts';
import { type ExpressionInput, type Expressions, expressionsOf } from './expressions.ts';
import { KEY_NAMES, placeOf, placeOfKey } from './keys.ts';
import type { Place } from './storage.ts';
import { checkUpdate, updated } from './updates.ts';
import { itemBytes, MAX_ITEM_BYTES, type StoredItem, storedItem } from './values.ts';

export interface WriteInput extends ExpressionInput {
  readonly Item?: Record<string, AttributeValue> | undefined;
  readonly Key?: Record<string, AttributeValue> | undefined;
  readonly ReturnValuesOnConditionCheckFailure?: string | undefined;
}

/** A write whose request is valid. */
export interface PreparedWrite {
  readonly place: Place;
  readonly expressions: Expressions;
  /** Whether a failed condition answers the stored item. */
  readonly returnsItem: boolean;
  /** The item after the write; undefined for none. */
  readonly next: (current: StoredItem | undefined) => StoredItem | undefined;
}

export type WriteKind = 'Put' | 'Update' | 'Delete' | 'ConditionCheck';

export function preparedWrite(kind: WriteKind, input: WriteInput): PreparedWrite {
  const expressions = expressionsOf(input);
  const returnsItem = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
  if (expressions.condition !== undefined) checkOperands('ConditionExpression', expressions.condition, expressions);
  else if (kind === 'ConditionCheck') throw invalid('ConditionExpression must not be null');
  if (kind === 'Put') {
    const place = placeOf(input.Item);
    const item = withinLimit(storedItem(input.Item ?? {}));
    return { place, expressions, returnsItem, next: () => item };
  }
  const place = placeOfKey(input.Key);
  if (kind === 'Update') return { place, expressions, returnsItem, next: updateOf(place, expressions) };
  const next = kind === 'Delete' ? () => undefined : (current: StoredItem | undefined) => current;
  return { place, expressions, returnsItem, next };
}

export function isAllowed({ expressions }: PreparedWrite, current: StoredItem | undefined): boolean {
  return expressions.condition === undefined || isMet(expressions.condition, current ?? {}, expressions);
}

/** An update without an expression creates the item with its key alone, or leaves it. */
function updateOf({ pk, sk }: Place, expressions: Expressions): PreparedWrite['next'] {
  const { update } = expressions;
  const key: StoredItem = { pk: { S: pk }, sk: { S: sk } };
  if (update === undefined) return (current) => current ?? key;
  checkUpdate(update, expressions, KEY_NAMES);
  return (current) => withinLimit(updated(current ?? key, update, expressions));
}

function withinLimit(item: StoredItem): StoredItem {
  if (itemBytes(item) > MAX_ITEM_BYTES) throw invalid('Item size has exceeded the maximum allowed size');
  return item;
}
