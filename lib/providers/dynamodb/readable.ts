import { UnreadableError } from '../../ports/errors.ts';
import type { Attributes } from './table.ts';

/** Gets each item that a list leaves out. */
export type ReportUnreadable = (error: UnreadableError) => void;

/** One item of a list: its value, or why it cannot be read. */
export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'unreadable'; readonly item: Attributes; readonly error: UnreadableError };

/** Reads an item. *Errors:* those that are not about the item alone. */
export async function readItem<T>(item: Attributes, read: (item: Attributes) => T | Promise<T>): Promise<Read<T>> {
  try {
    return { kind: 'read', value: await read(item) };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return { kind: 'unreadable', item, error };
  }
}

/** The items that can be read, in their order. Each of the others is reported. */
export async function readableItems<T>(
  items: readonly Attributes[],
  read: (item: Attributes) => T | Promise<T>,
  report: ReportUnreadable,
): Promise<readonly T[]> {
  const found = await Promise.all(items.map(async (item) => readItem(item, read)));
  return found.flatMap((one) => {
    if (one.kind === 'read') return [one.value];
    report(one.error);
    return [];
  });
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
