/** What DynamoDB bills for a command. *Source:* "Capacity unit consumption" and "Item sizes and formats", DynamoDB Developer Guide. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ownField } from '../../lib/apis/record.ts';
import type { InProcessTable } from '../../test/fakes/dynamodb/in-process-table.ts';
import type { Place } from '../../test/fakes/dynamodb/storage.ts';
import type { StoredItem } from '../../test/fakes/dynamodb/values.ts';

const READ_UNIT_BYTES = 4_096;
const WRITE_UNIT_BYTES = 1_024;
const OF_TRANSACTION = 2;

/** The size of an item as DynamoDB counts it: names and values. Numbers have about a byte for two digits, and one more. */
export function itemBytes(item: StoredItem): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

function valueBytes({ S, N, B, BOOL, NULL }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return Math.ceil(N.replaceAll(/\D/g, '').length / 2) + 1;
  if (B !== undefined) return B.byteLength;
  if (BOOL !== undefined || NULL !== undefined) return 1;
  throw new TypeError('the providers store only texts, numbers and bytes');
}

/** *Shape:* the units of reads that answer these items in one call. */
export function readUnits(items: readonly StoredItem[], consistent: boolean): number {
  const bytes = items.reduce((sum, item) => sum + itemBytes(item), 0);
  return Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) * (consistent ? 1 : 0.5);
}

/** The keys of the items that a command writes. */
export function writtenKeys(input: object): readonly Place[] {
  const transacted = ownField(input, 'TransactItems');
  if (!Array.isArray(transacted)) return keyIn(input);
  return transacted.flatMap((one: unknown) =>
    ['Put', 'Update', 'Delete', 'ConditionCheck'].flatMap((kind) => keyIn(ownField(one, kind))),
  );
}

function keyIn(write: unknown): readonly Place[] {
  const item = ownField(write, 'Item') ?? ownField(write, 'Key');
  const [pk, sk] = ['pk', 'sk'].map((name) => ownField(ownField(item, name), 'S'));
  return typeof pk === 'string' && typeof sk === 'string' ? [{ pk, sk }] : [];
}

/** The sizes of these items now. A write costs the larger of the sizes before and after it, and at least one unit. */
export function sizesOf(table: InProcessTable, keys: readonly Place[]): readonly number[] {
  return keys.map((key) => itemBytes(table.item(key) ?? {}));
}

/** A write whose condition failed costs as much as the stored item, so `after` is `before`. */
export function writeUnits(before: readonly number[], after: readonly number[], isTransaction: boolean): number {
  const units = before.map((size, index) =>
    Math.max(1, Math.ceil(Math.max(size, after[index] ?? 0) / WRITE_UNIT_BYTES)),
  );
  return units.reduce((sum, one) => sum + one, 0) * (isTransaction ? OF_TRANSACTION : 1);
}
