import type { Resources } from '../../resources/resources.ts';
import { addTo, type Bitset, emptyBitset, fullBitset, membersOf } from './bitset.ts';
import { fitsLimits, largestCapacity, largestOfLimited, type RemainingLimits, takeFromLimits } from './limits.ts';
import { valuesToKeep } from './min-values.ts';
import { instanceTypesIn, type PoolTypeIndex } from './type-index.ts';

/** A claim, as far as limits go: what it aims at and what it takes of them. */
interface Holder {
  readonly types: PoolTypeIndex;
  readonly target: { readonly type: number };
  held: Resources;
}

/** What is left of each pool's limits while a run goes on, by the pool's name; undefined where it has none. */
export type PoolLimits = Map<string, RemainingLimits | undefined>;

/** What is left of the limits of the types' pool. */
export function limitsOf(limits: PoolLimits, types: PoolTypeIndex): RemainingLimits | undefined {
  return limits.get(poolOf(types));
}

/** What the claim may have: what is left and what it holds itself. */
export function leftFor(
  limits: PoolLimits,
  { types, held }: Pick<Holder, 'types' | 'held'>,
): RemainingLimits | undefined {
  const left = limitsOf(limits, types);
  return left === undefined ? undefined : takeFromLimits(left, held, -1);
}

/** Of these types those that fit what is left. */
export function withinLimits(types: PoolTypeIndex, among: Bitset, left: RemainingLimits | undefined): Bitset {
  if (left === undefined || holdsEvery(types, left)) return among;
  const within = emptyBitset(types.types.length);
  for (const type of membersOf(among)) {
    const instanceType = types.types[type];
    if (instanceType !== undefined && fitsLimits(instanceType, left)) addTo(within, type);
  }
  return within;
}

/** All types that the claim may have by what is left and what it holds itself. *Cost:* one look-up, while neither changes. */
export function typesWithin(limits: PoolLimits, claim: Holder): Bitset | undefined {
  const left = limitsOf(limits, claim.types);
  if (left === undefined) return undefined;
  const known = WITHIN.get(claim);
  if (known?.left === left && known.held === claim.held) return known.within;
  const within = withinLimits(claim.types, fullBitset(claim.types.types.length), leftFor(limits, claim));
  WITHIN.set(claim, { left, held: claim.held, within });
  return within;
}

const WITHIN = new WeakMap<
  Holder,
  { readonly left: RemainingLimits; readonly held: Resources; readonly within: Bitset }
>();

/** On most days nothing is near its limit: then even the largest of everything fits. */
function holdsEvery(types: PoolTypeIndex, left: RemainingLimits): boolean {
  const largest = LARGEST.get(types) ?? largestCapacity(types.types);
  LARGEST.set(types, largest);
  return fitsLimits({ capacity: largest }, left);
}

const LARGEST = new WeakMap<PoolTypeIndex, Resources>();

/**
 * Promise 2: what the claim takes of the limits while it is open: its target, and the smallest types beside it that keep
 * minValues. `among`: the types that it may become.
 */
export function holdLeast(limits: PoolLimits, claim: Holder, among: Bitset): void {
  const { types, target } = claim;
  if (limitsOf(limits, types) === undefined) return;
  const kept = valuesToKeep(types, among, target.type);
  hold(limits, claim, instanceTypesIn(kept, types));
}

/** Promise 2: until it is launched it holds the largest of what it may become. */
export function holdLargest(limits: PoolLimits, claim: Holder, among: Bitset): void {
  if (limitsOf(limits, claim.types) !== undefined) hold(limits, claim, instanceTypesIn(among, claim.types));
}

function hold(limits: PoolLimits, claim: Holder, types: Parameters<typeof largestOfLimited>[0]): void {
  const left = leftFor(limits, claim);
  if (left === undefined) return;
  const held: Resources = { ...largestOfLimited(types, left), nodes: 1 };
  limits.set(poolOf(claim.types), takeFromLimits(left, held));
  claim.held = held;
}

function poolOf({ template }: PoolTypeIndex): string {
  return template.nodePool.metadata.name;
}
