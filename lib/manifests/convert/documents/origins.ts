import { isMap, isPair, isScalar, isSeq } from 'yaml';
import type { Path } from '../../explain/problem.ts';
import { startOf } from '../../read/locate.ts';
import { pairKeyOf } from './yaml-map.ts';

/** The position of a field before the conversion. */
export interface Origin {
  readonly path: Path;
  readonly offset: number;
}

export type Origins = WeakMap<object, Origin>;

/** Records the position of every node before the conversion moves it, so that warnings refer to the lines of the old manifest. */
export function recordOrigins(root: unknown): Origins {
  const origins: Origins = new WeakMap();
  record(root, { path: [], offset: startOf(root) ?? 0 }, origins);
  return origins;
}

function record(node: unknown, origin: Origin, origins: Origins): void {
  if (typeof node !== 'object' || node === null) return;
  origins.set(node, origin);
  if (isMap(node)) {
    for (const pair of node.items) {
      const path = [...origin.path, pairKeyOf(pair) ?? ''];
      // As for manifest problems: the position of a scalar itself, or of the key of a map or list.
      const whole = isScalar(pair.value) && pair.value.value !== null;
      const offset = startOf(whole ? pair.value : pair.key) ?? origin.offset;
      origins.set(pair, { path, offset });
      record(pair.value, { path, offset }, origins);
    }
  } else if (isSeq(node)) {
    node.items.forEach((item, index) => {
      const offset = startOf(isPair(item) ? item.key : item) ?? origin.offset;
      record(item, { path: [...origin.path, index], offset }, origins);
    });
  }
}
