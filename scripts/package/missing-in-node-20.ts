/**
 * What the sources use and Node.js 20 does not have. The package imports this file before all others. It changes nothing on a
 * Node.js that has these functions.
 */

export type Fill = Readonly<Record<string, (this: never, ...args: never[]) => unknown>>;

type Key<Item, Name> = (item: Item, index: number) => Name;

function groups<Item, Name>(items: Iterable<Item>, keyOf: Key<Item, Name>): Map<Name, Item[]> {
  const found = new Map<Name, Item[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = found.get(key);
    if (group === undefined) found.set(key, [item]);
    else group.push(item);
  }
  return found;
}

/** @internal */
export const OF_MAP: Fill = { groupBy: groups };

/** @internal */
export const OF_OBJECT: Fill = {
  groupBy<Item>(items: Iterable<Item>, keyOf: Key<Item, string>) {
    return Object.assign(Object.create(null), Object.fromEntries(groups(items, keyOf)));
  },
};

/** @internal */
export const OF_PROMISE: Fill = {
  withResolvers<Value>() {
    const functions = {};
    const promise = new Promise<Value>((resolve, reject) => void Object.assign(functions, { resolve, reject }));
    return { ...functions, promise };
  },
};

/** @internal */
export const OF_SETS: Fill = {
  union<Item>(this: Set<Item>, other: Set<Item>) {
    return new Set([...this, ...other.keys()]);
  },
  intersection<Item>(this: Set<Item>, other: Set<Item>) {
    // The order is that of the smaller set, as in the standard.
    return this.size <= other.size
      ? new Set([...this].filter((item) => other.has(item)))
      : new Set([...other.keys()].filter((item) => this.has(item)));
  },
  difference<Item>(this: Set<Item>, other: Set<Item>) {
    return new Set([...this].filter((item) => !other.has(item)));
  },
  symmetricDifference<Item>(this: Set<Item>, other: Set<Item>) {
    return new Set(
      [...this].filter((item) => !other.has(item)).concat([...other.keys()].filter((item) => !this.has(item))),
    );
  },
  isSubsetOf<Item>(this: Set<Item>, other: Set<Item>) {
    return [...this].every((item) => other.has(item));
  },
  isSupersetOf<Item>(this: Set<Item>, other: Set<Item>) {
    return [...other.keys()].every((item) => this.has(item));
  },
  isDisjointFrom<Item>(this: Set<Item>, other: Set<Item>) {
    return ![...this].some((item) => other.has(item));
  },
};

/** The methods of iterators. Those that return an iterator are lazy. @internal */
export const OF_ITERATORS: Fill = {
  *map<Item>(this: Iterator<Item>, change: Key<Item, unknown>) {
    let index = 0;
    for (const item of through(this)) yield change(item, index++);
  },
  *filter<Item>(this: Iterator<Item>, keeps: Key<Item, unknown>) {
    let index = 0;
    for (const item of through(this)) if (keeps(item, index++)) yield item;
  },
  *take<Item>(this: Iterator<Item>, count: number) {
    let left = count;
    if (left <= 0) return;
    for (const item of through(this)) {
      yield item;
      if (--left <= 0) return;
    }
  },
  *drop<Item>(this: Iterator<Item>, count: number) {
    let left = count;
    for (const item of through(this)) if (left-- <= 0) yield item;
  },
  *flatMap<Item>(this: Iterator<Item>, change: Key<Item, Iterable<unknown>>) {
    let index = 0;
    for (const item of through(this)) yield* change(item, index++);
  },
  reduce<Item>(this: Iterator<Item>, ...args: [merge: (before: unknown, item: Item) => unknown, start: unknown]) {
    return [...through(this)].reduce(...args);
  },
  toArray<Item>(this: Iterator<Item>) {
    return [...through(this)];
  },
  forEach<Item>(this: Iterator<Item>, visit: Key<Item, unknown>) {
    let index = 0;
    for (const item of through(this)) visit(item, index++);
  },
  some<Item>(this: Iterator<Item>, holds: Key<Item, unknown>) {
    let index = 0;
    for (const item of through(this)) if (holds(item, index++)) return true;
    return false;
  },
  every<Item>(this: Iterator<Item>, holds: Key<Item, unknown>) {
    let index = 0;
    for (const item of through(this)) if (!holds(item, index++)) return false;
    return true;
  },
  find<Item>(this: Iterator<Item>, holds: Key<Item, unknown>) {
    let index = 0;
    for (const item of through(this)) if (holds(item, index++)) return item;
    return undefined;
  },
};

/** The iterator as an iterable, which closes it when a loop ends early. */
function through<Item>(iterator: Iterator<Item>): Iterable<Item> {
  return { [Symbol.iterator]: () => iterator };
}

/** Adds the functions that the object does not have. */
function fill(target: object, functions: Fill): void {
  for (const [name, value] of Object.entries(functions)) {
    if (!(name in target)) Object.defineProperty(target, name, { value, writable: true, configurable: true });
  }
}

fill(Map, OF_MAP);
fill(Object, OF_OBJECT);
fill(Promise, OF_PROMISE);
fill(Set.prototype, OF_SETS);
fill(prototypeOf(prototypeOf([].values())), OF_ITERATORS);

function prototypeOf(value: object): object {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null) throw new TypeError('an iterator has no prototype');
  return prototype;
}
