/** DynamoDB's JSON protocol for the table in memory, so that a function in another process reads it with the real SDK. */
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { isRecord } from '../../lib/apis/record.ts';
import type { InProcessTable } from '../../test/fakes/dynamodb/in-process-table.ts';
import type { HttpAnswer } from './http-answer.ts';

const COMMANDS: Readonly<Record<string, NewableFunction>> = {
  BatchGetItem: BatchGetItemCommand,
  BatchWriteItem: BatchWriteItemCommand,
  DeleteItem: DeleteItemCommand,
  GetItem: GetItemCommand,
  PutItem: PutItemCommand,
  Query: QueryCommand,
  TransactWriteItems: TransactWriteItemsCommand,
  UpdateItem: UpdateItemCommand,
};
const TYPE_PREFIX = 'com.amazonaws.dynamodb.v20120810#';
const BAD_REQUEST = 400;

/** @param operation `GetItem`. *Errors:* those of the table that DynamoDB does not have. */
export async function answerTable(table: InProcessTable, operation: string, body: string): Promise<HttpAnswer> {
  const Command = COMMANDS[operation];
  if (Command === undefined) throw new TypeError(`the table does not answer ${operation}`);
  const input: unknown = JSON.parse(body, (key, value: unknown) =>
    key === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value,
  );
  try {
    const command: object = Reflect.construct(Command, [input]);
    const output: unknown = await Reflect.apply(table.client.send, undefined, [command]);
    return { status: 200, body: text({ ...(isRecord(output) ? output : {}), $metadata: undefined }) };
  } catch (error) {
    if (!(error instanceof DynamoDBServiceException)) throw error;
    const { $metadata: _, $fault: _fault, name, message, ...rest } = error;
    return { status: BAD_REQUEST, body: text({ __type: `${TYPE_PREFIX}${name}`, message, ...rest }) };
  }
}

function text(output: object): string {
  return JSON.stringify(output, (_, value: unknown) => {
    if (isBufferJson(value)) return Buffer.from(value.data).toString('base64');
    return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
  });
}

/** A Buffer becomes this before the replacer of JSON.stringify gets it. */
function isBufferJson(value: unknown): value is { readonly data: readonly number[] } {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value;
}
