import type { AttributeValue, QueryCommandInput, QueryCommandOutput } from '@aws-sdk/client-dynamodb';
import { optional } from '../../../lib/apis/optional.ts';
import type { Condition } from './condition-parser.ts';
import { checkOperands, isMet } from './conditions.ts';
import { invalid } from './errors.ts';
import { type Expressions, expressionsOf, type Placeholders } from './expressions.ts';
import { KEY_NAMES, placeOf, placeOfKey } from './keys.ts';
import { projected, requireSeparate, resolved } from './paths.ts';
import { answered, firstFrom, type Storage } from './storage.ts';
import { compareUtf8, itemBytes, type StoredItem } from './values.ts';

/** *Source:* Query: one page reads at most 1 MB, before the filter. */
const MAX_PAGE_BYTES = 1024 * 1024;

/** A query whose request is valid. */
export interface PreparedQuery {
  readonly pk: string;
  readonly sortKey: Condition | undefined;
  readonly expressions: Expressions;
  readonly input: QueryCommandInput;
  readonly after: string | undefined;
}

export function preparedQuery(input: QueryCommandInput): PreparedQuery {
  const expressions = readExpressions(input);
  const { keyCondition, filter } = expressions;
  if (keyCondition === undefined)
    throw invalid('Either the KeyConditions or KeyConditionExpression parameter must be given');
  checkOperands('KeyConditionExpression', keyCondition, expressions);
  if (filter !== undefined) {
    checkOperands('FilterExpression', filter, expressions);
    requireNoKeys(filter, expressions);
  }
  const { pk, sortKey } = keysOf(keyCondition, expressions);
  if (input.Limit !== undefined && input.Limit < 1) throw invalid('Limit must be greater than or equal to 1');
  const after = input.ExclusiveStartKey && placeOfKey(input.ExclusiveStartKey);
  if (after !== undefined && after.pk !== pk) throw invalid('The provided starting key is outside query boundaries');
  return { pk, sortKey, expressions, input, after: after?.sk };
}

export function queried(storage: Storage, query: PreparedQuery, atMs: number | undefined): QueryCommandOutput {
  const { pk, input, expressions } = query;
  const { items, order } = atMs === undefined ? storage.partition(pk) : storage.partitionAt(pk, atMs);
  const keys = keysInRange(order, query);
  const found: Record<string, AttributeValue>[] = [];
  let [scanned, bytes] = [0, 0];
  for (const sk of keys) {
    const item = items.get(sk) ?? {};
    scanned += 1;
    bytes += itemBytes(item);
    if (expressions.filter === undefined || isMet(expressions.filter, item, expressions)) {
      found.push(projectedBy(item, expressions));
    }
    if (scanned === input.Limit || bytes >= MAX_PAGE_BYTES) break;
  }
  const last = keys[scanned - 1];
  const isCut = scanned === input.Limit || scanned < keys.length;
  const LastEvaluatedKey = isCut && last !== undefined ? { pk: { S: pk }, sk: { S: last } } : undefined;
  return {
    $metadata: {},
    Items: found,
    Count: found.length,
    ScannedCount: scanned,
    ...optional({ LastEvaluatedKey }),
  };
}

/** The item as a read with a projection answers it. */
export function projectedBy(item: StoredItem, expressions: Expressions): Record<string, AttributeValue> {
  const { projection } = expressions;
  if (projection === undefined) return answered(item);
  return projected(
    item,
    projection.map((path) => resolved(path, expressions)),
  );
}

/** The expressions of a read. */
export function readExpressions(input: Parameters<typeof expressionsOf>[0]): Expressions {
  const expressions = expressionsOf(input);
  const paths = expressions.projection?.map((path) => resolved(path, expressions));
  if (paths !== undefined) requireSeparate('ProjectionExpression', paths);
  return expressions;
}

/** The sort keys that the query reads, in its order. */
function keysInRange(order: readonly string[], query: PreparedQuery): readonly string[] {
  const { sortKey, expressions, input, after } = query;
  const prefix = prefixOf(sortKey, expressions);
  const from = firstFrom(order, prefix ?? lowOf(sortKey, expressions) ?? '');
  let matching: readonly string[];
  if (prefix === undefined)
    matching = order
      .slice(from)
      .filter((sk) => sortKey === undefined || isMet(sortKey, { sk: { S: sk } }, expressions));
  else {
    let to = from;
    while (order[to]?.startsWith(prefix) === true) to += 1;
    matching = order.slice(from, to);
  }
  const isForward = input.ScanIndexForward !== false;
  const ordered = isForward ? matching : matching.toReversed();
  if (after === undefined) return ordered;
  const isLater = (sk: string): boolean => (isForward ? compareUtf8(sk, after) > 0 : compareUtf8(sk, after) < 0);
  return ordered.filter(isLater);
}

function prefixOf(sortKey: Condition | undefined, { values }: Placeholders): string | undefined {
  if (sortKey?.kind !== 'begins-with' || sortKey.right.kind !== 'value') return undefined;
  return values[sortKey.right.value]?.S;
}

/** The lower end of a range. */
function lowOf(sortKey: Condition | undefined, { values }: Placeholders): string | undefined {
  if (sortKey?.kind !== 'between' || sortKey.low.kind !== 'value') return undefined;
  return values[sortKey.low.value]?.S;
}

/** `pk = :pk`, alone or with one condition on the sort key. *Source:* Key condition expressions for Query. */
function keysOf(
  condition: Condition,
  given: Placeholders,
): { readonly pk: string; readonly sortKey: Condition | undefined } {
  const parts = condition.kind === 'and' ? condition.of : [condition];
  const nameOf = (part: Condition): string | undefined => {
    const operand = 'left' in part ? part.left : 'operand' in part && part.kind === 'between' ? part.operand : part;
    return 'path' in operand ? String(resolved(operand.path, given)[0]) : undefined;
  };
  const hash = parts.find((part) => nameOf(part) === 'pk');
  const sort = parts.filter((part) => part !== hash);
  if (hash?.kind !== 'compare' || hash.by !== '=' || hash.right.kind !== 'value') {
    throw invalid('Query condition missed key schema element: pk');
  }
  const isSortKey = sort.every((part) => nameOf(part) === 'sk' && isKeyCondition(part));
  if (sort.length > 1 || !isSortKey) throw invalid('Query key condition not supported');
  const { pk } = placeOf({ pk: given.values[hash.right.value] ?? { NULL: true }, sk: { S: '-' } });
  return { pk, sortKey: sort[0] };
}

function isKeyCondition(part: Condition): boolean {
  return part.kind === 'between' || part.kind === 'begins-with' || (part.kind === 'compare' && part.by !== '<>');
}

function requireNoKeys(filter: Condition, given: Placeholders): void {
  const paths = JSON.stringify(filter, (key, value: unknown) =>
    key === 'path' && Array.isArray(value) ? `path ${resolved(value, given)[0]}` : value,
  );
  const key = KEY_NAMES.find((name) => paths.includes(`"path ${name}"`));
  if (key === undefined) return;
  throw invalid(`Filter Expression can only contain non-primary key attributes: Primary key attribute: ${key}`);
}
