import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type YAMLMap } from 'yaml';
import type { Path } from './problem.ts';

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where a field stands, or, for one that is missing, the nearest field around it. */
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

/** The text of a number or a truth as the file has it; undefined for all else. */
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

/** A scalar's own place, since that is what is wrong; the key's for a map or a list, which starts on another line. */
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
