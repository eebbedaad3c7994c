/** How DynamoDB asks IAM about a command. *Source:* DynamoDB's guide to conditions for fine-grained access, and to transactions. */
import { at, listAt, recordAt } from '../json.ts';

export interface TableRequest {
  readonly action: string;
  readonly partition: string;
  /** What a write contains, and the attributes of its expressions. Reads name none. */
  readonly attributes: readonly string[];
}

export interface CombinedRequest extends Pick<TableRequest, 'action' | 'attributes'> {
  readonly partitions: readonly string[];
}

/** *Shape:* one request for each item; a transaction has those of its operations. */
export function requestsOf(command: object): readonly TableRequest[] {
  const name = command.constructor.name.replace(/Command$/, '');
  const input = at(command, 'input');
  if (name !== 'TransactWriteItems') return [requestOf(name, input)];
  return listAt(input, 'TransactItems').map((item) => {
    const [[operation, part] = ['nothing', {}]] = Object.entries(recordAt(item));
    return requestOf(operation === 'ConditionCheck' ? 'ConditionCheckItem' : `${operation}Item`, part);
  });
}

/**
 * The same if DynamoDB asks once for all operations of a kind in a transaction, with all of their partitions and attributes. AWS does
 * not document which of both it does.
 */
export function combinedRequestsOf(command: object): readonly CombinedRequest[] {
  const byAction = Map.groupBy(requestsOf(command), ({ action }) => action);
  return [...byAction].map(([action, requests]) => ({
    action,
    partitions: [...new Set(requests.map(({ partition }) => partition))].toSorted(),
    attributes: [...new Set(requests.flatMap(({ attributes }) => attributes))].toSorted(),
  }));
}

function requestOf(action: string, input: unknown): TableRequest {
  const expressions = ['ConditionExpression', 'UpdateExpression'].map((key) => at(input, key));
  const key = { ...recordAt(input, 'Item'), ...recordAt(input, 'Key') };
  const partition = action === 'Query' ? at(input, 'ExpressionAttributeValues', ':pk', 'S') : at(key['pk'], 'S');
  const attributes = new Set([...Object.keys(key), ...expressions.flatMap(attributesIn)]);
  return { action, partition: String(partition), attributes: action === 'Query' ? [] : [...attributes].toSorted() };
}

const WORDS = new Set(['AND', 'OR', 'NOT', 'SET', 'REMOVE', 'ADD', 'attribute_exists', 'attribute_not_exists', 'size']);

/** Providers use neither nested paths nor placeholders for names. */
function attributesIn(expression: unknown): readonly string[] {
  if (typeof expression !== 'string') return [];
  return [...expression.matchAll(/(?<![:\w])[A-Za-z_]\w*/g)].map(([word]) => word).filter((word) => !WORDS.has(word));
}
