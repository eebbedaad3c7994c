import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Comparator, Condition, Operand } from './condition-parser.ts';
import { invalid } from './errors.ts';
import type { Placeholders } from './expressions.ts';
import { resolved, valueAt } from './paths.ts';
import { areEqual, compareValues, elementsOf, type StoredItem, TYPES, typeOf } from './values.ts';

/** Whether the item, `{}` if there is none, meets the condition. Call `checkOperands` first. */
export function isMet(condition: Condition, item: StoredItem, given: Placeholders): boolean {
  const at = (operand: Operand): AttributeValue | undefined => operandValue(operand, item, given);
  switch (condition.kind) {
    case 'and':
      return condition.of.every((one) => isMet(one, item, given));
    case 'or':
      return condition.of.some((one) => isMet(one, item, given));
    case 'not':
      return !isMet(condition.of, item, given);
    case 'compare':
      return compares(condition.by, at(condition.left), at(condition.right));
    case 'between': {
      const [value, low, high] = [at(condition.operand), at(condition.low), at(condition.high)];
      return compares('>=', value, low) && compares('<=', value, high);
    }
    case 'in':
      return condition.list.some((one) => compares('=', at(condition.operand), at(one)));
    case 'exists':
      return valueAt(item, resolved(condition.path, given)) !== undefined;
    case 'not-exists':
      return valueAt(item, resolved(condition.path, given)) === undefined;
    case 'type':
    case 'begins-with':
    case 'contains': {
      const [value, operand] = [at(condition.left), at(condition.right)];
      return value !== undefined && operand !== undefined && TESTS[condition.kind](value, operand);
    }
  }
}

/** A comparison with an absent attribute or another type is false, and `<>` is true. */
function compares(by: Comparator, left: AttributeValue | undefined, right: AttributeValue | undefined): boolean {
  if (left === undefined || right === undefined) return by === '<>';
  if (by === '=') return areEqual(left, right);
  if (by === '<>') return !areEqual(left, right);
  const order = compareValues(left, right);
  if (order === undefined) return false;
  return { '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[by];
}

type Test = (value: AttributeValue, operand: AttributeValue) => boolean;

const TESTS: Readonly<Record<'type' | 'begins-with' | 'contains', Test>> = {
  type: (value, operand) => typeOf(value) === operand.S,
  'begins-with': (value, operand) => {
    if (value.S !== undefined && operand.S !== undefined) return value.S.startsWith(operand.S);
    if (value.B === undefined || operand.B === undefined) return false;
    return Buffer.compare(value.B.subarray(0, operand.B.byteLength), operand.B) === 0;
  },
  contains: (value, operand) => {
    if (value.S !== undefined) return operand.S !== undefined && value.S.includes(operand.S);
    if (value.B !== undefined) return operand.B !== undefined && Buffer.from(value.B).includes(Buffer.from(operand.B));
    if (value.L !== undefined) return value.L.some((one) => areEqual(one, operand));
    if (typeOf(value) !== `${typeOf(operand)}S`) return false;
    const [element] = elementsOf(setOf(operand)) ?? [];
    return element !== undefined && elementsOf(value)?.includes(element) === true;
  },
};

function setOf(value: AttributeValue): AttributeValue {
  if (value.S !== undefined) return { SS: [value.S] };
  if (value.N !== undefined) return { NS: [value.N] };
  return { BS: value.B === undefined ? [] : [value.B] };
}

function operandValue(operand: Operand, item: StoredItem, given: Placeholders): AttributeValue | undefined {
  if (operand.kind === 'value') return given.values[operand.value];
  if (operand.kind === 'path') return valueAt(item, resolved(operand.path, given));
  const value = operandValue(operand.of, item, given);
  const size = value && sizeOf(value);
  return size === undefined ? undefined : { N: String(size) };
}

/** Numbers and booleans have no size. */
function sizeOf(value: AttributeValue): number | undefined {
  if (value.S !== undefined) return value.S.length;
  if (value.B !== undefined) return value.B.byteLength;
  if (value.M !== undefined) return Object.keys(value.M).length;
  return value.L?.length ?? elementsOf(value)?.length;
}

const ORDERED: readonly string[] = ['S', 'N', 'B'];
const SIZED: readonly string[] = ['S', 'B', 'SS', 'NS', 'BS', 'L', 'M'];

/** Refuses operators whose given values have a type without the operator, before the item is read. */
export function checkOperands(kind: string, condition: Condition, given: Placeholders): void {
  const typeOfOperand = (operand: Operand): string | undefined => {
    if (operand.kind === 'size') {
      require('size', [operand.of], SIZED);
      return 'N';
    }
    const value = operand.kind === 'value' ? given.values[operand.value] : undefined;
    return value && typeOf(value);
  };
  const require = (operator: string, operands: readonly Operand[], allowed: readonly string[]): void => {
    for (const operand of operands) {
      const type = typeOfOperand(operand);
      if (type !== undefined && !allowed.includes(type)) {
        throw invalid(`Invalid ${kind}: Incorrect operand type for operator or function; ${operator}, type: ${type}`);
      }
    }
  };
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const one of condition.of) checkOperands(kind, one, given);
      return;
    case 'not':
      return checkOperands(kind, condition.of, given);
    case 'compare':
      requireDistinct(kind, condition.left, [condition.right]);
      return require(condition.by, [condition.left, condition.right], isOrder(condition.by) ? ORDERED : TYPES);
    case 'between':
      requireDistinct(kind, condition.operand, [condition.low, condition.high]);
      require('BETWEEN', [condition.operand, condition.low, condition.high], ORDERED);
      return requireRange(kind, [condition.low, condition.high], given);
    case 'begins-with':
      requireDistinct(kind, condition.left, [condition.right]);
      return require('begins_with', [condition.left, condition.right], ['S', 'B']);
    case 'type':
      require('attribute_type', [condition.right], ['S']);
      return requireType(kind, condition.right, given);
    case 'in':
      requireDistinct(kind, condition.operand, condition.list);
      return require('IN', [condition.operand, ...condition.list], TYPES);
    case 'contains':
      requireDistinct(kind, condition.left, [condition.right]);
      return require('contains', [condition.left, condition.right], TYPES);
    case 'exists':
    case 'not-exists':
      return;
  }
}

function isOrder(by: Comparator): boolean {
  return by !== '=' && by !== '<>';
}

function requireDistinct(kind: string, first: Operand, others: readonly Operand[]): void {
  const text = JSON.stringify(first);
  if (first.kind === 'path' && others.some((one) => JSON.stringify(one) === text)) {
    throw invalid(`Invalid ${kind}: The first operand must be distinct from the remaining operands for this operator`);
  }
}

function requireRange(kind: string, bounds: readonly Operand[], { values }: Placeholders): void {
  const [from, to] = bounds.map((one) => (one.kind === 'value' ? values[one.value] : undefined));
  if (from === undefined || to === undefined) return;
  const order = compareValues(from, to);
  if (order === undefined)
    throw invalid(`Invalid ${kind}: The BETWEEN operator requires same data type for its bounds`);
  if (order > 0) throw invalid(`Invalid ${kind}: The BETWEEN operator requires upper bound to be at least lower bound`);
}

function requireType(kind: string, operand: Operand, { values }: Placeholders): void {
  const type = operand.kind === 'value' ? values[operand.value]?.S : undefined;
  if (type === undefined || !TYPES.some((one) => one === type)) {
    throw invalid(`Invalid ${kind}: Invalid attribute type name found; type: ${type}`);
  }
}
