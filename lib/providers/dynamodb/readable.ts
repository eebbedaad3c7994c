import { inParallel } from '../../core/in-parallel.ts';
import { UnreadableError } from '../../ports/errors.ts';
import type { Attributes } from './table.ts';

/** Gets each item that a list leaves out. */
export type ReportUnreadable = (error: UnreadableError) => void;

/** One item of a list: its value, or why it cannot be read. */
export type Read<T> = { readonly kind: 'read'; readonly value: T } | UnreadableItem;

interface UnreadableItem {
  readonly kind: 'unreadable';
  readonly item: Attributes;
  readonly error: UnreadableError;
}

/** Reads an item. *Errors:* those that are not about the item alone. */
export async function readItem<T>(item: Attributes, read: (item: Attributes) => T | Promise<T>): Promise<Read<T>> {
  try {
    return { kind: 'read', value: await read(item) };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return { kind: 'unreadable', item, error };
  }
}

/** An item may be read with a request of its own. The SDK has 50 connections, and a request that waits too long for one of them fails. */
const READ_AT_ONCE = 25;

/** Splits the items into those that can be read, in their order, and the others, which are reported. */
export async function readItems<T>(
  items: readonly Attributes[],
  read: (item: Attributes) => T | Promise<T>,
  report: ReportUnreadable,
): Promise<{ readonly values: readonly T[]; readonly unreadable: readonly UnreadableItem[] }> {
  const found: Read<T>[] = [];
  await inParallel([...items.entries()], READ_AT_ONCE, async ([index, item]) => {
    found[index] = await readItem(item, read);
  });
  const left = found.filter((one) => one.kind === 'unreadable');
  for (const { error } of left) report(error);
  return { values: found.flatMap((one) => (one.kind === 'read' ? [one.value] : [])), unreadable: left };
}

/** The items that can be read, in their order. Each of the others is reported. */
export async function readableItems<T>(
  items: readonly Attributes[],
  read: (item: Attributes) => T | Promise<T>,
  report: ReportUnreadable,
): Promise<readonly T[]> {
  return (await readItems(items, read, report)).values;
}

/** A number of an item. *Errors:* UnreadableError. */
export function numberOf(item: Attributes, name: string): number {
  const value = item[name];
  if (typeof value === 'number') return value;
  throw unreadable(item, `${name} is not a number`);
}

/** A text of an item. *Errors:* UnreadableError. */
export function textOf(item: Attributes, name: string): string {
  const value = item[name];
  if (typeof value === 'string') return value;
  throw unreadable(item, `${name} is not a text`);
}

export function unreadable({ pk, sk }: Attributes, why: string): UnreadableError {
  return new UnreadableError(
    `item ${String(pk)} ${String(sk)} in the table cannot be read: ${why}; restore or delete it`,
  );
}
