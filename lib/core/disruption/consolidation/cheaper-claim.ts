import { counted } from '../../../apis/counted.ts';
import { CAPACITY_TYPE, CAPACITY_TYPES, type CapacityType } from '../../../apis/labels.ts';
import { compareText } from '../../compare-text.ts';
import { placeFilter } from '../../instance-type/offerings/compatible-offerings.ts';
import { valuesOf } from '../../instance-type/type-requirements.ts';
import { onceFor } from '../../kept-answers.ts';
import type { InstanceType, Offering } from '../../model/instance-type.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { admits, inRequirement } from '../../requirements/requirement.ts';
import { type Requirements, withRequirement } from '../../requirements/requirements.ts';
import { memoize } from '../../scheduling/memoize.ts';
import type { PlannedNodeClaim } from '../../scheduling/schedule.ts';

/** The claim, with only the types that cost less; or the lowest price of a type, if none does. */
export type CheaperClaim =
  | { readonly kind: 'cheaper'; readonly claim: PlannedNodeClaim }
  | { readonly kind: 'none'; readonly fromUsdPerHour: number };

/**
 * Keeps the types that cost less than a price, in whatever zone they are launched. A claim that may be spot or on-demand is fixed
 * to spot if one of these types has spot capacity, because on-demand nodes of the same types may cost more (E23).
 * *Shape:* the claim with its types in the order of price; ties by name. *Source:* E22, E23. *Cost:* O(offerings of its types).
 */
export function cheaperClaim(claim: PlannedNodeClaim, maxUsdPerHour: number): CheaperClaim {
  const { requirements } = claim;
  const capacityTypes = mayBe(requirements);
  const priced = claim.instanceTypes.map((type) => ({ type, price: worstLaunchPrice(requirements)(type) }));
  const kept = priced.flatMap(({ type, price }) => (price < maxUsdPerHour ? [type] : []));
  const isSpot =
    capacityTypes.has('spot') &&
    kept.some((type) => cheapestOffering(fixedTo(requirements)('spot'))(type) !== undefined);
  const fixed = capacityTypes.has('spot') && capacityTypes.has('on-demand');
  const narrowed = fixed ? fixedTo(requirements)(isSpot ? 'spot' : 'on-demand') : requirements;
  const cheaper = withTypes(claim, kept, narrowed);
  return cheaper === undefined
    ? { kind: 'none', fromUsdPerHour: Math.min(...priced.map(({ price }) => price)) }
    : { kind: 'cheaper', claim: cheaper };
}

/**
 * Keeps the types with which several claims together cost less than a price, in whatever zones they are launched. Half of what is
 * saved at least is kept: a claim may cost more than its cheapest type by its share of the other half.
 * *Shape:* undefined if the claims may cost as much as the price. *Source:* E22, E23.
 */
export function cheaperClaims(
  claims: readonly PlannedNodeClaim[],
  maxUsdPerHour: number,
): readonly PlannedNodeClaim[] | undefined {
  const least = claims.map(leastUsdPerHour);
  const sum = least.reduce((total, price) => total + price, 0);
  if (!(sum < maxUsdPerHour)) return undefined;
  const ratio = (1 + maxUsdPerHour / sum) / 2;
  const cheaper = claims.flatMap((claim, at) => {
    const found = cheaperClaim(claim, (least[at] ?? 0) * ratio);
    return found.kind === 'cheaper' ? [found.claim] : [];
  });
  return cheaper.length === claims.length ? cheaper : undefined;
}

/** E22: the price that a claim with only one of its types may cost, in whatever zone it is launched. */
export function leastUsdPerHour({ instanceTypes, requirements }: PlannedNodeClaim): number {
  const priceOf = worstLaunchPrice(requirements);
  return instanceTypes.reduce((least, type) => Math.min(least, priceOf(type)), Number.POSITIVE_INFINITY);
}

/** E24: the claim, fixed to spot. *Shape:* undefined if none of its types has spot capacity. */
export function spotClaim(claim: PlannedNodeClaim): PlannedNodeClaim | undefined {
  return withTypes(claim, claim.instanceTypes, fixedTo(claim.requirements)('spot'));
}

/** The claim with the first of its types only. */
export function withFirstTypes(claim: PlannedNodeClaim, count: number): PlannedNodeClaim {
  return { ...claim, instanceTypes: claim.instanceTypes.slice(0, count) };
}

/** The claim with only the named types. *Shape:* undefined if one of them is not among its types. */
export function withTypesNamed(claim: PlannedNodeClaim, names: readonly string[]): PlannedNodeClaim | undefined {
  const wanted = new Set(names);
  const types = claim.instanceTypes.filter(({ name }) => wanted.has(name));
  return types.length === wanted.size ? withTypes(claim, types, claim.requirements) : undefined;
}

/** B24: why too few types are left. A claim for which minValues was already relaxed has no such limit. */
export function whyInflexible({ template, instanceTypes, minValuesRelaxed }: PlannedNodeClaim): Refusal | undefined {
  if (minValuesRelaxed) return undefined;
  for (const { key, count } of template.minValues) {
    const values = new Set(instanceTypes.flatMap((type) => valuesOf(type, key))).size;
    if (values < count)
      return refusal(
        'MinValues',
        `the ${counted(instanceTypes.length, 'instance type')} that would cost less have ${counted(values, 'value')} of ${key}, and minValues requires ${count}`,
        { instanceTypes: instanceTypes.length, values, minValues: count },
      );
  }
  return undefined;
}

/** The number of the first types that together satisfy minValues. */
export function typesForMinValues({ template, instanceTypes }: PlannedNodeClaim): number {
  const needed = template.minValues.map(({ key, count }) => {
    const values = new Set<string>();
    const last = instanceTypes.findIndex((type) => {
      for (const value of valuesOf(type, key)) values.add(value);
      return values.size >= count;
    });
    return last === -1 ? instanceTypes.length : last + 1;
  });
  return Math.max(0, ...needed);
}

/**
 * E22: the most expensive offering of the capacity type that would be launched: reserved before spot before on-demand. *Shape:*
 * Infinity without an available offering. *Cost:* each type once for the same requirements, which many claims share.
 */
const worstLaunchPrice = onceFor((requirements: Requirements) => {
  const meets = placeFilter(requirements);
  const capacityTypes = mayBe(requirements);
  // B38: a claim that holds a reservation is fixed to it. Any other claim cannot use reserved capacity.
  const isReserved = capacityTypes.size === 1 && capacityTypes.has('reserved');
  const order: readonly CapacityType[] = isReserved ? ['reserved'] : ['spot', 'on-demand'];
  return memoize(({ offerings }: InstanceType): number => {
    const worst = new Map<CapacityType, number>();
    for (const offering of offerings) {
      const { capacityType, priceUsdPerHour, available } = offering;
      if (available && meets(offering))
        worst.set(capacityType, Math.max(priceUsdPerHour, worst.get(capacityType) ?? 0));
    }
    const launched = order.find((capacityType) => worst.has(capacityType));
    return launched === undefined ? Number.POSITIVE_INFINITY : (worst.get(launched) ?? 0);
  });
});

/** Whether the requirements of the claim allow spot capacity. */
export function mayBeSpot({ requirements }: Pick<PlannedNodeClaim, 'requirements'>): boolean {
  return mayBe(requirements).has('spot');
}

/** The capacity types that the requirements allow. */
function mayBe(requirements: Requirements): ReadonlySet<CapacityType> {
  const required = requirements.get(CAPACITY_TYPE);
  return new Set(CAPACITY_TYPES.filter((one) => required === undefined || admits(required, one)));
}

const fixedTo = onceFor((requirements: Requirements) =>
  memoize((capacityType: CapacityType) => withRequirement(requirements, inRequirement(CAPACITY_TYPE, [capacityType]))),
);

/** The claim with these requirements, and those of the types that have an offering. *Shape:* undefined if none has one. */
function withTypes(
  claim: PlannedNodeClaim,
  types: readonly InstanceType[],
  requirements: Requirements,
): PlannedNodeClaim | undefined {
  const options = types
    .flatMap((type) => {
      const offering = cheapestOffering(requirements)(type);
      return offering === undefined ? [] : [{ type, offering }];
    })
    .toSorted(
      (a, b) => a.offering.priceUsdPerHour - b.offering.priceUsdPerHour || compareText(a.type.name, b.type.name),
    );
  const [cheapest] = options;
  return cheapest === undefined
    ? undefined
    : { ...claim, requirements, instanceTypes: options.map(({ type }) => type), cheapest };
}

const cheapestOffering = onceFor((requirements: Requirements) => {
  const meets = placeFilter(requirements);
  return memoize(({ offerings }: InstanceType): Offering | undefined =>
    offerings
      .filter((offering) => offering.available && meets(offering))
      .toSorted(byPriceAndPlace)
      .at(0),
  );
});

/** B26. */
function byPriceAndPlace(a: Offering, b: Offering): number {
  return (
    a.priceUsdPerHour - b.priceUsdPerHour || compareText(a.zone, b.zone) || compareText(a.capacityType, b.capacityType)
  );
}
