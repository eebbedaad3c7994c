import type { Resources } from '../../resources/resources.ts';
import { addTo, type Bitset, emptyBitset, fullBitset, membersOf } from './bitset.ts';
import { fitsLimits, largestCapacity, largestOfLimited, type RemainingLimits, takeFromLimits } from './limits.ts';
import { valuesToKeep } from './min-values.ts';
import { instanceTypesIn, type PoolTypeIndex } from './type-index.ts';

/** The part of a claim that limits use: its target, and what it reserves. */
interface Holder {
  readonly types: PoolTypeIndex;
  readonly target: { readonly type: number };
  held: Resources;
}

/** The remaining limits of each pool during a run, by the name of the pool; undefined for a pool without limits. */
export type PoolLimits = Map<string, RemainingLimits | undefined>;

/** The remaining limits of the pool. */
export function limitsOf(limits: PoolLimits, types: PoolTypeIndex): RemainingLimits | undefined {
  return limits.get(poolOf(types));
}

/** The limits that apply to the claim: the remaining limits plus its own reservation. */
export function leftFor(
  limits: PoolLimits,
  { types, held }: Pick<Holder, 'types' | 'held'>,
): RemainingLimits | undefined {
  const left = limitsOf(limits, types);
  return left === undefined ? undefined : takeFromLimits(left, held, -1);
}

/** The types that fit within the remaining limits. */
export function withinLimits(types: PoolTypeIndex, among: Bitset, left: RemainingLimits | undefined): Bitset {
  if (left === undefined || fitsEvery(types, left)) return among;
  const within = emptyBitset(types.types.length);
  for (const type of membersOf(among)) {
    const instanceType = types.types[type];
    if (instanceType !== undefined && fitsLimits(instanceType, left)) addTo(within, type);
  }
  return within;
}

/** All types that fit within the limits that apply to the claim. *Cost:* one look-up while limits and reservation do not change. */
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

/** A fast path: usually the limits are far away, and even the largest type fits. */
function fitsEvery(types: PoolTypeIndex, left: RemainingLimits): boolean {
  const largest = LARGEST.get(types) ?? largestCapacity(types.types);
  LARGEST.set(types, largest);
  return fitsLimits({ capacity: largest }, left);
}

const LARGEST = new WeakMap<PoolTypeIndex, Resources>();

/**
 * Promise 2: an open claim reserves its target, and the smallest types that minValues needs in addition.
 * `among`: the types that it may be launched as.
 */
export function holdMinimum(limits: PoolLimits, claim: Holder, among: Bitset): void {
  const { types, target } = claim;
  if (limitsOf(limits, types) === undefined) return;
  const kept = valuesToKeep(types, among, target.type);
  hold(limits, claim, instanceTypesIn(kept, types));
}

/** Promise 2: until it is launched, a planned claim reserves the largest of its types. */
export function holdLargest(limits: PoolLimits, claim: Holder, among: Bitset): void {
  if (limitsOf(limits, claim.types) !== undefined) hold(limits, claim, instanceTypesIn(among, claim.types));
}

/** A copy of the limits without the reservations of these claims. The claims keep theirs in the original. */
export function copyWithout(limits: PoolLimits, claims: readonly Holder[]): PoolLimits {
  const copy = new Map(limits);
  for (const claim of claims) copy.set(poolOf(claim.types), leftFor(copy, claim));
  return copy;
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
