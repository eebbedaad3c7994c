import { isCollection, isMap, isNode, isPair, isScalar, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';

/** Moves the comments of a field to the field that replaces it. */

/** Replaces the value of the pair. The new value inherits the comments of the old one. */
export function setValue(pair: Pair, value: unknown): void {
  const former = pair.value;
  pair.value = value;
  if (isNode(former)) inherit(pair, former);
}

/** Moves the comments on a removed node, but not those inside it, to the pair. */
export function inherit(pair: Pair, from: Node): void {
  addAbove(pair, from.commentBefore);
  // The parser stores a comment after the opening line of a block as the comment above its first item.
  if (isBlock(pair.value) && !isBlock(from)) addAbove(pair, from.comment);
  else addBehind(pair, from.comment);
  from.commentBefore = null;
  from.comment = null;
}

/** Moves all comments on and inside a removed pair to its replacement. */
export function moveComments(from: Pair | undefined, to: Pair): void {
  if (from === undefined) return;
  const { above, behind } = commentsIn(from);
  addToKey(to, join(...above));
  for (const comment of behind) addBehind(to, comment);
}

/** Removes and returns the comment above a pair. */
export function takeAbove({ key }: Pair): string | undefined {
  if (!isNode(key) || typeof key.commentBefore !== 'string') return undefined;
  const comment = key.commentBefore;
  key.commentBefore = null;
  return comment;
}

/** A copy of the pair without comments. */
export function withoutComments(pair: Pair): Pair {
  const copy = pair.clone();
  for (const node of [copy.key, copy.value])
    if (isNode(node)) {
      node.commentBefore = null;
      node.comment = null;
    }
  return copy;
}

/** Keeps only some pairs of the map. A comment below a removed block may describe the next field, and is kept. */
export function keepPairs(map: YAMLMap, isKept: (pair: Pair) => boolean): void {
  const kept: Pair[] = [];
  let below: string | undefined;
  for (const pair of map.items) {
    if (isKept(pair)) {
      if (isNode(pair.key)) pair.key.commentBefore = join(below, pair.key.commentBefore) ?? null;
      below = undefined;
      kept.push(pair);
    } else below = join(below, commentBelow(pair.value));
  }
  map.items = kept;
  map.comment = join(below, map.comment) ?? null;
}

function commentBelow(value: unknown): string | undefined {
  if (!isBlock(value)) return undefined;
  const last: unknown = value.items.at(-1);
  return join(commentBelow(isPair(last) ? last.value : last), value.comment);
}

function join(...comments: readonly (string | null | undefined)[]): string | undefined {
  const given = comments.filter((comment) => typeof comment === 'string');
  return given.length === 0 ? undefined : given.join('\n');
}

function addAbove(pair: Pair, comment: string | null | undefined): void {
  if (typeof comment !== 'string') return;
  if (isBlock(pair.value)) pair.value.commentBefore = join(comment, pair.value.commentBefore) ?? null;
  else addToKey(pair, comment);
}

function addToKey({ key }: Pair, comment: string | null | undefined): void {
  if (isNode(key) && typeof comment === 'string') key.commentBefore = join(key.commentBefore, comment) ?? null;
}

/** At the end of the line where no comment is there yet; below the last item of a block. */
function addBehind(pair: Pair, comment: string | null | undefined): void {
  if (typeof comment !== 'string') return;
  const { value } = pair;
  if (isBlock(value)) value.comment = join(value.comment, comment) ?? null;
  else if (isNode(value) && typeof value.comment !== 'string' && !comment.includes('\n') && isOneLine(value))
    value.comment = comment;
  else addToKey(pair, comment);
}

/** A non-empty block of YAML. An empty one is written as `{}` or `[]`. */
function isBlock(value: unknown): value is YAMLMap | YAMLSeq {
  return isCollection(value) && value.flow !== true && value.items.length > 0;
}

function isOneLine(value: Node): boolean {
  return isCollection(value) || (isScalar(value) && value.type !== 'BLOCK_LITERAL' && value.type !== 'BLOCK_FOLDED');
}

interface Comments {
  readonly above: readonly string[];
  readonly behind: readonly string[];
}

function commentsIn(part: unknown): Comments {
  if (isPair(part)) {
    const [key, value] = [commentsIn(part.key), commentsIn(part.value)];
    return { above: [...key.above, ...key.behind, ...value.above], behind: value.behind };
  }
  if (!isNode(part)) return { above: [], behind: [] };
  const inner = isCollection(part) ? part.items.map(commentsIn) : [];
  return {
    above: [...listed(part.commentBefore), ...inner.flatMap(({ above }) => above)],
    behind: [...inner.flatMap(({ behind }) => behind), ...listed(part.comment)],
  };
}

function listed(comment: string | null | undefined): readonly string[] {
  return typeof comment === 'string' ? [comment] : [];
}

/** Moves a comment above a map to its first field, which it describes. */
export function liftComment(map: unknown): void {
  const key = isMap(map) ? map.items[0]?.key : undefined;
  if (!isMap(map) || !isScalar(key) || typeof map.commentBefore !== 'string') return;
  key.commentBefore = join(map.commentBefore, key.commentBefore) ?? null;
  map.commentBefore = null;
}
