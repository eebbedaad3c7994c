import { isDeepStrictEqual } from 'node:util';
import {
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  BatchWriteItemCommand,
  type BatchWriteItemCommandInput,
  DeleteItemCommand,
  GetItemCommand,
  type GetItemCommandInput,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { batchGot, batchWritten, placesOfGets, placesOfWrites } from './batches.ts';
import { conditionFailed, tokenReused, unsupported } from './errors.ts';
import { placeOf, placeOfKey } from './keys.ts';
import { preparedQuery, projectedBy, queried, readExpressions } from './query.ts';
import { answered, type Place, type Storage } from './storage.ts';
import { partsOf, transact } from './transactions.ts';
import { isAllowed, preparedWrite, type WriteInput } from './writes.ts';

/** *Source:* TransactWriteItems: a client request token is valid for ten minutes. */
const TOKEN_MS = 10 * MINUTE_MS;

/** What the table and its faults decide when a command takes effect. */
export interface Moment {
  readonly nowMs: number;
  /** The time of the state that an eventually consistent read answers. */
  readonly seenMs: number | undefined;
  readonly unprocessed: number;
}

/** A command whose request is valid. */
export interface Prepared {
  readonly operation: string;
  readonly places: readonly (Place | { readonly pk: string })[];
  readonly tables: readonly (string | undefined)[];
  readonly run: (moment: Moment) => object;
}

/** The answered transactions by their token. */
export type Tokens = Map<string, { readonly atMs: number; readonly items: unknown }>;

export interface CommandContext {
  readonly storage: Storage;
  readonly tokens: Tokens;
  /** The token of a transaction without one, as the SDK makes it. */
  readonly token: string;
}

const CONDITION = ['ConditionExpression', 'ExpressionAttributeNames', 'ExpressionAttributeValues'] as const;
const FAILED = 'ReturnValuesOnConditionCheckFailure';
const READ = ['TableName', 'ConsistentRead', 'ProjectionExpression', 'ExpressionAttributeNames'] as const;

/** The parameters that the table supports. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  GetItem: [...READ, 'Key'],
  Query: [
    ...READ,
    'KeyConditionExpression',
    'FilterExpression',
    'ExpressionAttributeValues',
    'ExclusiveStartKey',
    'Limit',
    'ScanIndexForward',
  ],
  PutItem: ['TableName', 'Item', ...CONDITION, FAILED],
  UpdateItem: ['TableName', 'Key', 'UpdateExpression', ...CONDITION, FAILED],
  DeleteItem: ['TableName', 'Key', ...CONDITION, FAILED],
  TransactWriteItems: ['TransactItems', 'ClientRequestToken'],
  BatchGetItem: ['RequestItems'],
  BatchWriteItem: ['RequestItems'],
};

export function preparedCommand(context: CommandContext, command: unknown): Prepared {
  const { storage } = context;
  if (command instanceof GetItemCommand) return preparedGet(storage, supported('GetItem', command.input));
  if (command instanceof QueryCommand) return queryOf(storage, supported('Query', command.input));
  if (command instanceof PutItemCommand) return single(storage, 'Put', supported('PutItem', command.input));
  if (command instanceof UpdateItemCommand) return single(storage, 'Update', supported('UpdateItem', command.input));
  if (command instanceof DeleteItemCommand) return single(storage, 'Delete', supported('DeleteItem', command.input));
  if (command instanceof TransactWriteItemsCommand) {
    return transaction(context, supported('TransactWriteItems', command.input));
  }
  if (command instanceof BatchGetItemCommand) return batchGet(storage, supported('BatchGetItem', command.input));
  if (command instanceof BatchWriteItemCommand) {
    return batchWrite(storage, supported('BatchWriteItem', command.input));
  }
  throw unsupported(`the command ${command?.constructor.name}`);
}

function supported<T extends object>(operation: string, input: T): T {
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined && PARAMETERS[operation]?.includes(name) !== true) {
      throw unsupported(`the parameter ${name} of ${operation}`);
    }
  }
  return input;
}

function preparedGet(storage: Storage, input: GetItemCommandInput): Prepared {
  const place = placeOfKey(input.Key);
  const expressions = readExpressions(input);
  return {
    operation: 'GetItem',
    places: [place],
    tables: [input.TableName],
    run({ seenMs }) {
      const isStrong = input.ConsistentRead === true || seenMs === undefined;
      const item = isStrong ? storage.get(place) : storage.getAt(place, seenMs);
      return { $metadata: {}, ...(item && { Item: projectedBy(item, expressions) }) };
    },
  };
}

function queryOf(storage: Storage, input: QueryCommandInput): Prepared {
  const query = preparedQuery(input);
  return {
    operation: 'Query',
    places: [{ pk: query.pk }],
    tables: [input.TableName],
    run: ({ seenMs }) => queried(storage, query, input.ConsistentRead === true ? undefined : seenMs),
  };
}

function single(
  storage: Storage,
  kind: 'Put' | 'Update' | 'Delete',
  input: WriteInput & { readonly TableName?: string | undefined },
): Prepared {
  const write = preparedWrite(kind, input);
  return {
    operation: `${kind}Item`,
    places: [write.place],
    tables: [input.TableName],
    run({ nowMs }) {
      const current = storage.get(write.place);
      if (!isAllowed(write, current)) {
        throw conditionFailed(write.returnsItem && current !== undefined ? answered(current) : undefined);
      }
      storage.set(write.place, write.next(current), nowMs);
      return { $metadata: {} };
    },
  };
}

function transaction(context: CommandContext, input: TransactWriteItemsCommandInput): Prepared {
  const parts = partsOf(input.TransactItems);
  const token = input.ClientRequestToken ?? context.token;
  return {
    operation: 'TransactWriteItems',
    places: parts.map(({ kind, input: part }) => (kind === 'Put' ? placeOf(part.Item) : placeOfKey(part.Key))),
    tables: parts.map(({ input: part }) => part.TableName),
    run({ nowMs }) {
      if (isRepeated(context.tokens, { token, items: input.TransactItems, nowMs })) return { $metadata: {} };
      transact(context.storage, parts, nowMs);
      context.tokens.set(token, { atMs: nowMs, items: input.TransactItems });
      return { $metadata: {} };
    },
  };
}

/** Whether a transaction with this token has been made. *Errors:* IdempotentParameterMismatchException if it was another one. */
function isRepeated(
  tokens: Tokens,
  { token, items, nowMs }: { readonly token: string; readonly items: unknown; readonly nowMs: number },
): boolean {
  for (const [known, { atMs }] of tokens) {
    if (atMs > nowMs - TOKEN_MS) break;
    tokens.delete(known);
  }
  const earlier = tokens.get(token);
  if (earlier === undefined) return false;
  if (!isDeepStrictEqual(earlier.items, items)) throw tokenReused();
  return true;
}

function batchGet(storage: Storage, input: BatchGetItemCommandInput): Prepared {
  const [request] = Object.values(input.RequestItems ?? {});
  return {
    operation: 'BatchGetItem',
    places: placesOfGets(input),
    tables: Object.keys(input.RequestItems ?? {}),
    run({ seenMs, unprocessed }) {
      const atMs = request?.ConsistentRead === true ? undefined : seenMs;
      return batchGot(storage, input, { atMs, unprocessed });
    },
  };
}

function batchWrite(storage: Storage, input: BatchWriteItemCommandInput): Prepared {
  return {
    operation: 'BatchWriteItem',
    places: placesOfWrites(input),
    tables: Object.keys(input.RequestItems ?? {}),
    run: ({ nowMs, unprocessed }) => batchWritten(storage, input, { nowMs, unprocessed }),
  };
}
