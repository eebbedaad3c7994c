import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { compareUtf8, type StoredItem } from './values.ts';

export interface Place {
  readonly pk: string;
  readonly sk: string;
}

/** The items of the whole table at one time. */
export type TableState = ReadonlyMap<string, PartitionState>;

interface PartitionState {
  readonly items: ReadonlyMap<string, StoredItem>;
  readonly order: readonly string[];
}

interface Partition extends PartitionState {
  readonly items: Map<string, StoredItem>;
  readonly order: string[];
}

/** A write that a lagging replica may not have yet. */
interface Recent extends Place {
  readonly atMs: number;
  readonly before: StoredItem | undefined;
}

/** The items by partition and sort key, and the writes of the last `keptMs` for reads that lag. */
export class Storage {
  readonly #keptMs: number;
  #partitions = new Map<string, Partition>();
  #recent: Recent[] = [];

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  get({ pk, sk }: Place): StoredItem | undefined {
    return this.#partitions.get(pk)?.items.get(sk);
  }

  /** The item as it was at `atMs`. */
  getAt(place: Place, atMs: number): StoredItem | undefined {
    const first = this.#recent.find(({ atMs: at, pk, sk }) => at > atMs && pk === place.pk && sk === place.sk);
    return first === undefined ? this.get(place) : first.before;
  }

  set(place: Place, item: StoredItem | undefined, nowMs: number): void {
    const { pk, sk } = place;
    const before = this.get(place);
    if (this.#keptMs > 0) {
      const from = this.#recent.findIndex(({ atMs }) => atMs >= nowMs - this.#keptMs);
      this.#recent = [...(from === -1 ? [] : this.#recent.slice(from)), { pk, sk, atMs: nowMs, before }];
    }
    change(this.#partition(pk), sk, item);
  }

  /** The sort keys and items of a partition, by the bytes of the sort key. */
  partition(pk: string): PartitionState {
    return this.#partitions.get(pk) ?? { items: new Map(), order: [] };
  }

  partitionAt(pk: string, atMs: number): PartitionState {
    const { items, order } = this.partition(pk);
    const then: Partition = { items: new Map(items), order: [...order] };
    for (const write of this.#recent.toReversed()) {
      if (write.pk === pk && write.atMs > atMs) change(then, write.sk, write.before);
    }
    return then;
  }

  *all(): Generator<StoredItem> {
    for (const pk of [...this.#partitions.keys()].toSorted(compareUtf8)) {
      const { items, order } = this.partition(pk);
      for (const sk of order) yield items.get(sk) ?? {};
    }
  }

  /** *Cost:* O(items), without copying them. */
  snapshot(): TableState {
    return copyOf(this.#partitions);
  }

  restore(state: TableState): void {
    this.#partitions = copyOf(state);
    this.#recent = [];
  }

  #partition(pk: string): Partition {
    const known = this.#partitions.get(pk);
    if (known !== undefined) return known;
    const made: Partition = { items: new Map(), order: [] };
    this.#partitions.set(pk, made);
    return made;
  }
}

function change({ items, order }: Partition, sk: string, item: StoredItem | undefined): void {
  const isNew = !items.has(sk);
  if (item === undefined) {
    if (!isNew) order.splice(firstFrom(order, sk), 1);
    items.delete(sk);
  } else {
    if (isNew) order.splice(firstFrom(order, sk), 0, sk);
    items.set(sk, item);
  }
}

/** The index of the first sort key that is not before `sk`. */
export function firstFrom(order: readonly string[], sk: string): number {
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareUtf8(order[middle] ?? '', sk) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function copyOf(state: TableState): Map<string, Partition> {
  return new Map([...state].map(([pk, { items, order }]) => [pk, { items: new Map(items), order: [...order] }]));
}

/** A copy that the caller may keep. */
export function answered(item: StoredItem): Record<string, AttributeValue> {
  return { ...item };
}
