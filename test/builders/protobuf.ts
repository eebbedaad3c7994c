/** Encodes protobuf as a Kubernetes API server does: fields by number, with a text, bytes, a number, a boolean, or a list of these. */

export type WireValue = string | Buffer | number | bigint | boolean;
export type WireFields = Readonly<Record<number, WireValue | readonly WireValue[]>>;

export function aMessage(fields: WireFields): Buffer {
  const parts = Object.entries(fields).flatMap(([number, value]) =>
    (Array.isArray(value) ? value : [value]).map((one: WireValue) => fieldOf(Number(number), one)),
  );
  return Buffer.concat(parts);
}

export function aMap(entries: Readonly<Record<string, WireValue>>): readonly Buffer[] {
  return Object.entries(entries).map(([key, value]) => aMessage({ 1: key, 2: value }));
}

export interface ListParts {
  readonly kind?: string;
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly contentEncoding?: string;
}

/** A whole response: the magic number, and the list in its envelope. */
export function aListAnswer(items: readonly Buffer[], parts: ListParts = {}): Buffer {
  const { kind = 'PodList', resourceVersion = '7', contentEncoding = '' } = parts;
  const list = aMessage({ 1: aMessage({ 1: '', 2: resourceVersion, 3: parts.continue ?? '' }), 2: items });
  const type = aMessage({ 1: 'v1', 2: kind });
  return Buffer.concat([Buffer.from('k8s\0'), aMessage({ 1: type, 2: list, 3: contentEncoding, 4: '' })]);
}

/** An object with the fewest fields that the API server sends. */
export function aWirePod(
  name: string,
  spec: WireFields = {},
  { status, ...metadata }: WireFields & { readonly status?: Buffer } = {},
): Buffer {
  const container = aMessage({ 1: 'main', 2: 'nginx', 8: aMessage({}) });
  return aMessage({
    1: aMessage({ 1: name, 3: 'default', ...metadata }),
    2: aMessage({ 2: container, ...spec }),
    3: status ?? '',
  });
}

function fieldOf(number: number, value: WireValue): Buffer {
  if (typeof value === 'string') return fieldOf(number, Buffer.from(value));
  if (Buffer.isBuffer(value)) return Buffer.concat([varint(number * 8 + 2), varint(value.length), value]);
  return Buffer.concat([varint(number * 8), varint(value)]);
}

function varint(value: number | bigint | boolean): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}
