import { expect, test } from 'vitest';
import {
  type Fill,
  OF_ITERATORS,
  OF_MAP,
  OF_OBJECT,
  OF_PROMISE,
  OF_SETS,
} from '../../scripts/package/missing-in-node-20.ts';

type Method = (...args: readonly unknown[]) => unknown;

interface Call {
  readonly name: string;
  readonly on: () => unknown;
  readonly args: readonly unknown[];
}

/** Calls our function and that of this Node.js, which has them all. */
function both(ours: Fill, native: object, { name, on, args }: Call): readonly unknown[] {
  return [ours, native].map((functions) => {
    const answer = callOf(functions, name)(on(), args);
    return isIterator(answer) ? [...answer] : answer;
  });
}

function callOf(functions: object, name: string): (on: unknown, args: readonly unknown[]) => unknown {
  const method: unknown = Reflect.get(functions, name);
  if (!isMethod(method)) throw new TypeError(`there is no ${name}`);
  return (on, args) => Reflect.apply(method, on, [...args]);
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'function';
}

function isIterator(value: unknown): value is IterableIterator<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value;
}

const NUMBERS = [3, 1, 4, 1, 5, 9, 2, 6];
const isEven = (value: number): boolean => value % 2 === 0;

test.each([
  ['map', [(value: number, index: number) => value * index]],
  ['filter', [(value: number, index: number) => isEven(value + index)]],
  ['take', [3]],
  ['take', [0]],
  ['take', [99]],
  ['drop', [3]],
  ['drop', [99]],
  ['flatMap', [(value: number, index: number) => [value, index]]],
  ['reduce', [(sum: number, value: number) => sum - value]],
  ['reduce', [(sum: number, value: number) => sum - value, 7]],
  ['toArray', []],
  ['some', [isEven]],
  ['some', [(value: number) => value > 9]],
  ['every', [isEven]],
  ['every', [(value: number) => value < 10]],
  ['find', [isEven]],
  ['find', [(value: number) => value > 9]],
] as const)('an iterator has %s(%s)', (name, args) => {
  const [ours, native] = both(OF_ITERATORS, Iterator.prototype, { name, on: () => NUMBERS.values(), args });
  expect(ours).toEqual(native);
});

test('forEach visits all items of an iterator with their indexes', () => {
  const visits: unknown[][] = [];
  both(OF_ITERATORS, Iterator.prototype, {
    name: 'forEach',
    on: () => NUMBERS.values(),
    args: [(...all: unknown[]) => visits.push(all)],
  });
  expect(visits.slice(0, NUMBERS.length)).toEqual(visits.slice(NUMBERS.length));
  expect(visits).toHaveLength(2 * NUMBERS.length);
});

test.each(['take', 'map', 'filter'])('%s of an iterator reads no more items than are used', (name) => {
  const read: number[] = [];
  function* endless(): Generator<number> {
    for (let value = 0; ; value++) {
      read.push(value);
      yield value;
    }
  }
  const lazy = callOf(OF_ITERATORS, name)(endless(), [name === 'take' ? 2 : () => true]);
  if (!isIterator(lazy)) throw new TypeError(`${name} returns no iterator`);
  for (const _ of lazy) break;
  expect(read).toEqual([0]);
});

test.each(Object.keys(OF_SETS))('a set has %s', (name) => {
  for (const one of [[], [1, 2, 3], [3, 4], [9]])
    for (const other of [[], [3, 2, 1], [4, 3, 2, 8], [9]]) {
      const [ours, native] = both(OF_SETS, Set.prototype, { name, on: () => new Set(one), args: [new Set(other)] });
      expect(ours instanceof Set ? [...ours] : ours).toEqual(native instanceof Set ? [...native] : native);
    }
});

test('Map and Object have groupBy, and Promise has withResolvers', async () => {
  const args = [NUMBERS, (value: number, index: number) => (isEven(value + index) ? 'even' : 'odd')];
  const maps = both(OF_MAP, Map, { name: 'groupBy', on: () => Map, args });
  expect(maps[0]).toEqual(maps[1]);
  const objects = both(OF_OBJECT, Object, { name: 'groupBy', on: () => Object, args });
  expect(objects[0]).toEqual(objects[1]);
  expect(Object.getPrototypeOf(objects[0])).toBeNull();
  const made = callOf(OF_PROMISE, 'withResolvers')(Promise, []);
  expect(made).toMatchObject({ reject: expect.any(Function), promise: expect.any(Promise) });
  if (typeof made !== 'object' || made === null) throw new TypeError('withResolvers returns nothing');
  callOf(made, 'resolve')(undefined, [7]);
  expect(await Reflect.get(made, 'promise')).toBe(7);
});

test('a Node.js that has these functions keeps its own', () => {
  for (const [functions, name] of [
    [Map, 'groupBy'],
    [Set.prototype, 'union'],
    [Iterator.prototype, 'map'],
  ] as const)
    expect(String(Reflect.get(functions, name))).toContain('[native code]');
});
