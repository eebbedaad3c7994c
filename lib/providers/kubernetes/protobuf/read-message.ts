import { type KnownValues, knownText, knownTime, knownValue, newText, rememberValue } from './known-values.ts';
import type { Message, ProtobufField } from './schema.ts';
import { type Cursor, readEnd, readVarint, skip, VARINT, WireError } from './wire.ts';

/** A position in a message. The limit is the end of the innermost message. */
export interface MessageReader extends Cursor {
  limit: number;
  readonly known: KnownValues;
}

type Values = Record<string, unknown>;

/** Decodes the fields of the schema from the message that ends at the reader's limit, in the form of JSON. *Errors:* WireError. */
export function readMessage(reader: MessageReader, table: Message): Readonly<Values> {
  const values: Values = {};
  readInto(values, reader, table);
  return values;
}

function readInto(values: Values, reader: MessageReader, table: Message): void {
  while (reader.at < reader.limit) {
    const start = reader.at;
    const tag = readVarint(reader);
    const field = table[tag >>> 3];
    const wireType = tag & 7;
    if (field === undefined) {
      skip(reader, wireType, reader.limit);
    } else if (field.wireType !== wireType) {
      throw new WireError(`${field.name} at byte ${start} has the wire type ${wireType}, not ${field.wireType}`);
    } else if (wireType === VARINT) {
      setNumber(values, field, readVarint(reader));
    } else if (field.shared) {
      reader.at = start;
      setShared(values, field, reader);
    } else {
      setDelimited(values, field, reader);
    }
  }
  mustBeAtLimit(reader);
}

function setNumber(values: Values, { name, kind }: ProtobufField, value: number): void {
  if (kind === 'given-flag') values[name] = value !== 0;
  else if (kind === 'given-number') values[name] = value;
  else if (value !== 0) values[name] = kind === 'flag' ? true : value;
}

/** Consecutive occurrences of the field are one value: a list, a map, or a single message. */
function setShared(values: Values, field: ProtobufField, reader: MessageReader): void {
  const start = reader.at;
  const end = endOfRun(reader);
  const bytes = reader.bytes.toString('latin1', start, end);
  let value = knownValue(field, bytes, reader.known);
  if (value === undefined) {
    const alone: Values = {};
    while (reader.at < end) {
      readVarint(reader);
      setDelimited(alone, field, reader);
    }
    value = alone[field.name];
    rememberValue(field, { bytes, value }, reader.known);
  }
  // The value is shared and must not grow. Kubernetes writes the entries of a field consecutively.
  if (values[field.name] !== undefined) throw new WireError(`${field.name} at byte ${start} comes a second time`);
  values[field.name] = value;
  reader.at = end;
}

/** *Shape:* the end of the last consecutive field with this tag. The position of the reader does not change. */
function endOfRun(reader: MessageReader): number {
  const start = reader.at;
  const tag = readVarint(reader);
  let end = readEnd(reader, reader.limit);
  for (reader.at = end; end < reader.limit; reader.at = end) {
    if (readVarint(reader) !== tag) break;
    end = readEnd(reader, reader.limit);
  }
  reader.at = start;
  return end;
}

function setDelimited(values: Values, field: ProtobufField, reader: MessageReader): void {
  const { name, kind } = field;
  const outer = reader.limit;
  reader.limit = readEnd(reader, outer);
  switch (kind) {
    case 'text':
      if (reader.limit > reader.at) values[name] = readText(reader, field);
      break;
    case 'given-text':
      values[name] = readText(reader, field);
      break;
    case 'texts':
      listIn(values, name).push(readText(reader, field));
      break;
    case 'time':
      if (reader.limit > reader.at) values[name] = readTime(reader);
      break;
    case 'text-by-name':
    case 'quantity-by-name':
      readEntry(mapIn(values, name), field, reader);
      break;
    case 'message':
      values[name] = readMessage(reader, field.message);
      break;
    case 'messages': {
      const value = readMessage(reader, field.message);
      if (field.keeps?.(value) !== false) listIn(values, name).push(value);
      break;
    }
    case 'inline':
      readInto(values, reader, field.message);
      break;
    case 'number':
    case 'given-number':
    case 'flag':
    case 'given-flag':
      throw new WireError(`${name} is a number`);
  }
  reader.limit = outer;
}

function readText(reader: MessageReader, { unique }: ProtobufField): string {
  return unique ? newText(reader, reader.limit) : knownText(reader, reader.limit, reader.known);
}

/** Seconds since 1970, and fractions of a second, which Kubernetes does not store. */
function readTime(reader: MessageReader): string {
  let seconds = 0;
  while (reader.at < reader.limit) {
    const tag = readVarint(reader);
    if (tag === SECONDS) seconds = readVarint(reader);
    else skip(reader, tag & 7, reader.limit);
  }
  mustBeAtLimit(reader);
  return knownTime(seconds, reader.known);
}

/** The key and value of one map entry; a quantity is a message with its text. */
function readEntry(map: Values, { kind, keepsEntry }: ProtobufField, reader: MessageReader): void {
  let key = '';
  let value = '';
  let valueBytes = 0;
  const { limit } = reader;
  while (reader.at < limit) {
    const tag = readVarint(reader);
    if (tag === KEY) {
      key = knownText(reader, readEnd(reader, limit), reader.known);
    } else if (tag === VALUE) {
      const end = readEnd(reader, limit);
      valueBytes = end - reader.at;
      if (keepsEntry?.(key, valueBytes) === false) reader.at = end;
      else value = kind === 'quantity-by-name' ? readQuantity(reader, end) : knownText(reader, end, reader.known);
    } else {
      skip(reader, tag & 7, limit);
    }
  }
  mustBeAtLimit(reader);
  if (keepsEntry?.(key, valueBytes) !== false) map[key] = value;
}

function readQuantity(reader: MessageReader, end: number): string {
  let text = '';
  while (reader.at < end) {
    const tag = readVarint(reader);
    if (tag === KEY) text = knownText(reader, readEnd(reader, end), reader.known);
    else skip(reader, tag & 7, end);
  }
  if (reader.at !== end) throw new WireError(`a quantity ends at byte ${end}, within a value`);
  return text;
}

function mustBeAtLimit({ at, limit }: MessageReader): void {
  if (at !== limit) throw new WireError(`a message ends at byte ${limit}, within a value`);
}

/** Tags of field 1 as text, field 2 as text, and field 1 as a number. */
const KEY = 10;
const VALUE = 18;
const SECONDS = 8;

function listIn(values: Values, name: string): unknown[] {
  const known = values[name];
  if (Array.isArray(known)) return known;
  const list: unknown[] = [];
  values[name] = list;
  return list;
}

function mapIn(values: Values, name: string): Values {
  const known = values[name];
  if (isValues(known)) return known;
  const map: Values = {};
  values[name] = map;
  return map;
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null;
}
