/** What IAM answers to a request, for the statements of the stack. *Source:* IAM's policy evaluation logic and condition operators. */
import { at, recordAt } from '../json.ts';

export interface IamRequest {
  /** As `dynamodb:PutItem`. */
  readonly action: string;
  readonly resource: string;
  /** The values of each condition key; a key that the service does not supply is absent. */
  readonly context: Readonly<Record<string, readonly string[]>>;
}

/** An explicit denial wins; otherwise one statement must allow the request. */
export function isAllowedBy(statements: readonly unknown[], request: IamRequest): boolean {
  const matching = statements.filter((statement) => matches(statement, request));
  return matching.length > 0 && matching.every((statement) => at(statement, 'Effect') === 'Allow');
}

/** *Errors:* an Error for a part of the policy language that the stack does not use. */
function matches(statement: unknown, { action, resource, context }: IamRequest): boolean {
  for (const key of Object.keys(recordAt(statement))) {
    if (!['Action', 'Condition', 'Effect', 'Resource', 'Sid'].includes(key)) throw new Error(`${key} is not supported`);
  }
  return (
    textsOf(at(statement, 'Action')).some((pattern) => isLike(action.toLowerCase(), pattern.toLowerCase())) &&
    textsOf(at(statement, 'Resource')).some((pattern) => isLike(resource, pattern)) &&
    Object.entries(recordAt(statement, 'Condition')).every(([operator, keys]) =>
      Object.entries(recordAt(keys)).every(([key, wanted]) => holds(operator, context[key], textsOf(wanted))),
    )
  );
}

function holds(operator: string, values: readonly string[] | undefined, wanted: readonly string[]): boolean {
  const test = (value: string, like: boolean): boolean =>
    wanted.some((one) => (like ? isLike(value, one) : value === one));
  switch (operator) {
    case 'StringEquals':
    case 'ArnEquals':
      return values?.some((value) => test(value, operator === 'ArnEquals')) ?? false;
    case 'StringLike':
    case 'ArnLike':
      return values?.some((value) => test(value, true)) ?? false;
    // An absent key meets a condition on all of its values.
    case 'ForAllValues:StringEquals':
      return values?.every((value) => test(value, false)) ?? true;
    case 'ForAllValues:StringLike':
      return values?.every((value) => test(value, true)) ?? true;
    default:
      throw new Error(`${operator} is not supported`);
  }
}

function isLike(value: string, pattern: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(value);
}

export function textsOf(value: unknown): readonly string[] {
  return [value].flat().map(String);
}
