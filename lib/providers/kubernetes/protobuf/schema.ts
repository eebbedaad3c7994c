import { LENGTH_DELIMITED, VARINT } from './wire.ts';

/**
 * The schema language of this folder: field numbers with their JSON names. Other fields are skipped, whether they are unused or
 * added by a newer server.
 *
 * The server writes every field that is a value in its Go type, so zero values are present here although JSON omits them
 * (`omitempty`). Only pointer fields are absent when unset.
 */

export type Kind =
  /** Omitted when empty. */
  | 'text'
  /** Present when empty, because JSON always has it or it is a pointer. */
  | 'given-text'
  | 'texts'
  /** Omitted when 0. */
  | 'number'
  | 'given-number'
  /** Omitted when false. */
  | 'flag'
  | 'given-flag'
  /** RFC 3339 in whole seconds; an unset time has no bytes. */
  | 'time'
  | 'text-by-name'
  | 'quantity-by-name'
  | 'message'
  | 'messages'
  /** In JSON its fields are inlined into the enclosing message. */
  | 'inline';

export interface ProtobufField {
  readonly name: string;
  readonly kind: Kind;
  readonly wireType: number;
  readonly message: Message;
  /** The value is usually equal in many objects. It is decoded once and shared. */
  readonly shared: boolean;
  /** Text that is unique per object and is not cached. */
  readonly unique: boolean;
  /** Which entries of a map are kept. @default all */
  readonly keepsEntry: ((key: string, valueBytes: number) => boolean) | undefined;
  /** Which of the messages are kept. @default all */
  readonly keeps: ((value: Readonly<Record<string, unknown>>) => boolean) | undefined;
}

/** By field number. */
export type Message = readonly (ProtobufField | undefined)[];

const NUMBERS: readonly Kind[] = ['number', 'given-number', 'flag', 'given-flag'];

interface Details {
  readonly message?: Message;
  readonly shared?: boolean;
  readonly unique?: boolean;
  readonly keepsEntry?: ProtobufField['keepsEntry'];
  readonly keeps?: ProtobufField['keeps'];
}

export function field(name: string, kind: Kind, details: Details = {}): ProtobufField {
  const { shared = false, unique = false, keepsEntry, keeps } = details;
  const wireType = NUMBERS.includes(kind) ? VARINT : LENGTH_DELIMITED;
  return { name, kind, wireType, message: details.message ?? [], shared, unique, keepsEntry, keeps };
}

export function message(fields: Readonly<Record<number, ProtobufField>>): Message {
  const table: (ProtobufField | undefined)[] = [];
  for (const [number, one] of Object.entries(fields)) table[Number(number)] = one;
  return table;
}
