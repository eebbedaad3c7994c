import { addTo, type Bitset, emptyBitset, fullBitset, keepCommon } from './bitset.ts';
import type { Vector } from './resource-space.ts';

/** Which types of a pool have room for requests. */
export interface RoomIndex {
  /** The types with room for the requests. *Cost:* one binary search and one AND for each resource. */
  fitting(requests: Vector): Bitset;
  /** The position in the list of types before which no type has room for the requests. *Cost:* one binary search for each resource. */
  firstFitting(order: readonly number[], requests: Vector): number;
}

/** `rooms`: by type; `resources`: the length of each. */
export function roomIndex(rooms: readonly Vector[], resources: number): RoomIndex {
  const all = fullBitset(rooms.length);
  const none = emptyBitset(rooms.length);
  const steps = Array.from({ length: resources }, (_, resource) => stepsOf(rooms, resource));
  const firsts = new WeakMap<readonly number[], readonly Int32Array[]>();
  return {
    fitting(requests) {
      const fit = all.slice();
      steps.forEach((one, resource) => {
        const amount = requests[resource] ?? 0;
        if (amount > 0) keepCommon(fit, one.sets[stepFor(one, amount)] ?? none);
      });
      return fit;
    },
    firstFitting(order, requests) {
      const known = firsts.get(order) ?? steps.map((one) => firstsOf(one, order));
      firsts.set(order, known);
      let first = 0;
      steps.forEach((one, resource) => {
        const amount = requests[resource] ?? 0;
        if (amount > 0) first = Math.max(first, known[resource]?.[stepFor(one, amount)] ?? order.length);
      });
      return first;
    },
  };
}

/** The distinct amounts of a resource, in descending order, with the types that have at least as much. */
interface Steps {
  readonly amounts: readonly number[];
  readonly sets: readonly Bitset[];
  readonly amountOf: (type: number) => number;
}

function stepsOf(rooms: readonly Vector[], resource: number): Steps {
  const amountOf = (type: number): number => rooms[type]?.[resource] ?? 0;
  const descending = rooms.map((_, type) => type).toSorted((a, b) => amountOf(b) - amountOf(a));
  const amounts: number[] = [];
  const sets: Bitset[] = [];
  let set = emptyBitset(rooms.length);
  for (const type of descending) {
    if (amounts.at(-1) !== amountOf(type)) {
      set = set.slice();
      amounts.push(amountOf(type));
      sets.push(set);
    }
    addTo(set, type);
  }
  return { amounts, sets, amountOf };
}

/** The step of the last sufficient amount, which has all types with at least the wanted amount; -1 if none has. */
function stepFor({ amounts }: Steps, wanted: number): number {
  let [low, high] = [0, amounts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((amounts[middle] ?? 0) >= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** By step: the position of the first of its types. */
function firstsOf(steps: Steps, order: readonly number[]): Int32Array {
  const firsts = new Int32Array(steps.amounts.length).fill(order.length);
  order.forEach((type, position) => {
    const step = stepFor(steps, steps.amountOf(type));
    firsts[step] = Math.min(firsts[step] ?? position, position);
  });
  // The types of a step are those of the steps before it, and more.
  for (let step = 1; step < firsts.length; step += 1) {
    firsts[step] = Math.min(firsts[step] ?? 0, firsts[step - 1] ?? 0);
  }
  return firsts;
}
