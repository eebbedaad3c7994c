import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { setValue } from '../documents/comments.ts';
import { pairKeyOf } from '../documents/yaml-map.ts';

/** A document whose aliases expand to more nodes is rejected as a "billion laughs" attack. */
const MAX_COPIES = 100_000;

interface Expansion {
  readonly anchors: Map<string, Node>;
  /** The anchored nodes that contain the visited node: expanding an alias of one of them would not end. */
  readonly open: Set<Node>;
  copiesLeft: number;
  failure: string | undefined;
}

export function hasAliases(node: unknown): boolean {
  if (isAlias(node)) return true;
  if (isPair(node)) return isMergeKey(node) || hasAliases(node.key) || hasAliases(node.value);
  return isCollection(node) && node.items.some(hasAliases);
}

/**
 * Expands every alias and merge key of the document in place. Returns the reason where that is not possible.
 * *Cost:* at most `MAX_COPIES` new nodes.
 */
export function expandAliases(document: Document): string | undefined {
  const expansion: Expansion = { anchors: new Map(), open: new Set(), copiesLeft: MAX_COPIES, failure: undefined };
  const expanded = expand(document.contents, expansion);
  if (expansion.failure === undefined && isNode(expanded)) document.contents = expanded;
  return expansion.failure;
}

function expand(node: unknown, expansion: Expansion): unknown {
  if (expansion.failure !== undefined) return node;
  if (isPair(node)) {
    node.key = expand(node.key, expansion);
    const value = expand(node.value, expansion);
    if (value !== node.value) setValue(node, value);
  }
  if (!isNode(node)) return node;
  if (isAlias(node)) return copyOf(node.source, expansion) ?? node;
  if (node.anchor !== undefined) expansion.anchors.set(node.anchor, node);
  delete node.anchor;
  if (!isCollection(node)) return node;
  expansion.open.add(node);
  if (isMap(node)) {
    for (const pair of node.items) expand(pair, expansion);
    expandMerges(node, expansion);
  } else if (isSeq(node)) node.items = node.items.map((item) => expand(item, expansion));
  expansion.open.delete(node);
  return node;
}

function copyOf(name: string, expansion: Expansion): Node | undefined {
  const target = expansion.anchors.get(name);
  if (target === undefined) expansion.failure = `"*${name}" has no anchor before it`;
  else if (expansion.open.has(target)) expansion.failure = `"*${name}" is inside the value that it repeats`;
  if (target === undefined || expansion.failure !== undefined) return undefined;
  expansion.copiesLeft -= sizeOf(target, expansion.copiesLeft);
  if (expansion.copiesLeft < 0) {
    expansion.failure = `its aliases repeat more than ${MAX_COPIES} values`;
    return undefined;
  }
  const copy = target.clone();
  if (!isNode(copy)) return undefined;
  // Comments at the anchor stay there.
  copy.commentBefore = null;
  copy.comment = null;
  return copy;
}

/** Counts nodes, and stops just above the limit. */
export function sizeOf(node: unknown, limit: number): number {
  let size = 1;
  const parts = isCollection(node) ? node.items : isPair(node) ? [node.key, node.value] : [];
  for (const part of parts) {
    if (size > limit) break;
    size += sizeOf(part, limit - size);
  }
  return size;
}

function expandMerges(map: YAMLMap, expansion: Expansion): void {
  if (!map.items.some(isMergeKey)) return;
  const names = new Set(map.items.filter((pair) => !isMergeKey(pair)).map(pairKeyOf));
  map.items = map.items.flatMap((pair) => {
    if (!isMergeKey(pair)) return [pair];
    const parts = isSeq(pair.value) ? pair.value.items : [pair.value];
    return parts.flatMap((part) => {
      if (!isMap(part)) {
        expansion.failure ??= '"<<" merges a value that is not a map';
        return [];
      }
      return part.items.filter((merged) => {
        const name = pairKeyOf(merged);
        const isNew = !names.has(name);
        names.add(name);
        return isNew;
      });
    });
  });
}

function isMergeKey({ key }: Pair): boolean {
  if (!isScalar(key)) return false;
  return typeof key.value === 'symbol' || (key.value === '<<' && (key.type === undefined || key.type === 'PLAIN'));
}
