import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type YAMLMap } from 'yaml';
import type { Path } from '../explain/problem.ts';

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The position of a field, or of the nearest enclosing field where it is missing. */
export function locate(document: Document, path: Path, lines: LineCounter): Position {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of path) {
    const next = stepInto(isAlias(node) ? node.resolve(document) : node, step, document);
    if (next === undefined) break;
    offset = next.offset ?? offset;
    node = next.node;
  }
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** The source text of a number or boolean; undefined for every other value. */
export function sourceAt(document: Document, path: Path): string | undefined {
  let node: unknown = document.contents;
  for (const step of path) node = stepInto(isAlias(node) ? node.resolve(document) : node, step, document)?.node;
  const scalar = isAlias(node) ? node.resolve(document) : node;
  return isScalar(scalar) && typeof scalar.value !== 'string' ? scalar.source : undefined;
}

interface Step {
  readonly node: unknown;
  readonly offset: number | undefined;
}

function stepInto(node: unknown, step: string | number, document: Document): Step | undefined {
  if (isMap(node)) return pairOf(node, String(step), document);
  if (!isSeq(node) || typeof step !== 'number' || step >= node.items.length) return undefined;
  return { node: node.items[step], offset: startOf(node.items[step]) };
}

/** The position of a scalar value itself. For a map or list, which starts on another line, the position of its key. */
function pairOf(map: YAMLMap, name: string, document: Document): Step | undefined {
  for (const { key, value } of map.items) {
    if (!isScalar(key) || String(key.value) !== name) continue;
    const scalar = isScalar(value) && value.value !== null;
    return { node: value, offset: scalar ? startOf(value) : startOf(key) };
  }
  return mergedPairOf(map, name, document);
}

function mergedPairOf(map: YAMLMap, name: string, document: Document): Step | undefined {
  for (const { key, value } of map.items) {
    if (!isScalar(key) || key.source !== '<<') continue;
    const merged = isAlias(value) ? value.resolve(document) : value;
    for (const part of isSeq(merged) ? merged.items : [merged]) {
      const target = isAlias(part) ? part.resolve(document) : part;
      const found = isMap(target) ? pairOf(target, name, document) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

export function startOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}
