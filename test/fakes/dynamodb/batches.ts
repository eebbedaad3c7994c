import type {
  AttributeValue,
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  BatchWriteItemCommandInput,
  BatchWriteItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { invalid } from './errors.ts';
import { placeOf, placeOfKey } from './keys.ts';
import { projectedBy, readExpressions } from './query.ts';
import type { Place, Storage } from './storage.ts';
import { itemBytes } from './values.ts';
import { preparedWrite } from './writes.ts';

/** *Source:* BatchWriteItem: 25 writes. BatchGetItem: 100 items, and 16 MB; the rest is unprocessed. */
const MAX_WRITES = 25;
const MAX_GETS = 100;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export function placesOfGets(input: BatchGetItemCommandInput): readonly Place[] {
  return Object.values(input.RequestItems ?? {}).flatMap(({ Keys }) => (Keys ?? []).map(placeOfKey));
}

export function placesOfWrites(input: BatchWriteItemCommandInput): readonly Place[] {
  return Object.values(input.RequestItems ?? {}).flatMap((requests) =>
    requests.map(({ PutRequest, DeleteRequest }) =>
      PutRequest === undefined ? placeOfKey(DeleteRequest?.Key) : placeOf(PutRequest.Item),
    ),
  );
}

/** @param unprocessed the number of writes, from the last, that a throttled table leaves out */
export function batchWritten(
  storage: Storage,
  input: BatchWriteItemCommandInput,
  { nowMs, unprocessed }: { readonly nowMs: number; readonly unprocessed: number },
): BatchWriteItemCommandOutput {
  requireCount(placesOfWrites(input), MAX_WRITES);
  const [[table, requests] = ['', []]] = Object.entries(input.RequestItems ?? {});
  const writes = requests.map(({ PutRequest, DeleteRequest }) =>
    PutRequest === undefined
      ? preparedWrite('Delete', { Key: DeleteRequest?.Key })
      : preparedWrite('Put', { Item: PutRequest.Item }),
  );
  requireDistinct(writes.map(({ place }) => place));
  const made = Math.max(0, writes.length - unprocessed);
  for (const { place, next } of writes.slice(0, made)) storage.set(place, next(storage.get(place)), nowMs);
  return { $metadata: {}, UnprocessedItems: made < writes.length ? { [table]: requests.slice(made) } : {} };
}

/** @param atMs the time of the state that is read; undefined for the current one */
export function batchGot(
  storage: Storage,
  input: BatchGetItemCommandInput,
  { atMs, unprocessed }: { readonly atMs: number | undefined; readonly unprocessed: number },
): BatchGetItemCommandOutput {
  requireCount(placesOfGets(input), MAX_GETS);
  const [[table, request] = ['', undefined]] = Object.entries(input.RequestItems ?? {});
  const keys = request?.Keys ?? [];
  const expressions = readExpressions(request ?? {});
  const places = keys.map(placeOfKey);
  requireDistinct(places);
  const found: Record<string, AttributeValue>[] = [];
  let [read, bytes] = [0, 0];
  for (const place of places.slice(0, Math.max(0, places.length - unprocessed))) {
    const item = atMs === undefined ? storage.get(place) : storage.getAt(place, atMs);
    bytes += item === undefined ? 0 : itemBytes(item);
    if (bytes > MAX_ANSWER_BYTES) break;
    read += 1;
    if (item !== undefined) found.push(projectedBy(item, expressions));
  }
  const rest = keys.slice(read);
  return {
    $metadata: {},
    Responses: { [table]: found },
    UnprocessedKeys: rest.length === 0 ? {} : { [table]: { ...request, Keys: rest } },
  };
}

function requireCount({ length: count }: readonly Place[], max: number): void {
  if (count === 0 || count > max)
    throw invalid(`Too many items requested for the batch call: ${count}, at most ${max}`);
}

function requireDistinct(places: readonly Place[]): void {
  if (new Set(places.map(({ pk, sk }) => JSON.stringify([pk, sk]))).size < places.length) {
    throw invalid('Provided list of item keys contains duplicates');
  }
}
