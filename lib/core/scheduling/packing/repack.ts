import { dot, fitsIn, takeFrom } from '../pools/resource-space.ts';
import {
  type Classes,
  ClassFiller,
  type ClassNode,
  type LoosePods,
  type PackedNode,
  type Skipped,
} from './fill-by-class.ts';

/**
 * Packs the pods of the nodes again, to lower the cost of the nodes. A step empties two to eight nodes, most of all those that cost much
 * more than the worth of their pods, and packs their pods on new nodes. It is kept if the new nodes cost no more.
 * *Shape:* the same pods on nodes that never cost more. The same input gives the same nodes. *Cost:* about 40 ns for each unit of `work`.
 * *Source:* ruin and recreate (Schrimpf et al. 2000); the new nodes are chosen by value per price (Chvátal 1979).
 */
export function repack(of: Classes, nodes: readonly ClassNode[], limits: SearchLimits): readonly PackedNode[] {
  const search = new Search(of, nodes);
  while (search.cost > limits.enoughUsd && search.work < workFor(search.cost, limits)) search.step();
  return search.nodes;
}

function workFor(cost: number, { work, further }: SearchLimits): number {
  return further !== undefined && cost > further.aboveUsd ? Math.max(work, further.work) : work;
}

interface SearchLimits {
  /** The number of classes that are tried on nodes. */
  readonly work: number;
  /** A cost at which the search ends. */
  readonly enoughUsd: number;
  /** The work while the cost is above this one. @default no further work */
  readonly further?: { readonly work: number; readonly aboveUsd: number };
}

/** Steps empty from two nodes to a third of all, within these limits. */
const MAX_EMPTIED = 8;
const MIN_EMPTIED = 4;
/** A node that is emptied has the largest loss of this many. Half of the nodes after the first are drawn without this. */
const TOURNAMENT = 8;
/** Offerings that are tried for a new node. Most are skipped, because they cannot be better than the best one so far. */
const TRIED_OFFERINGS = 8;
/** The work of a step in addition to filling nodes, so that every search ends. */
const WORK_OF_STEP = 5;
const EPSILON = 1e-9;

class Search {
  readonly nodes: PackedNode[];
  cost: number;
  #steps = 0;
  readonly #of: Classes;
  readonly #filler: ClassFiller;
  readonly #random = fractions(1);
  readonly #left: Int32Array;
  /** `maxWorth`: the worth of the pods of a node, if they filled it with fractions of pods. The cheapest for this worth come first. */
  readonly #offerings: readonly { readonly offering: number; readonly cost: number; readonly maxWorth: number }[];

  constructor(of: Classes, nodes: readonly ClassNode[]) {
    this.#of = of;
    this.#filler = new ClassFiller(of);
    this.nodes = nodes.map((node) => this.#filler.priced(node));
    this.cost = costOf(this.nodes);
    this.#left = new Int32Array(of.sizes.length);
    this.#offerings = of.costs
      .map((cost, offering) => ({ offering, cost, maxWorth: dot(of.worth, of.rooms[offering] ?? of.worth) }))
      .toSorted((a, b) => a.cost * b.maxWorth - b.cost * a.maxWorth || a.offering - b.offering);
  }

  get work(): number {
    return this.#filler.work + this.#steps * WORK_OF_STEP;
  }

  /** Packs the pods of a few nodes again. */
  step(): void {
    this.#steps += 1;
    const emptied = this.#chosenNodes();
    const before = costOf(emptied.flatMap((at) => this.nodes[at] ?? []));
    const loose = this.#loosen(emptied);
    const packed = this.#packed(loose, before + EPSILON);
    for (const id of loose.classes) this.#left[id] = 0;
    if (packed !== undefined) this.#replace(emptied, packed);
    if (packed !== undefined) this.cost += costOf(packed) - before;
  }

  #replace(emptied: readonly number[], packed: readonly PackedNode[]): void {
    const { nodes } = this;
    // From the end, so that a node that takes the place of another one is not itself emptied.
    emptied
      .toSorted((a, b) => b - a)
      .forEach((at, turn) => {
        const next = packed[turn] ?? nodes.pop();
        if (next !== undefined && at < nodes.length) nodes[at] = next;
      });
    nodes.push(...packed.slice(emptied.length));
  }

  #chosenNodes(): readonly number[] {
    const { length } = this.nodes;
    const most = Math.min(MAX_EMPTIED, Math.max(MIN_EMPTIED, length / 3));
    const count = Math.min(length, 2 + Math.floor(this.#random() * (most - 1)));
    const chosen = [this.#lossiestOf(TOURNAMENT)];
    for (let tries = 0; chosen.length < count && tries < MAX_EMPTIED * 4; tries += 1) {
      const at = this.#lossiestOf(this.#random() < 0.5 ? TOURNAMENT : 1);
      if (!chosen.includes(at)) chosen.push(at);
    }
    return chosen;
  }

  /** Of so many random nodes, the one whose cost is most above the worth of its pods. */
  #lossiestOf(drawn: number): number {
    let [worst, most] = [0, Number.NEGATIVE_INFINITY];
    for (let turn = 0; turn < drawn; turn += 1) {
      const at = Math.floor(this.#random() * this.nodes.length);
      const node = this.nodes[at];
      const loss = node === undefined ? 0 : node.cost - node.worth;
      if (loss > most) [worst, most] = [at, loss];
    }
    return worst;
  }

  #loosen(emptied: readonly number[]): LoosePods {
    const left = this.#left;
    const classes: number[] = [];
    for (const at of emptied) {
      const node = this.nodes[at];
      node?.classes.forEach((id, place) => {
        if (left[id] === 0) classes.push(id);
        left[id] = (left[id] ?? 0) + (node.counts[place] ?? 0);
      });
    }
    return { classes: classes.toSorted((a, b) => a - b), left };
  }

  #restOf({ classes, left }: LoosePods): Rest {
    const requests = new Float64Array(this.#of.worth.length);
    for (const id of classes) takeFrom(requests, this.#of.sizes[id] ?? requests, -(left[id] ?? 0));
    return { requests, worth: dot(this.#of.worth, requests) };
  }

  /** New nodes for the pods; undefined if they cost more than the limit. */
  #packed(from: LoosePods, limit: number): readonly PackedNode[] | undefined {
    const nodes: PackedNode[] = [];
    const loose = { ...from };
    const rest = this.#restOf(loose);
    for (let cost = 0; loose.classes.length > 0; ) {
      if (cost + rest.worth >= limit) return undefined;
      const node = this.#bestNode(loose, rest);
      if (node === undefined) return undefined;
      cost += node.cost;
      if (cost >= limit) return undefined;
      nodes.push(node);
      takeNode(this.#of, node, { loose, rest });
    }
    return nodes;
  }

  /** The node with the lowest cost for its worth: the cheapest one for all pods, or one of some random offerings. */
  #bestNode(loose: LoosePods, rest: Rest): PackedNode | undefined {
    let best = cheapestForAll(this.#of, loose, rest);
    let least = best === undefined ? Number.POSITIVE_INFINITY : best.cost / best.worth;
    for (let turn = 0; turn < TRIED_OFFERINGS || best === undefined; turn += 1) {
      if (turn >= TRIED_OFFERINGS * 10) return undefined;
      const drawn = this.#random();
      const one = this.#offerings[Math.floor(drawn ** 2.5 * this.#offerings.length)];
      if (one === undefined || one.cost >= least * Math.min(one.maxWorth, rest.worth)) continue;
      const node = this.#filler.fill(one.offering, loose, this.#skipped());
      if (node.worth <= 0 || node.cost >= least * node.worth) continue;
      best = node;
      least = node.cost / node.worth;
    }
    return best;
  }

  /** Some classes are tried last, so that the same pods are packed in many ways. */
  #skipped(): Skipped {
    const every = 3 + Math.floor(this.#random() * 12);
    return { every, first: Math.floor(this.#random() * every) };
  }
}

function costOf(nodes: readonly PackedNode[]): number {
  return nodes.reduce((sum, { cost }) => sum + cost, 0);
}

/** The sum of the pods that are still loose. */
interface Rest {
  readonly requests: Float64Array;
  worth: number;
}

function takeNode(
  { sizes }: Classes,
  node: PackedNode,
  { loose, rest }: { readonly loose: LoosePods; readonly rest: Rest },
): void {
  node.classes.forEach((id, place) => {
    const count = node.counts[place] ?? 0;
    loose.left[id] = (loose.left[id] ?? 0) - count;
    takeFrom(rest.requests, sizes[id] ?? rest.requests, count);
  });
  rest.worth -= node.worth;
  loose.classes = loose.classes.filter((id) => (loose.left[id] ?? 0) > 0);
}

/** The cheapest node for all pods. No node costs less than the worth of its pods. */
function cheapestForAll({ rooms, costs }: Classes, loose: LoosePods, rest: Rest): PackedNode | undefined {
  let [best, least] = [-1, Number.POSITIVE_INFINITY];
  for (let offering = 0; offering < costs.length; offering += 1) {
    const cost = costs[offering] ?? 0;
    if (cost >= least || cost < rest.worth - EPSILON || !fitsIn(rest.requests, rooms[offering] ?? rest.requests))
      continue;
    [best, least] = [offering, cost];
  }
  if (best < 0) return undefined;
  const { classes, left } = loose;
  return { offering: best, classes, counts: classes.map((id) => left[id] ?? 0), cost: least, worth: rest.worth };
}

/** Fractions from 0 to 1 that look random, the same for the same seed. *Source:* Marsaglia's xorshift with 32 bits of state. */
function fractions(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b9) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
