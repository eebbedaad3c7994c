import { isMap, isScalar, type Pair, YAMLMap, YAMLSeq } from 'yaml';
import { moveComments, setValue, takeAbove, withoutComments } from '../documents/comments.ts';
import { isEmptyMap, isNull, newPair, pairKeyOf, present, put, rename, take } from '../documents/yaml-map.ts';
import type { ConversionSubject } from '../subject.ts';

/**
 * Converts v1alpha1 selectors to v1 selector terms. A selector is a map whose values are comma-separated lists of
 * alternatives. A resource is selected if any of the terms matches it.
 */

export type SelectorName = 'subnetSelector' | 'securityGroupSelector' | 'amiSelector';

/** A3.2 */
const MAX_TERMS = 30;

/** The fields of terms. Each list holds alternative values. */
interface Selector {
  readonly ids: readonly Pair[];
  readonly names: readonly Pair[];
  readonly owners: readonly Pair[];
  readonly tags: readonly (readonly Pair[])[];
}

/** Renames the selector field and rewrites its value. */
export function convertSelector(subject: ConversionSubject, pair: Pair, name: SelectorName): void {
  rename(pair, `${name}Terms`);
  if (isNull(pair.value)) return;
  if (!isMap(pair.value)) {
    subject.warn(pair, `${name} is not a map of tags`, `write ${name}Terms, such as [{tags: {Name: my-name}}]`);
    return;
  }
  const selector = readSelector(subject, pair.value, name);
  const count = countTerms(selector);
  if (count > MAX_TERMS) {
    subject.warn(
      pair,
      `${name} was not converted: it expands to ${count > 1e6 ? 'more than a million' : count} terms, and v1 allows at most ${MAX_TERMS}`,
      `give the resources a common tag, and write ${name}Terms that select it`,
    );
    return;
  }
  if (selector.ids.length > 0) warnOfIgnored(subject, pair, selector);
  const list = new YAMLSeq();
  list.items = termsOf(selector, count);
  setValue(pair, list);
}

/** Writes a placeholder where the required terms are missing: a term with the tag of Karpenter's setup guide. */
export function addPlaceholderTerms(
  subject: ConversionSubject,
  spec: YAMLMap,
  name: 'subnetSelector' | 'securityGroupSelector',
): void {
  const field = `${name}Terms`;
  const given = present(spec, field);
  if (given !== undefined && !isEmptyMap(given.value)) return;
  const former = take(spec, field);
  const made = newPair(field, [{ tags: { 'karpenter.sh/discovery': 'CLUSTER_NAME' } }]);
  moveComments(former, made);
  spec.items.push(made);
  subject.warn(
    { within: spec, field },
    'is missing, and v1 requires it; a term with the tag karpenter.sh/discovery: CLUSTER_NAME is written as a placeholder',
    'write the name of the cluster there, or other terms',
  );
}

function readSelector(subject: ConversionSubject, map: YAMLMap, name: SelectorName): Selector {
  const selector = { ids: new Array<Pair>(), names: new Array<Pair>(), owners: new Array<Pair>(), tags: [] };
  const tags: (readonly Pair[])[] = selector.tags;
  for (const pair of map.items) {
    const key = pairKeyOf(pair) ?? '';
    if (key === 'aws-ids' || key === 'aws::ids') selector.ids.push(...choices(pair, 'id'));
    else if (name === 'amiSelector' && key === 'aws::name') selector.names.push(...choices(pair, 'name'));
    else if (name === 'amiSelector' && key === 'aws::owners') selector.owners.push(...choices(pair, 'owner'));
    else tags.push(tagValues(subject, pair));
  }
  return selector;
}

/** One field for each value of a comma-separated list. The first one gets the comments. */
function choices(pair: Pair, field: string): readonly Pair[] {
  const { value } = pair;
  if (!isScalar(value)) return [];
  const made = String(value.value)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => newPair(field, part));
  const [first] = made;
  if (first !== undefined) moveComments(pair, first);
  return made;
}

/** The unchanged tag, or one tag for each value of a comma-separated list. */
function tagValues(subject: ConversionSubject, pair: Pair): readonly Pair[] {
  const { value } = pair;
  if (isScalar(value) && value.value === '') {
    value.value = '*';
    subject.warn(pair, 'the empty value, which matched any value, became "*"', 'write "*" for any value of the tag');
  }
  if (!isScalar(value) || typeof value.value !== 'string' || !value.value.includes(',')) return [pair];
  return choices(pair, pairKeyOf(pair) ?? '');
}

function countTerms({ ids, names, owners, tags }: Selector): number {
  if (ids.length > 0) return ids.length;
  if (names.length + owners.length + tags.length === 0) return 0;
  const lists = [...tags, names, owners].filter(({ length }) => length > 1);
  return lists.reduce((count, { length }) => count * length, tags.some(({ length }) => length === 0) ? 0 : 1);
}

/** Every combination of an owner, a name and one value per tag; the last changes fastest. */
function termsOf({ ids, names, owners, tags }: Selector, count: number): YAMLMap[] {
  if (ids.length > 0) return ids.map((id) => termOf([id], []));
  return Array.from({ length: count }, (_, index) => {
    let rest = index;
    const pick = (from: readonly Pair[]): readonly Pair[] => {
      const choice = from[rest % Math.max(from.length, 1)];
      rest = Math.floor(rest / Math.max(from.length, 1));
      // The first term gets the original fields with their comments.
      return choice === undefined ? [] : [index === 0 ? choice : withoutComments(choice)];
    };
    const chosen = tags.toReversed().map(pick).toReversed().flat();
    const name = pick(names);
    const owner = pick(owners);
    return termOf([...name, ...owner], chosen);
  });
}

function termOf(own: readonly Pair[], tags: readonly Pair[]): YAMLMap {
  const term = new YAMLMap();
  term.items.push(...own);
  const [first] = own;
  // The comment goes above the list item, not after its dash.
  if (first !== undefined) term.commentBefore = takeAbove(first) ?? null;
  if (tags.length > 0) {
    const map = new YAMLMap();
    map.items.push(...tags);
    put(term, 'tags', map);
  }
  return term;
}

/** In v1 a term with an id has no other field. */
function warnOfIgnored(subject: ConversionSubject, pair: Pair, { names, owners, tags }: Selector): void {
  const others = [
    ...tags.map(([first]) => (first === undefined ? '' : (pairKeyOf(first) ?? ''))),
    ...(names.length > 0 ? ['aws::name'] : []),
    ...(owners.length > 0 ? ['aws::owners'] : []),
  ];
  if (others.length === 0) return;
  subject.warn(
    pair,
    `${others.map((other) => `"${other}"`).join(', ')} was set together with ids and is removed: in v1 a term with an id has no other field`,
    'keep only the ids of resources with those tags, names and owners',
  );
}
