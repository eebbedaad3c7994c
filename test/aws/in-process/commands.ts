import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Random } from '../../../lib/simulator/random.ts';

/** Random commands on a few items, whose expressions use every operator and function on values of every type. */

export type Command =
  | BatchGetItemCommand
  | BatchWriteItemCommand
  | DeleteItemCommand
  | GetItemCommand
  | PutItemCommand
  | QueryCommand
  | TransactWriteItemsCommand
  | UpdateItemCommand;

export interface Target {
  readonly TableName: string;
  /** Partitions that no other test uses. */
  readonly partitions: readonly string[];
}

const SORT_KEYS = ['a', 'ab', 'b', 'é', '\u{1D11E}', '\uFFFD'];
const PATHS = ['a', 'b', 'n', 's', 'm', 'l', 'm.x', 'm.y.z', 'l[0]', 'l[2]', 'l[1].x', '#p', 'm.#p', 'pk'];
const WRITABLE = PATHS.filter((path) => path !== 'pk');
const COMPARATORS = ['=', '<>', '<', '<=', '>', '>='];
const TYPES = ['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M'];

const NUMBERS = ['0', '1', '2', '-1.5', '10', '1e3', '0.10', '123456789012345678901234567890', '-0', '1E-7'];
const TEXTS = ['', 'a', 'ab', 'b', 'é', '\u{1D11E}', '\uFFFD', 'S', 'N'];
const BYTES = [new Uint8Array([]), new Uint8Array([1]), new Uint8Array([1, 2]), new Uint8Array([255])];

export function randomCommands(random: Random, target: Target, count: number): readonly Command[] {
  const generator = new Generator(random, target);
  return Array.from({ length: count }, () => generator.command());
}

/** The placeholders that an expression needs. */
interface Uses {
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, AttributeValue>;
}

class Generator {
  readonly #random: Random;
  readonly #target: Target;
  #uses: Uses = {};

  constructor(random: Random, target: Target) {
    this.#random = random;
    this.#target = target;
  }

  command(): Command {
    const { TableName } = this.#target;
    this.#uses = {};
    const failed = this.#chance(2) ? ({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const) : {};
    switch (this.#random.between(0, 10)) {
      case 0:
        return new GetItemCommand({ TableName, Key: this.#key(), ConsistentRead: true, ...this.#projection() });
      case 1:
        return this.#query();
      case 2:
        return this.#batchWrite();
      case 3:
        return this.#batchGet();
      case 4:
        return new DeleteItemCommand({ TableName, Key: this.#key(), ...failed, ...this.#condition() });
      case 5:
      case 6:
        return this.#transaction();
      case 7:
        return new PutItemCommand({ TableName, Item: this.#item(), ...failed, ...this.#condition() });
      default:
        return new UpdateItemCommand({ TableName, Key: this.#key(), ...failed, ...this.#update() });
    }
  }

  #transaction(): Command {
    const parts = Array.from({ length: this.#random.between(1, 4) }, () => this.#part());
    // Local refuses two writes to one item only if no condition fails.
    const TransactItems = [...new Map(parts.map((part) => [keyOf(part), part])).values()];
    return new TransactWriteItemsCommand({ TransactItems });
  }

  #part(): TransactWriteItem {
    this.#uses = {};
    const common = {
      TableName: this.#target.TableName,
      ...(this.#chance(2) && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }),
    };
    switch (this.#random.between(0, 4)) {
      case 0:
        return { Put: { ...common, Item: this.#item(), ...this.#condition() } };
      case 1:
        return { Delete: { ...common, Key: this.#key(), ...this.#condition() } };
      case 2: {
        const ConditionExpression = this.#conditions(2);
        return { ConditionCheck: { ...common, Key: this.#key(), ConditionExpression, ...this.#uses } };
      }
      default: {
        // Local answers an update that the item does not allow as an invalid request.
        const UpdateExpression = `SET a = ${this.#value()} REMOVE b, n`;
        return { Update: { ...common, Key: this.#key(), UpdateExpression, ...this.#condition() } };
      }
    }
  }

  #query(): Command {
    const sortKeys = ['begins_with(sk, :sk)', 'sk >= :sk', 'sk < :sk', 'sk = :sk', 'sk BETWEEN :sk AND :to'];
    const sortKey = this.#chance(3) ? undefined : this.#pick(sortKeys);
    const values: Record<string, AttributeValue> = { ':pk': { S: this.#pick(this.#target.partitions) } };
    if (sortKey !== undefined) values[':sk'] = { S: this.#pick(SORT_KEYS) };
    if (sortKey?.includes(':to') === true) values[':to'] = { S: this.#pick(SORT_KEYS) };
    this.#uses.ExpressionAttributeValues = values;
    const KeyConditionExpression = sortKey === undefined ? 'pk = :pk' : `pk = :pk AND ${sortKey}`;
    const FilterExpression = this.#chance(3) ? this.#conditions(2) : undefined;
    const ProjectionExpression = this.#chance(3) ? this.#paths(PATHS) : undefined;
    return new QueryCommand({
      TableName: this.#target.TableName,
      ConsistentRead: true,
      KeyConditionExpression,
      FilterExpression,
      ProjectionExpression,
      Limit: this.#chance(3) ? this.#random.between(1, 4) : undefined,
      ScanIndexForward: this.#chance(3) ? false : undefined,
      ...this.#uses,
    });
  }

  #batchWrite(): Command {
    const requests = Array.from({ length: this.#random.between(1, 4) }, () =>
      this.#chance(2) ? { PutRequest: { Item: this.#item() } } : { DeleteRequest: { Key: this.#key() } },
    );
    return new BatchWriteItemCommand({ RequestItems: { [this.#target.TableName]: requests } });
  }

  #batchGet(): Command {
    const Keys = Array.from({ length: this.#random.between(1, 4) }, () => this.#key());
    const request = { Keys, ConsistentRead: true, ...this.#projection() };
    return new BatchGetItemCommand({ RequestItems: { [this.#target.TableName]: request } });
  }

  #projection(): { ProjectionExpression?: string } & Pick<Uses, 'ExpressionAttributeNames'> {
    if (this.#chance(2)) return {};
    const ProjectionExpression = this.#paths(PATHS);
    const { ExpressionAttributeNames } = this.#uses;
    return { ProjectionExpression, ...(ExpressionAttributeNames && { ExpressionAttributeNames }) };
  }

  #condition(): { ConditionExpression?: string } & Uses {
    if (this.#chance(4)) return {};
    const ConditionExpression = this.#conditions(3);
    return { ConditionExpression, ...this.#uses };
  }

  #conditions(depth: number): string {
    if (depth > 0 && this.#chance(3)) {
      const [left, right] = [this.#conditions(depth - 1), this.#conditions(depth - 1)];
      return `(${left}) ${this.#pick(['AND', 'OR'])} ${this.#chance(4) ? 'NOT ' : ''}(${right})`;
    }
    const path = this.#path(PATHS);
    const tests: readonly (() => string)[] = [
      () => `attribute_exists(${path})`,
      () => `attribute_not_exists(${path})`,
      () => `${this.#operand()} ${this.#pick(COMPARATORS)} ${this.#operand()}`,
      () => `${path} ${this.#pick(COMPARATORS)} ${this.#value()}`,
      () => `${path} BETWEEN ${this.#value()} AND ${this.#value()}`,
      () => `${path} IN (${this.#value()}, ${this.#operand()})`,
      () => `begins_with(${path}, ${this.#value()})`,
      () => `contains(${path}, ${this.#operand()})`,
      () => `attribute_type(${path}, ${this.#given({ S: this.#pick([...TYPES, 'X']) })})`,
      () => `size(${path}) ${this.#pick(COMPARATORS)} ${this.#given({ N: String(this.#random.between(0, 4)) })}`,
    ];
    return this.#pick(tests)();
  }

  #update(): { UpdateExpression: string; ConditionExpression?: string } & Uses {
    const clauses: string[] = [];
    if (this.#chance(2)) clauses.push(`SET ${this.#path(WRITABLE)} = ${this.#assigned()}`);
    if (this.#chance(3)) clauses.push(`REMOVE ${this.#path(WRITABLE)}`);
    if (this.#chance(4)) clauses.push(`ADD ${this.#path(WRITABLE)} ${this.#value()}`);
    if (this.#chance(4)) clauses.push(`DELETE ${this.#path(WRITABLE)} ${this.#value()}`);
    if (clauses.length === 0) clauses.push(`SET a = ${this.#value()}, ${this.#path(WRITABLE)} = ${this.#assigned()}`);
    const ConditionExpression = this.#chance(2) ? this.#conditions(2) : undefined;
    const UpdateExpression = clauses.join(' ');
    return { UpdateExpression, ...(ConditionExpression !== undefined && { ConditionExpression }), ...this.#uses };
  }

  #assigned(): string {
    const operand = (): string => (this.#chance(2) ? this.#value() : this.#path(PATHS));
    const forms: readonly (() => string)[] = [
      () => this.#value(),
      () => operand(),
      () => `${operand()} + ${this.#given({ N: this.#pick(NUMBERS) })}`,
      () => `${operand()} - ${this.#given({ N: this.#pick(NUMBERS) })}`,
      () => `if_not_exists(${this.#path(PATHS)}, ${operand()})`,
      () => `list_append(${operand()}, ${this.#given({ L: [{ N: '7' }] })})`,
    ];
    return this.#pick(forms)();
  }

  #operand(): string {
    if (this.#chance(2)) return this.#path(PATHS);
    return this.#chance(3) ? `size(${this.#path(PATHS)})` : this.#value();
  }

  #paths(among: readonly string[]): string {
    return Array.from({ length: this.#random.between(1, 4) }, () => this.#path(among)).join(', ');
  }

  #path(among: readonly string[]): string {
    const path = this.#pick(among);
    if (path.includes('#p')) this.#uses.ExpressionAttributeNames = { '#p': 'status' };
    return path;
  }

  #value(): string {
    return this.#given(this.#attribute(1));
  }

  #given(value: AttributeValue): string {
    const values = (this.#uses.ExpressionAttributeValues ??= {});
    const name = `:v${Object.keys(values).length}`;
    values[name] = value;
    return name;
  }

  #key(): Record<string, AttributeValue> {
    return { pk: { S: this.#pick(this.#target.partitions) }, sk: { S: this.#pick(SORT_KEYS) } };
  }

  #item(): Record<string, AttributeValue> {
    const item = this.#key();
    for (const name of ['a', 'b', 'n', 's', 'status']) if (this.#chance(2)) item[name] = this.#attribute(1);
    if (this.#chance(2)) item['m'] = { M: { x: this.#attribute(1), y: { M: { z: this.#attribute(0) } } } };
    if (this.#chance(2)) item['l'] = { L: [this.#attribute(0), { M: { x: { N: '1' } } }, this.#attribute(0)] };
    return item;
  }

  #attribute(depth: number): AttributeValue {
    switch (this.#random.between(0, depth > 0 ? 12 : 8)) {
      case 0:
      case 1:
      case 2:
        return { N: this.#pick(NUMBERS) };
      case 3:
      case 4:
        return { S: this.#pick(TEXTS) };
      case 5:
        return { B: this.#pick(BYTES) };
      case 6:
        return { BOOL: this.#chance(2) };
      case 7:
        return { NULL: true };
      case 8:
        return { L: Array.from({ length: this.#random.between(0, 3) }, () => this.#attribute(0)) };
      case 9:
        return { M: { x: this.#attribute(0), status: this.#attribute(0) } };
      case 10:
        return { SS: this.#some(TEXTS.filter((text) => text !== '')) };
      default:
        return { NS: this.#some(['0', '1', '2', '10']) };
    }
  }

  #some(texts: readonly string[]): string[] {
    const chosen = texts.filter(() => this.#chance(3));
    return chosen.length === 0 ? [this.#pick(texts)] : chosen;
  }

  #chance(oneIn: number): boolean {
    return this.#random.between(0, oneIn) === 0;
  }

  #pick<T>(list: readonly T[]): T {
    const picked = this.#random.pick(list);
    if (picked === undefined) throw new RangeError('nothing to pick from');
    return picked;
  }
}

function keyOf({ Put, Update, Delete, ConditionCheck }: TransactWriteItem): string {
  const { pk, sk } = Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {};
  return `${pk?.S} ${sk?.S}`;
}
