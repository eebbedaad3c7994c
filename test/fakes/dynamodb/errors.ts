import {
  type AttributeValue,
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  IdempotentParameterMismatchException,
  InternalServerError,
  ProvisionedThroughputExceededException,
  ResourceNotFoundException,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { optional } from '../../../lib/apis/optional.ts';

/** The errors of the SDK, with the names, classes and codes that DynamoDB sends. */

const REFUSED = { $metadata: { httpStatusCode: 400 } } as const;

export function invalid(message: string): DynamoDBServiceException {
  return new DynamoDBServiceException({ ...REFUSED, name: 'ValidationException', $fault: 'client', message });
}

/** A feature of DynamoDB that the table does not have: an error of the test, not of DynamoDB. */
export function unsupported(what: string): Error {
  return new Error(`the in-process table does not support ${what}; add it to test/fakes/dynamodb`);
}

export function noTable(name: string | undefined): ResourceNotFoundException {
  const message = `Requested resource not found: Table: ${name} not found`;
  return new ResourceNotFoundException({ ...REFUSED, message });
}

export function conditionFailed(
  item: Readonly<Record<string, AttributeValue>> | undefined,
): ConditionalCheckFailedException {
  const message = 'The conditional request failed';
  return new ConditionalCheckFailedException({ ...REFUSED, message, ...optional({ Item: item && { ...item } }) });
}

export function cancelled(reasons: readonly CancellationReason[]): TransactionCanceledException {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return new TransactionCanceledException({ ...REFUSED, message, CancellationReasons: [...reasons] });
}

export function tokenReused(): IdempotentParameterMismatchException {
  const message = 'The client request token was used with other parameters within ten minutes';
  return new IdempotentParameterMismatchException({ ...REFUSED, message });
}

/** What a call of the table is for, as the hook `around` gets it. */
export interface TableCall {
  /** `GetItem`, `TransactWriteItems`, … */
  readonly operation: string;
  /** The keys that the call names, `pk sk`; for a query, its partition. */
  readonly keys: readonly string[];
  readonly input: object;
}

/**
 * The error of a throttled call after the last retry of the SDK.
 * *Source:* Error handling with DynamoDB: a table with on-demand capacity answers `ThrottlingException`, one with provisioned
 * capacity `ProvisionedThroughputExceededException`; TransactionCanceledException: a throttled transaction has the reason
 * `ThrottlingError` or `ProvisionedThroughputExceeded` for the throttled item.
 */
export function throttled(call: TableCall, mode: 'on-demand' | 'provisioned' = 'on-demand'): Error {
  const message = 'Throughput exceeds the current capacity of your table or index.';
  if (call.operation === 'TransactWriteItems') {
    const Code = mode === 'on-demand' ? 'ThrottlingError' : 'ProvisionedThroughputExceeded';
    return cancelled(call.keys.map((_, index) => (index === 0 ? { Code, Message: message } : { Code: 'None' })));
  }
  return mode === 'on-demand'
    ? new ThrottlingException({ ...REFUSED, message })
    : new ProvisionedThroughputExceededException({ ...REFUSED, message });
}

/**
 * The error of a write that meets a transaction in progress on the same item.
 * *Source:* DynamoDB transactions, Transaction conflict handling: a single write gets `TransactionConflictException`, a
 * transaction is cancelled with the reason `TransactionConflict`. Reads of one item are not rejected.
 */
export function conflict(call: TableCall): Error {
  const message = 'Transaction is ongoing for the item';
  if (call.operation === 'TransactWriteItems') {
    const reason = { Code: 'TransactionConflict', Message: message };
    return cancelled(call.keys.map((_, index) => (index === 0 ? reason : { Code: 'None' })));
  }
  return new TransactionConflictException({ ...REFUSED, message });
}

/** HTTP 500: the call may have taken effect. *Source:* Error handling with DynamoDB. */
export function internalError(): InternalServerError {
  return new InternalServerError({ $metadata: { httpStatusCode: 500 }, message: 'Internal server error' });
}

/** No answer before the client's time limit: the call may have taken effect. */
export function timedOut(): Error {
  return Object.assign(new Error('socket timed out'), { name: 'TimeoutError' });
}
