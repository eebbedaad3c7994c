import { isMap, isScalar, type Pair, YAMLMap, YAMLSeq } from 'yaml';
import type { Subject } from './subject.ts';
import { find, isNull, keyOf, newPair, put, rename } from './yaml-map.ts';

/** Selectors of v1alpha1, one map with lists in its texts, as the selector terms of v1, of which any one suffices. */

export type SelectorName = 'subnetSelector' | 'securityGroupSelector' | 'amiSelector';

/** A3.2 */
const MOST_TERMS = 30;

interface Selector {
  readonly ids: readonly string[];
  /** What stood behind the ids. */
  readonly idComment: string | undefined;
  readonly names: readonly string[];
  readonly owners: readonly string[];
  /** The tags, each with the values of which any will do. */
  readonly tags: readonly (readonly Pair[])[];
}

/** Renames the selector to its terms and rewrites its value. */
export function convertSelector(subject: Subject, pair: Pair, name: SelectorName): void {
  rename(pair, `${name}Terms`);
  if (isNull(pair.value)) return;
  if (!isMap(pair.value)) {
    subject.warn(pair, `${name} is not a map of tags`, `write ${name}Terms, such as [{tags: {Name: my-name}}]`);
    return;
  }
  const selector = readSelector(subject, pair.value, name);
  const count = countTerms(selector);
  if (count > MOST_TERMS) {
    subject.warn(
      pair,
      `${name} was left as it was: it stands for ${count > 1e6 ? 'more than a million' : count} terms, and v1 takes at most ${MOST_TERMS}`,
      `give what is meant one tag in common, and write ${name}Terms that select by it`,
    );
    return;
  }
  if (selector.ids.length > 0) warnOfIgnored(subject, pair, selector);
  const list = new YAMLSeq();
  list.items = termsOf(selector, count);
  const firstId = isMap(list.items[0]) ? find(list.items[0], 'id')?.value : undefined;
  if (isScalar(firstId) && selector.idComment !== undefined) firstId.comment = selector.idComment;
  if (pair.value.commentBefore !== undefined) list.commentBefore = pair.value.commentBefore;
  pair.value = list;
}

function readSelector(subject: Subject, map: YAMLMap, name: SelectorName): Selector {
  const selector: { ids: string[]; idComment: string | undefined; names: string[]; owners: string[]; tags: Pair[][] } =
    {
      ids: [],
      idComment: undefined,
      names: [],
      owners: [],
      tags: [],
    };
  for (const pair of map.items) {
    const key = keyOf(pair) ?? '';
    if (key === 'aws-ids' || key === 'aws::ids') {
      selector.ids.push(...listed(pair));
      if (isScalar(pair.value)) selector.idComment ??= pair.value.comment ?? undefined;
    } else if (name === 'amiSelector' && key === 'aws::name') selector.names.push(...listed(pair));
    else if (name === 'amiSelector' && key === 'aws::owners') selector.owners.push(...listed(pair));
    else selector.tags.push(tagValues(subject, pair));
  }
  return selector;
}

function listed({ value }: Pair): readonly string[] {
  if (!isScalar(value)) return [];
  return String(value.value)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The tag as it stands, or once for each value of a list. */
function tagValues(subject: Subject, pair: Pair): Pair[] {
  const { value } = pair;
  if (isScalar(value) && value.value === '') {
    value.value = '*';
    subject.warn(pair, 'an empty value, which meant any, became "*"', 'write "*" for any value of the tag');
  }
  if (!isScalar(value) || typeof value.value !== 'string' || !value.value.includes(',')) return [pair];
  return listed(pair).map((part) => newPair(keyOf(pair) ?? '', part));
}

function countTerms({ ids, names, owners, tags }: Selector): number {
  if (ids.length > 0) return ids.length;
  if (names.length + owners.length + tags.length === 0) return 0;
  const lists = [...tags, names, owners].filter(({ length }) => length > 1);
  return lists.reduce((count, { length }) => count * length, tags.some(({ length }) => length === 0) ? 0 : 1);
}

/** Every choice of an owner, a name and one value a tag, the last changing fastest. */
function termsOf({ ids, names, owners, tags }: Selector, count: number): YAMLMap[] {
  if (ids.length > 0) return ids.map((id) => termOf([['id', id]], []));
  return Array.from({ length: count }, (_, index) => {
    let rest = index;
    const pick = <T>(choices: readonly T[]): T | undefined => {
      const choice = choices[rest % Math.max(choices.length, 1)];
      rest = Math.floor(rest / Math.max(choices.length, 1));
      return choice;
    };
    const chosen = tags.toReversed().map(pick).toReversed();
    const name = pick(names);
    const owner = pick(owners);
    // The first term has the tags themselves, with their comments.
    const own = chosen.flatMap((tag) => (tag === undefined ? [] : [index === 0 ? tag : tag.clone()]));
    return termOf(
      [
        ['name', name],
        ['owner', owner],
      ],
      own,
    );
  });
}

function termOf(
  texts: readonly (readonly [field: string, text: string | undefined])[],
  tags: readonly Pair[],
): YAMLMap {
  const term = new YAMLMap();
  for (const [field, text] of texts) if (text !== undefined) put(term, field, text);
  if (tags.length > 0) {
    const map = new YAMLMap();
    map.items.push(...tags);
    put(term, 'tags', map);
  }
  return term;
}

/** v1 takes an id alone, and an id needs nothing more. */
function warnOfIgnored(subject: Subject, pair: Pair, { names, owners, tags }: Selector): void {
  const others = [
    ...tags.map(([first]) => (first === undefined ? '' : (keyOf(first) ?? ''))),
    ...(names.length > 0 ? ['aws::name'] : []),
    ...(owners.length > 0 ? ['aws::owners'] : []),
  ];
  if (others.length === 0) return;
  subject.warn(
    pair,
    `${others.map((other) => `"${other}"`).join(', ')} stood beside ids and was left out: in v1 a term with an id has nothing else`,
    'keep only the ids that have those tags, names and owners',
  );
}
