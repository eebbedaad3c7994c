import { checked } from '../project/project.ts';
import { type KnownValues, noKnownValues } from './known-values.ts';
import { readMessage } from './read-message.ts';
import { field, type Message, message } from './schema.ts';
import { append, emptyWindow, type Piece, peek, type Window } from './window.ts';
import { LENGTH_DELIMITED, WireError } from './wire.ts';

/** The schema of the lists of a kind. */
export interface ProtobufList<T> {
  /** `PodList`; other kinds are rejected. */
  readonly listKind: string;
  readonly item: Message;
  readonly is: (value: unknown) => value is T;
  /** What is kept of an item. @default all that its message has */
  readonly trim?: (item: T) => T;
}

export interface ListEnd {
  readonly resourceVersion: string;
  /** Empty where the list is complete. */
  readonly continue: string;
}

/** Decodes a list from a stream of bytes. *Errors:* both functions throw WireError for invalid bytes. */
export interface ListDecoder<T> {
  /** *Shape:* the items that are complete after these bytes. */
  readonly push: (chunk: Buffer) => readonly T[];
  /** To be called after the last bytes; a truncated list is an error. */
  readonly end: () => ListEnd;
}

/** `k8s\0`, then a runtime.Unknown: the type, the list itself, its encoding. k8s.io/apimachinery `runtime/generated.proto` */
const MAGIC = Buffer.from('k8s\0');
const UNKNOWN = { typeMeta: 1, raw: 2, contentEncoding: 3 };
const TYPE_META = message({ 1: field('apiVersion', 'text'), 2: field('kind', 'text') });

const LIST = { metadata: 1, items: 2 };
const LIST_META = message({ 2: field('resourceVersion', 'text'), 3: field('continue', 'text') });

/** Ten times the maximum size of an object in etcd. A longer value has an invalid length. */
const LONGEST_VALUE = 16 * 1024 * 1024;

interface State<T> extends Window {
  readonly list: ProtobufList<T>;
  readonly known: KnownValues;
  part: 'magic' | 'head' | 'list' | 'tail';
  /** The remaining bytes of the list. */
  left: number;
  listEnd: ListEnd;
}

export function listDecoder<T>(list: ProtobufList<T>): ListDecoder<T> {
  const listEnd = { resourceVersion: '', continue: '' };
  const state: State<T> = { ...emptyWindow(), list, known: noKnownValues(), part: 'magic', left: 0, listEnd };
  return {
    push: (chunk) => {
      append(state, chunk);
      const items: T[] = [];
      while (step(state, items));
      return items;
    },
    end: () => {
      if (state.part !== 'tail' || state.at !== state.filled) throw new WireError(`it ends within its ${state.part}`);
      if (state.listEnd.resourceVersion === '') throw new WireError('a list without a resourceVersion');
      return state.listEnd;
    },
  };
}

/** *Shape:* false where more bytes are needed. */
function step<T>(state: State<T>, items: T[]): boolean {
  switch (state.part) {
    case 'magic':
      return readMagic(state);
    case 'head':
      return readHead(state);
    case 'list':
      return readOfList(state, items);
    case 'tail':
      return readTail(state);
  }
}

function readMagic<T>(state: State<T>): boolean {
  const end = state.at + MAGIC.length;
  if (state.filled < end) return false;
  if (!state.bytes.subarray(state.at, end).equals(MAGIC)) throw new WireError('it does not begin with k8s and a zero');
  state.at = end;
  state.part = 'head';
  return true;
}

/** Reads up to the list, which is one value with all items. */
function readHead<T>(state: State<T>): boolean {
  const piece = peek(state);
  if (piece === undefined) return false;
  if (isField(piece, UNKNOWN.raw)) {
    state.at = piece.start;
    state.left = piece.end - piece.start;
    state.part = 'list';
    return true;
  }
  if (!isWhole(state, piece)) return false;
  if (isField(piece, UNKNOWN.typeMeta)) {
    const kind = textOf(readPiece(state, piece, TYPE_META)['kind']);
    if (kind !== state.list.listKind) throw new WireError(`a ${kind}, not a ${state.list.listKind}`);
  }
  state.at = piece.end;
  return true;
}

function readOfList<T>(state: State<T>, items: T[]): boolean {
  if (state.left === 0) {
    state.part = 'tail';
    return true;
  }
  const piece = peek(state);
  if (piece === undefined) return false;
  const length = piece.end - state.at;
  if (length > state.left) throw new WireError(`a value of ${length} bytes where ${state.left} are left of the list`);
  if (!isWhole(state, piece)) return false;
  if (isField(piece, LIST.items)) {
    const item = checked(readPiece(state, piece, state.list.item), state.list.is);
    if (item !== undefined) items.push(state.list.trim?.(item) ?? item);
  } else if (isField(piece, LIST.metadata)) {
    const meta = readPiece(state, piece, LIST_META);
    state.listEnd = { resourceVersion: textOf(meta['resourceVersion']), continue: textOf(meta['continue']) };
  }
  state.left -= length;
  state.at = piece.end;
  return true;
}

function readTail<T>(state: State<T>): boolean {
  const piece = peek(state);
  if (piece === undefined || !isWhole(state, piece)) return false;
  if (isField(piece, UNKNOWN.raw)) throw new WireError('a second list');
  const isEncoded = isField(piece, UNKNOWN.contentEncoding) && piece.end > piece.start;
  if (isEncoded) throw new WireError('a list that is encoded once more');
  state.at = piece.end;
  return true;
}

function isField(piece: Piece, number: number): boolean {
  if (piece.number !== number) return false;
  if (piece.wireType !== LENGTH_DELIMITED) throw new WireError(`field ${number} has the wire type ${piece.wireType}`);
  return true;
}

function isWhole(state: Window, { start, end }: Piece): boolean {
  if (end - start > LONGEST_VALUE) throw new WireError(`a value of ${end - start} bytes`);
  return end <= state.filled;
}

function readPiece<T>({ bytes, known }: State<T>, piece: Piece, table: Message): Readonly<Record<string, unknown>> {
  return readMessage({ bytes, at: piece.start, limit: piece.end, known }, table);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
