import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { optional } from '../../apis/optional.ts';
import { UnreachableError } from '../../ports/errors.ts';
import { dynamoDbPortError, portErrorOfReason } from './errors.ts';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** A range of sort keys, with both ends. */
export interface SortKeys {
  readonly from: string;
  readonly to: string;
}

export type Attributes = Readonly<Record<string, string | number | Uint8Array>>;
export type Item = Key & Attributes;

/** A condition on the stored item. No attribute name is a reserved word of DynamoDB. */
export interface WriteCondition {
  readonly expression: string;
  readonly values?: Attributes;
}

export const ABSENT: WriteCondition = { expression: 'attribute_not_exists(pk)' };
export const PRESENT: WriteCondition = { expression: 'attribute_exists(pk)' };

export type Write =
  | { readonly kind: 'put'; readonly item: Item; readonly condition?: WriteCondition }
  | { readonly kind: 'set'; readonly key: Key; readonly attributes: Attributes; readonly condition?: WriteCondition }
  | { readonly kind: 'delete'; readonly key: Key; readonly condition?: WriteCondition }
  | { readonly kind: 'check'; readonly key: Key; readonly condition: WriteCondition };

/**
 * `refused`: a condition failed and nothing was written; `found` is the stored item, for a single write. `repeated`: an earlier attempt of
 * the SDK had no answer, and may have been written.
 */
export type WriteOutcome =
  | { readonly kind: 'written' }
  | { readonly kind: 'refused'; readonly found?: Attributes; readonly repeated?: true };

/** `at`: the indices of the writes whose conditions failed. */
export type TransactionOutcome =
  | { readonly kind: 'written' }
  | { readonly kind: 'refused'; readonly at: ReadonlySet<number> };

export interface TableOptions {
  readonly client: Pick<DynamoDBClient, 'send'>;
  readonly tableName: string;
}

interface Values {
  ExpressionAttributeValues?: Record<string, AttributeValue>;
}

const MAX_PAGES = 1_000;
/** A concurrent write to one of its items cancels a transaction, which is then repeated. */
const MAX_CONFLICTS = 3;
const CONFLICT = 'TransactionConflict';
/** The limit of DynamoDB. */
const MAX_WRITES = 100;

function keyCondition(sk: string | SortKeys): { readonly condition: string; readonly values: Attributes } {
  if (typeof sk === 'string') return { condition: 'begins_with(sk, :prefix)', values: { ':prefix': sk } };
  return { condition: 'sk BETWEEN :from AND :to', values: { ':from': sk.from, ':to': sk.to } };
}

/** The DynamoDB calls of Kerf, strongly consistent and with port errors. */
export class Table {
  readonly #client: TableOptions['client'];
  readonly #name: string;

  constructor({ client, tableName }: TableOptions) {
    this.#client = client;
    this.#name = tableName;
  }

  async get(key: Key): Promise<Attributes | undefined> {
    const command = new GetItemCommand({ TableName: this.#name, Key: marshall(key), ConsistentRead: true });
    const answer = await translated(`read ${key.pk} ${key.sk}`, () => this.#client.send(command));
    return answer.Item === undefined ? undefined : unmarshall(answer.Item);
  }

  /** Items of a partition, by sort key: those whose sort key begins with the text, or is in the range. */
  async query(pk: string, sk: string | SortKeys, projection?: string): Promise<readonly Attributes[]> {
    const { condition, values } = keyCondition(sk);
    const doing = `query ${pk} ${typeof sk === 'string' ? sk : sk.from}`;
    const items: Attributes[] = [];
    let start: QueryCommand['input']['ExclusiveStartKey'];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const command = new QueryCommand({
        TableName: this.#name,
        ConsistentRead: true,
        KeyConditionExpression: `pk = :pk AND ${condition}`,
        ExpressionAttributeValues: marshall({ ':pk': pk, ...values }),
        ...optional({ ProjectionExpression: projection, ExclusiveStartKey: start }),
      });
      // Each page has the start of the next one, so pages cannot be read in parallel.
      const answer = await translated(doing, () => this.#client.send(command));
      for (const item of answer.Items ?? []) items.push(unmarshall(item));
      start = answer.LastEvaluatedKey;
      if (start === undefined) return items;
    }
    throw new UnreachableError(`DynamoDB: ${doing}: no end after ${MAX_PAGES} pages; try again later`);
  }

  async write(write: Exclude<Write, { kind: 'check' }>): Promise<WriteOutcome> {
    const key = write.kind === 'put' ? write.item : write.key;
    try {
      await translated(`${write.kind} ${key.pk} ${key.sk}`, () => this.#sendWrite(write));
      return { kind: 'written' };
    } catch (thrown) {
      if (!(thrown instanceof ConditionalCheckFailedException)) throw thrown;
      return {
        kind: 'refused',
        ...(thrown.Item !== undefined && { found: unmarshall(thrown.Item) }),
        ...((thrown.$metadata.attempts ?? 1) > 1 && { repeated: true }),
      };
    }
  }

  /** Makes all writes or none. */
  async transact(writes: readonly Write[], doing: string): Promise<TransactionOutcome> {
    if (writes.length > MAX_WRITES) throw new RangeError(`${doing}: ${writes.length} writes, at most ${MAX_WRITES}`);
    const command = new TransactWriteItemsCommand({ TransactItems: writes.map((write) => this.#transactItem(write)) });
    for (let conflicts = 1; ; conflicts += 1) {
      try {
        // Only a conflict is retried.
        await translated(doing, () => this.#client.send(command));
        return { kind: 'written' };
      } catch (thrown) {
        if (!(thrown instanceof TransactionCanceledException)) throw thrown;
        const codes = (thrown.CancellationReasons ?? []).map((reason) => reason.Code ?? 'None');
        const at = new Set(codes.flatMap((code, index) => (code === 'ConditionalCheckFailed' ? [index] : [])));
        if (at.size > 0) return { kind: 'refused', at };
        const code = codes.find((one) => one !== 'None') ?? CONFLICT;
        if (code !== CONFLICT || conflicts === MAX_CONFLICTS)
          throw portErrorOfReason(code, `DynamoDB: ${doing}`, thrown);
      }
    }
  }

  #sendWrite(write: Exclude<Write, { kind: 'check' }>): Promise<unknown> {
    const common = { TableName: this.#name, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
    if (write.kind === 'put') {
      const input = { ...common, Item: marshall(write.item), ...conditionInput(write.condition) };
      return this.#client.send(new PutItemCommand(input));
    }
    const Key = marshall(write.key);
    if (write.kind === 'set') return this.#client.send(new UpdateItemCommand({ ...common, Key, ...setInput(write) }));
    return this.#client.send(new DeleteItemCommand({ ...common, Key, ...conditionInput(write.condition) }));
  }

  #transactItem(write: Write): TransactWriteItem {
    const TableName = this.#name;
    if (write.kind === 'put') {
      return { Put: { TableName, Item: marshall(write.item), ...conditionInput(write.condition) } };
    }
    const Key = marshall(write.key);
    if (write.kind === 'set') return { Update: { TableName, Key, ...setInput(write) } };
    if (write.kind === 'delete') return { Delete: { TableName, Key, ...conditionInput(write.condition) } };
    const { expression, values } = write.condition;
    return { ConditionCheck: { TableName, Key, ConditionExpression: expression, ...valuesInput(values) } };
  }
}

async function translated<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    if (thrown instanceof ConditionalCheckFailedException || thrown instanceof TransactionCanceledException)
      throw thrown;
    throw dynamoDbPortError(thrown, `DynamoDB: ${doing}`);
  }
}

function conditionInput(condition: WriteCondition | undefined): { ConditionExpression?: string } & Values {
  if (condition === undefined) return {};
  return { ConditionExpression: condition.expression, ...valuesInput(condition.values) };
}

function setInput(
  write: Extract<Write, { kind: 'set' }>,
): { UpdateExpression: string; ConditionExpression?: string } & Values {
  const names = Object.keys(write.attributes);
  const assigned = Object.fromEntries(Object.entries(write.attributes).map(([name, value]) => [`:set_${name}`, value]));
  return {
    ...conditionInput(write.condition),
    UpdateExpression: `SET ${names.map((name) => `${name} = :set_${name}`).join(', ')}`,
    ...valuesInput({ ...assigned, ...write.condition?.values }),
  };
}

function valuesInput(values: Attributes | undefined): Values {
  return values === undefined || Object.keys(values).length === 0
    ? {}
    : { ExpressionAttributeValues: marshall(values) };
}
