import { LENGTH_DELIMITED, VARINT } from './wire.ts';

/**
 * How the tables of this folder say what to read of a message: field numbers with the names that the JSON has. A field that
 * no table names is skipped: what we do not read, and what a newer server adds.
 *
 * The server writes every field of a message that its Go type holds as a value, so that zero arrives where its JSON leaves
 * the field out (`omitempty`); only fields that are pointers there are absent when unset.
 */

export type Kind =
  /** Left out when empty. */
  | 'text'
  /** There when empty: the JSON always has it, or it is a pointer. */
  | 'given-text'
  | 'texts'
  /** Left out when 0. */
  | 'number'
  | 'given-number'
  /** Left out when false. */
  | 'flag'
  | 'given-flag'
  /** RFC 3339, whole seconds; a time that was never set has no bytes. */
  | 'time'
  | 'text-by-name'
  | 'quantity-by-name'
  | 'message'
  | 'messages'
  /** Its fields stand in the JSON beside those of the message that it is in. */
  | 'inline';

export interface Field {
  readonly name: string;
  readonly kind: Kind;
  readonly wireType: number;
  readonly message: Message;
  /** The same value comes again and again, pod after pod: it is read once, and all hold the one. */
  readonly shared: boolean;
  /** A text of one object alone, which need not be looked up among those that were read before. */
  readonly unique: boolean;
  /** The entry of a map that nobody reads. */
  readonly without: string | undefined;
}

/** By field number. */
export type Message = readonly (Field | undefined)[];

const NUMBERS: readonly Kind[] = ['number', 'given-number', 'flag', 'given-flag'];

interface Details {
  readonly message?: Message;
  readonly shared?: boolean;
  readonly unique?: boolean;
  readonly without?: string;
}

export function field(name: string, kind: Kind, details: Details = {}): Field {
  const { shared = false, unique = false, without } = details;
  const wireType = NUMBERS.includes(kind) ? VARINT : LENGTH_DELIMITED;
  return { name, kind, wireType, message: details.message ?? [], shared, unique, without };
}

export function message(fields: Readonly<Record<number, Field>>): Message {
  const table: (Field | undefined)[] = [];
  for (const [number, one] of Object.entries(fields)) table[Number(number)] = one;
  return table;
}
