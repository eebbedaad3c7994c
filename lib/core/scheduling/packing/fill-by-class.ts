import { CPU, dot, MEMORY, type Vector } from '../pools/resource-space.ts';

/** Pods without rules between them, by class, and the offerings that each of them may use. */
export interface Classes {
  /** By class: the requests of a pod. A class of larger pods comes before one of smaller pods. */
  readonly sizes: readonly Vector[];
  /** By offering: the room of a node. */
  readonly rooms: readonly Vector[];
  /** By offering: the cost of a node, in USD per hour. */
  readonly costs: readonly number[];
  /** The worth of a unit of each resource. */
  readonly worth: Vector;
}

/** A node: its offering, and the number of its pods by class. */
export interface ClassNode {
  readonly offering: number;
  readonly classes: readonly number[];
  readonly counts: readonly number[];
}

/** A node, with its cost and the worth of its pods. */
export interface PackedNode extends ClassNode {
  readonly cost: number;
  readonly worth: number;
}

/** The pods that have no node. */
export interface LoosePods {
  /** The classes of the pods, in ascending order. */
  classes: readonly number[];
  /** By class: the number of pods. */
  readonly left: Int32Array;
}

/** Classes that are tried last: each `every`th, from `first` on. */
export interface Skipped {
  readonly every: number;
  readonly first: number;
}

/**
 * Fills nodes like `fill`, but many pods at a time, because pods of a class are alike: it alternates between classes with more cpu for
 * their memory than the node and classes with less, so that cpu and memory run out together. Large pods come first.
 * *Cost:* O(classes of the pods) for a node.
 */
export class ClassFiller {
  /** One for each class that was tried. */
  work = 0;
  /** By class: the worth of a pod. */
  readonly worths: readonly number[];
  readonly #of: Classes;
  /** By class, one after the other, as one array. */
  readonly #sizes: Float64Array;
  readonly #width: number;
  /** By class: cpu for each unit of memory. */
  readonly #ratios: Float64Array;
  readonly #used: Int32Array;
  readonly #room: Float64Array;

  constructor(of: Classes) {
    this.#of = of;
    this.worths = of.sizes.map((size) => dot(of.worth, size));
    this.#width = of.rooms[0]?.length ?? 0;
    this.#sizes = new Float64Array(of.sizes.length * this.#width);
    of.sizes.forEach((size, at) => this.#sizes.set(size, at * this.#width));
    this.#ratios = Float64Array.from(of.sizes, (size) => (size[CPU] ?? 0) / Math.max(1, size[MEMORY] ?? 0));
    this.#used = new Int32Array(of.sizes.length);
    this.#room = new Float64Array(this.#width);
  }

  /** A node of the offering, filled with the pods. They stay loose. */
  fill(offering: number, loose: LoosePods, skipped: Skipped): PackedNode {
    const { classes, left } = loose;
    const [room, used] = [this.#room, this.#used];
    room.set(this.#of.rooms[offering] ?? room);
    const ratio = (room[CPU] ?? 0) / (room[MEMORY] || 1);
    const taken: number[] = [];
    const needing = { classes, ratio, ...skipped };
    let cpu = this.#next(0, true, needing);
    let memory = this.#next(0, false, needing);
    while (cpu < classes.length || memory < classes.length) {
      const surplus = (room[CPU] ?? 0) - ratio * (room[MEMORY] ?? 0);
      const usesCpu = memory >= classes.length || (surplus >= 0 && cpu < classes.length);
      const id = classes[usesCpu ? cpu : memory] ?? 0;
      const isAlone = (usesCpu ? memory : cpu) >= classes.length;
      const fitting = this.#fitting(id, (left[id] ?? 0) - (used[id] ?? 0));
      const count = isAlone ? fitting : Math.min(fitting, this.#untilEven(id, surplus, ratio));
      if (count > 0) this.#take(id, count, taken);
      if (count > 0 && count < fitting) continue;
      if (usesCpu) cpu = this.#next(cpu + 1, true, needing);
      else memory = this.#next(memory + 1, false, needing);
    }
    for (let at = skipped.first; at < classes.length; at += skipped.every) {
      const id = classes[at] ?? 0;
      const count = this.#fitting(id, left[id] ?? 0);
      if (count > 0) this.#take(id, count, taken);
    }
    this.work += classes.length;
    return this.#node(offering, taken);
  }

  /** The place of the next class that needs more cpu for its memory than the node has, or less, and is not skipped. */
  #next(
    from: number,
    wantsCpu: boolean,
    { classes, ratio, every, first }: Skipped & { readonly classes: readonly number[]; readonly ratio: number },
  ): number {
    let at = from;
    for (; at < classes.length; at += 1) {
      const needsCpu = (this.#ratios[classes[at] ?? 0] ?? 0) >= ratio;
      if (needsCpu === wantsCpu && at % every !== first) break;
    }
    return at;
  }

  /** How many pods of the class fit, at most `max`. */
  #fitting(id: number, max: number): number {
    this.work += 1;
    let count = max;
    for (let at = 0, from = id * this.#width; at < this.#width; at += 1) {
      const amount = this.#sizes[from + at] ?? 0;
      if (amount > 0) count = Math.min(count, Math.floor((this.#room[at] ?? 0) / amount));
    }
    return count;
  }

  /** How many pods of the class use the surplus of cpu, or of memory. At least one. */
  #untilEven(id: number, surplus: number, ratio: number): number {
    const from = id * this.#width;
    const change = (this.#sizes[from + CPU] ?? 0) - ratio * (this.#sizes[from + MEMORY] ?? 0);
    return change === 0 ? 1 : Math.max(1, Math.ceil(Math.abs(surplus / change)));
  }

  #take(id: number, count: number, taken: number[]): void {
    for (let at = 0, from = id * this.#width; at < this.#width; at += 1)
      this.#room[at] = (this.#room[at] ?? 0) - count * (this.#sizes[from + at] ?? 0);
    if (this.#used[id] === 0) taken.push(id);
    this.#used[id] = (this.#used[id] ?? 0) + count;
  }

  #node(offering: number, classes: readonly number[]): PackedNode {
    const counts = classes.map((id) => {
      const count = this.#used[id] ?? 0;
      this.#used[id] = 0;
      return count;
    });
    return this.priced({ offering, classes, counts });
  }

  priced({ offering, classes, counts }: ClassNode): PackedNode {
    let worth = 0;
    classes.forEach((id, at) => (worth += (counts[at] ?? 0) * (this.worths[id] ?? 0)));
    return { offering, classes, counts, cost: this.#of.costs[offering] ?? 0, worth };
  }
}
