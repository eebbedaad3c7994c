import { isCollection, isMap, isNode, isScalar, isSeq, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { setValue } from './comments.ts';

/** Functions to read and rearrange maps of parsed YAML. Pairs are moved whole, so comments and quotes are kept. */

export function pairKeyOf({ key }: Pair): string | undefined {
  return isScalar(key) && typeof key.value !== 'symbol' ? String(key.value) : undefined;
}

export function find(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find((pair) => pairKeyOf(pair) === name);
}

/** A field with a value. A null field counts as absent. */
export function present(map: YAMLMap, name: string): Pair | undefined {
  const pair = find(map, name);
  return pair === undefined || isNull(pair.value) ? undefined : pair;
}

export function take(map: YAMLMap, name: string): Pair | undefined {
  const pair = find(map, name);
  if (pair !== undefined) remove(map, pair);
  return pair;
}

export function remove(map: YAMLMap, pair: Pair): void {
  const index = map.items.indexOf(pair);
  if (index >= 0) map.items.splice(index, 1);
}

export function put(map: YAMLMap, name: string, value: unknown): void {
  map.items.push(newPair(name, value));
}

/** Sets the value of a field, in place where the field exists. */
export function write(map: YAMLMap, name: string, value: unknown): void {
  const pair = find(map, name);
  if (pair === undefined) put(map, name, value);
  else setValue(pair, toNode(value));
}

export function newPair(name: string, value: unknown): Pair {
  return new Pair(new Scalar(name), toNode(value));
}

/** Renames the pair, and keeps the comment and quotes of its key. */
export function rename(pair: Pair, name: string): void {
  if (isScalar(pair.key)) pair.key.value = name;
  else pair.key = new Scalar(name);
}

/** Replaces the text of the pair, and keeps the comment and quotes of its value. */
export function setText(pair: Pair, text: string): void {
  if (isScalar(pair.value)) writeText(pair.value, text);
  else setValue(pair, new Scalar(text));
}

export function writeText(scalar: Scalar, text: string): void {
  scalar.value = text;
  delete scalar.tag;
}

export function moveAll(from: YAMLMap, to: YAMLMap, names: readonly string[]): void {
  const moved = from.items.filter((pair) => names.includes(pairKeyOf(pair) ?? ''));
  for (const pair of moved) remove(from, pair);
  to.items.push(...moved);
}

/** Removes the empty line above the first field of a map. */
export function withoutGap(map: YAMLMap): YAMLMap {
  const key = map.items[0]?.key;
  if (isScalar(key)) delete key.spaceBefore;
  return map;
}

export function mapAt(map: YAMLMap | undefined, ...path: readonly string[]): YAMLMap | undefined {
  let at: unknown = map;
  for (const name of path) at = isMap(at) ? find(at, name)?.value : undefined;
  return isMap(at) ? at : undefined;
}

export function mapsIn(map: YAMLMap | undefined, name: string): readonly YAMLMap[] {
  const list = map === undefined ? undefined : find(map, name)?.value;
  return isSeq(list) ? list.items.filter((item) => isMap(item)) : [];
}

/** The map under a name, created where it is missing; undefined where the value is not a map. */
export function ensureMap(map: YAMLMap, name: string): YAMLMap | undefined {
  const pair = find(map, name);
  if (pair === undefined) {
    const made = new YAMLMap();
    put(map, name, made);
    return made;
  }
  if (isNull(pair.value)) setValue(pair, new YAMLMap());
  return isMap(pair.value) ? pair.value : undefined;
}

function textOf(node: unknown): string | undefined {
  return isScalar(node) && typeof node.value === 'string' ? node.value : undefined;
}

export function textAt(map: YAMLMap | undefined, name: string): string | undefined {
  return map === undefined ? undefined : textOf(find(map, name)?.value);
}

export function isNull(node: unknown): boolean {
  return node === null || node === undefined || (isScalar(node) && (node.value === null || node.value === undefined));
}

export function isEmptyMap(node: unknown): boolean {
  return isNull(node) || (isCollection(node) && node.items.length === 0);
}

/** Creates nodes for values. A list of scalars is written on one line. */
export function toNode(value: unknown): unknown {
  if (isNode(value)) return value;
  if (Array.isArray(value)) {
    const list = new YAMLSeq();
    list.items = value.map(toNode);
    list.flow = list.items.every((item) => isScalar(item));
    return list;
  }
  if (typeof value !== 'object' || value === null) return new Scalar(value);
  const map = new YAMLMap();
  for (const [name, field] of Object.entries(value)) put(map, name, field);
  return map;
}
