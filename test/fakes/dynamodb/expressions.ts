import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Condition, type Parsed, parseCondition } from './condition-parser.ts';
import { invalid } from './errors.ts';
import type { Path } from './expression-tokens.ts';
import { parseProjection, parseUpdate, type Update } from './update-parser.ts';
import { storedValue } from './values.ts';

export interface ExpressionInput {
  readonly ConditionExpression?: string | undefined;
  readonly UpdateExpression?: string | undefined;
  readonly ProjectionExpression?: string | undefined;
  readonly KeyConditionExpression?: string | undefined;
  readonly FilterExpression?: string | undefined;
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
}

/** The placeholders of a command. */
export interface Placeholders {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, AttributeValue>>;
}

/** The parsed expressions of a command, whose placeholders are all defined and used. */
export interface Expressions extends Placeholders {
  readonly condition?: Condition | undefined;
  readonly update?: Update | undefined;
  readonly projection?: readonly Path[] | undefined;
  readonly keyCondition?: Condition | undefined;
  readonly filter?: Condition | undefined;
}

const NONE: Expressions = { names: {}, values: {} };
const MAX_CACHED = 1_000;

export function expressionsOf(input: ExpressionInput): Expressions {
  const condition = parsed(input, 'ConditionExpression', conditions);
  const update = parsed(input, 'UpdateExpression', updates);
  const projection = parsed(input, 'ProjectionExpression', projections);
  const keyCondition = parsed(input, 'KeyConditionExpression', keyConditions);
  const filter = parsed(input, 'FilterExpression', filters);
  const all = [condition, update, projection, keyCondition, filter].filter((one) => one !== undefined);
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: given } = input;
  if (all.length === 0 && names === undefined && given === undefined) return NONE;
  requireSame(
    'Names',
    names,
    all.map((one) => one.names),
  );
  requireSame(
    'Values',
    given,
    all.map((one) => one.values),
  );
  const values: Record<string, AttributeValue> = {};
  for (const name in given) values[name] = storedValue(given[name] ?? { NULL: true });
  return {
    names: names ?? {},
    values,
    condition: condition?.tree,
    update: update?.tree,
    projection: projection?.tree,
    keyCondition: keyCondition?.tree,
    filter: filter?.tree,
  };
}

/** Parses each text once: the texts of a program are few. */
function cached<T>(parse: (text: string) => Parsed<T>): (text: string) => Parsed<T> {
  const known = new Map<string, Parsed<T>>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= MAX_CACHED) known.clear();
    const made = parse(text);
    known.set(text, made);
    return made;
  };
}

const conditions = cached((text) => parseCondition('ConditionExpression', text));
const keyConditions = cached((text) => parseCondition('KeyConditionExpression', text));
const filters = cached((text) => parseCondition('FilterExpression', text));
const updates = cached(parseUpdate);
const projections = cached(parseProjection);

function parsed<T>(
  input: ExpressionInput,
  kind: Exclude<keyof ExpressionInput, 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>,
  parse: (text: string) => Parsed<T>,
): Parsed<T> | undefined {
  const text = input[kind];
  return text === undefined ? undefined : parse(text);
}

function requireSame(
  what: 'Names' | 'Values',
  given: Readonly<Record<string, unknown>> | undefined,
  used: readonly ReadonlySet<string>[],
): void {
  if (given !== undefined && used.length === 0) {
    throw invalid(`ExpressionAttribute${what} can only be specified when using expressions`);
  }
  if (given !== undefined && Object.keys(given).length === 0)
    throw invalid(`ExpressionAttribute${what} must not be empty`);
  for (const set of used) {
    for (const name of set) {
      if (given?.[name] === undefined) {
        throw invalid(`An expression attribute ${what} entry used in the expression is not defined: ${name}`);
      }
    }
  }
  for (const name in given) {
    if (!used.some((set) => set.has(name))) {
      throw invalid(`Value provided in ExpressionAttribute${what} unused in expressions: keys: {${name}}`);
    }
  }
}
