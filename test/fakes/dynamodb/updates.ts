import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { invalid } from './errors.ts';
import type { Path } from './expression-tokens.ts';
import type { Placeholders } from './expressions.ts';
import { addNumbers } from './numbers.ts';
import { requireSeparate, resolved, valueAt } from './paths.ts';
import type { Arithmetic, SetOperand, SetValue, Update } from './update-parser.ts';
import { elementsOf, type StoredItem, typeOf, type ValueType } from './values.ts';

const KIND = 'UpdateExpression';
const SETS: readonly ValueType[] = ['SS', 'NS', 'BS'];

/** Refuses an update that is wrong for every item. */
export function checkUpdate(update: Update, given: Placeholders, keyNames: readonly string[]): void {
  const paths = [...update.set, ...update.add, ...update.delete].map(({ path }) => path);
  const all = [...paths, ...update.remove].map((path) => resolved(path, given));
  requireSeparate(KIND, all);
  for (const [name] of all) {
    if (keyNames.includes(String(name))) {
      throw invalid(
        `One or more parameter values were invalid: Cannot update attribute ${name}. It is part of the key`,
      );
    }
  }
  for (const { value } of update.set) checkOperand(value, given);
  for (const { value } of update.add) requireType('ADD', given.values[value], ['N', ...SETS]);
  for (const { value } of update.delete) requireType('DELETE', given.values[value], SETS);
}

function checkOperand(operand: SetValue, given: Placeholders): void {
  if (operand.kind === 'if-not-exists') {
    const { path, otherwise } = operand;
    if (otherwise.kind === 'path' && JSON.stringify(otherwise.path) === JSON.stringify(path)) {
      throw invalid(`Invalid ${KIND}: The first operand must be distinct from the remaining operands; if_not_exists`);
    }
    return checkOperand(otherwise, given);
  }
  if (operand.kind === 'path' || operand.kind === 'value') return;
  const type: ValueType = operand.kind === 'list-append' ? 'L' : 'N';
  for (const side of [operand.left, operand.right]) {
    if (side.kind === 'value') requireType(operand.kind, given.values[side.value], [type]);
    else checkOperand(side, given);
  }
}

function requireType(operator: string, value: AttributeValue | undefined, allowed: readonly ValueType[]): void {
  if (value !== undefined && !allowed.includes(typeOf(value))) {
    throw invalid(`Invalid ${KIND}: Incorrect operand type for operator or function; ${operator}, ${typeOf(value)}`);
  }
}

/** The item after the update. All operands are read from the item before it. */
export function updated(item: StoredItem, update: Update, given: Placeholders): StoredItem {
  const sets = update.set.map(({ path, value }) => [resolved(path, given), setValue(value, item, given)] as const);
  const adds = update.add.map(({ path, value }) => {
    const at = resolved(path, given);
    return [at, added(valueAt(item, at), given.values[value])] as const;
  });
  const deletes = update.delete.map(({ path, value }) => {
    const at = resolved(path, given);
    return [at, without(valueAt(item, at), given.values[value])] as const;
  });
  let after: AttributeValue = { M: item };
  for (const [path, value] of [...sets, ...adds].toSorted(byIndex)) after = withValue(after, path, value);
  for (const [path, value] of deletes) {
    after = value === undefined ? withoutPath(after, path) : withValue(after, path, value);
  }
  const removed = update.remove.map((path) => [resolved(path, given)] as const);
  for (const [path] of removed.toSorted((a, b) => byIndex(b, a))) after = withoutPath(after, path);
  return after.M ?? {};
}

/** Elements of a list in the order of their indices; other paths in any order. */
function byIndex([a]: readonly [Path, ...unknown[]], [b]: readonly [Path, ...unknown[]]): number {
  const differs = a.findIndex((step, index) => step !== b[index]);
  const [left, right] = [a[differs], b[differs]];
  return typeof left === 'number' && typeof right === 'number' ? left - right : 0;
}

function setValue(value: SetValue, item: StoredItem, given: Placeholders): AttributeValue {
  if (!isArithmetic(value)) return operandOf(value, item, given);
  const [left, right] = [value.left, value.right].map((side) => operandOf(side, item, given));
  if (left?.N === undefined || right?.N === undefined) throw wrongType();
  return { N: addNumbers(left.N, right.N, value.kind === 'plus' ? 1 : -1) };
}

function isArithmetic(value: SetValue): value is Arithmetic {
  return value.kind === 'plus' || value.kind === 'minus';
}

function operandOf(operand: SetOperand, item: StoredItem, given: Placeholders): AttributeValue {
  switch (operand.kind) {
    case 'value':
      return given.values[operand.value] ?? { NULL: true };
    case 'path': {
      const value = valueAt(item, resolved(operand.path, given));
      if (value !== undefined) return value;
      throw invalid('The provided expression refers to an attribute that does not exist in the item');
    }
    case 'if-not-exists': {
      // The second operand must exist even where it is not used.
      const otherwise = operandOf(operand.otherwise, item, given);
      return valueAt(item, resolved(operand.path, given)) ?? otherwise;
    }
    case 'list-append': {
      const [left, right] = [operand.left, operand.right].map((side) => operandOf(side, item, given));
      if (left?.L === undefined || right?.L === undefined) throw wrongType();
      return { L: [...left.L, ...right.L] };
    }
  }
}

function added(value: AttributeValue | undefined, more: AttributeValue = { NULL: true }): AttributeValue {
  if (value === undefined) return more;
  if (value.N !== undefined && more.N !== undefined) return { N: addNumbers(value.N, more.N) };
  const type = typeOf(value);
  if (type !== typeOf(more) || !SETS.includes(type)) throw wrongType();
  return setFrom(type, [...new Set([...(elementsOf(value) ?? []), ...(elementsOf(more) ?? [])])]);
}

function without(value: AttributeValue | undefined, less: AttributeValue = { NULL: true }): AttributeValue | undefined {
  if (value === undefined) return undefined;
  const type = typeOf(value);
  if (type !== typeOf(less)) throw wrongType();
  const kept = (elementsOf(value) ?? []).filter((element) => elementsOf(less)?.includes(element) !== true);
  return kept.length === 0 ? undefined : setFrom(type, kept);
}

function setFrom(type: ValueType, elements: readonly string[]): AttributeValue {
  if (type === 'SS') return { SS: [...elements] };
  if (type === 'NS') return { NS: [...elements] };
  return { BS: elements.map((element) => Uint8Array.from(Buffer.from(element, 'base64'))) };
}

function withValue(value: AttributeValue, path: Path, next: AttributeValue): AttributeValue {
  const [step, ...rest] = path;
  if (step === undefined) return next;
  if (typeof step === 'number') {
    if (value.L === undefined) throw wrongPath();
    const inner = value.L[step];
    if (inner === undefined && rest.length > 0) throw wrongPath();
    const element = withValue(inner ?? next, rest, next);
    return { L: inner === undefined ? [...value.L, element] : value.L.with(step, element) };
  }
  const inner = value.M?.[step];
  if (value.M === undefined || (inner === undefined && rest.length > 0)) throw wrongPath();
  return { M: { ...value.M, [step]: withValue(inner ?? next, rest, next) } };
}

function withoutPath(value: AttributeValue, path: Path): AttributeValue {
  const [step, ...rest] = path;
  if ((typeof step === 'number' ? value.L : value.M) === undefined) throw wrongPath();
  const inner = typeof step === 'number' ? value.L?.[step] : value.M?.[String(step)];
  if (step === undefined || inner === undefined) {
    if (rest.length > 0) throw wrongPath();
    return value;
  }
  const kept = rest.length === 0 ? undefined : withoutPath(inner, rest);
  if (value.L !== undefined && typeof step === 'number') {
    return { L: kept === undefined ? value.L.toSpliced(step, 1) : value.L.with(step, kept) };
  }
  const { [String(step)]: _removed, ...others } = value.M ?? {};
  return { M: kept === undefined ? others : { ...others, [String(step)]: kept } };
}

function wrongPath(): Error {
  return invalid('The document path provided in the update expression is invalid for update');
}

function wrongType(): Error {
  return invalid('An operand in the update expression has an incorrect data type');
}
