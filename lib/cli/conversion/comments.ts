import { isCollection, isMap, isNode, isPair, isScalar, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';

/** What people wrote beside a field stays beside whatever takes its place. */

/** Gives the pair another value, which takes over the comments of the former one. */
export function setValue(pair: Pair, value: unknown): void {
  const former = pair.value;
  pair.value = value;
  if (isNode(former)) inherit(pair, former);
}

/** Passes the comments on a node that goes, but not those inside it, to the pair that stays. */
export function inherit(pair: Pair, from: Node): void {
  addAbove(pair, from.commentBefore);
  // Behind the opening line of a block, yaml has nothing but what stands above the first item.
  if (isBlock(pair.value) && !isBlock(from)) addAbove(pair, from.comment);
  else addBehind(pair, from.comment);
  from.commentBefore = null;
  from.comment = null;
}

/** Passes every comment on and in a pair that goes to the one that takes its place. */
export function moveComments(from: Pair | undefined, to: Pair): void {
  if (from === undefined) return;
  const { above, behind } = commentsIn(from);
  addToKey(to, join(...above));
  for (const comment of behind) addBehind(to, comment);
}

/** Takes the comment above a pair away, to stand above something larger. */
export function takeAbove({ key }: Pair): string | undefined {
  if (!isNode(key) || typeof key.commentBefore !== 'string') return undefined;
  const comment = key.commentBefore;
  key.commentBefore = null;
  return comment;
}

/** A copy of the pair without a word beside it. */
export function withoutComments(pair: Pair): Pair {
  const copy = pair.clone();
  for (const node of [copy.key, copy.value])
    if (isNode(node)) {
      node.commentBefore = null;
      node.comment = null;
    }
  return copy;
}

/** Leaves only some pairs in the map. What stands below a block that goes may be about what follows it, and stays. */
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

/** At the line's end, where there is room for one; below the last item of a block. */
function addBehind(pair: Pair, comment: string | null | undefined): void {
  if (typeof comment !== 'string') return;
  const { value } = pair;
  if (isBlock(value)) value.comment = join(value.comment, comment) ?? null;
  else if (isNode(value) && typeof value.comment !== 'string' && !comment.includes('\n') && isOneLine(value))
    value.comment = comment;
  else addToKey(pair, comment);
}

/** A block of YAML with something in it: an empty one is written as `{}` or `[]`. */
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

/** The comment above a map's first field belongs to that field, which may be about to move. */
export function liftComment(map: unknown): void {
  const key = isMap(map) ? map.items[0]?.key : undefined;
  if (!isMap(map) || !isScalar(key) || typeof map.commentBefore !== 'string') return;
  key.commentBefore = join(map.commentBefore, key.commentBefore) ?? null;
  map.commentBefore = null;
}
