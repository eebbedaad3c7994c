import type { Cluster } from '../cluster.ts';
import type { PlannedClaim } from '../planned-claim.ts';
import type { RawNodePool, RawPoolRequirement } from '../raw-documents.ts';
import { type Amounts, amountsOf, billionths, largestOf, shortageOf, sumOf } from '../raw-quantity.ts';
import { CAPACITY_TYPE, ZONE, ZONE_ID } from '../well-known-labels.ts';

/** Checks the limits of a NodePool for all its claims, and minValues for each claim. */
export function checkPools(cluster: Cluster, claims: readonly PlannedClaim[]): readonly string[] {
  const strict = (cluster.snapshot.options?.minValuesPolicy ?? 'Strict') === 'Strict';
  return [
    ...(strict ? claims.flatMap(checkMinValues) : []),
    ...[...Map.groupBy(claims, ({ allowance }) => allowance.pool)].flatMap(([pool, its]) =>
      checkLimits(cluster, pool, its),
    ),
  ];
}

function checkMinValues({ allowance, launch, name, raw }: PlannedClaim): readonly string[] {
  const isCut = raw.instanceTypesCount !== undefined && raw.instanceTypesCount > raw.instanceTypes.length;
  return (allowance.pool.spec.template.spec.requirements ?? []).flatMap((requirement) => {
    const { key, minValues = 0 } = requirement;
    const found = valuesOf(launch, requirement);
    return isCut || found >= minValues
      ? []
      : [`${name}: ${key} has ${found} values over its types, minValues is ${minValues}`];
  });
}

/** B24: distinct values over the types, restricted to those that the claim allows. */
function valuesOf({ types }: PlannedClaim['launch'], { key }: RawPoolRequirement): number {
  const values = types.flatMap(({ labels, offerings }) => {
    switch (key) {
      case ZONE:
        return offerings.map(({ zone }) => zone);
      case ZONE_ID:
        return offerings.map(({ zoneId }) => zoneId);
      case CAPACITY_TYPE:
        return offerings.map(({ capacityType }) => capacityType);
      default:
        return [...(labels.get(key)?.values ?? [])];
    }
  });
  return new Set(values).size;
}

/**
 * Limits include the existing nodes of the pool without those that are being deleted (B23).
 * The rule needs them to hold for the cheapest types; Kerf also keeps them for the largest, because any type may be launched.
 */
function checkLimits(cluster: Cluster, pool: RawNodePool, claims: readonly PlannedClaim[]): readonly string[] {
  const limits = amountsOf(pool.spec.limits);
  const name = pool.metadata.name;
  const there = [...cluster.nodes.values()]
    .filter((node) => node.pool === name && !node.deleting)
    .map(({ capacity }) => withNode(capacity));
  const exceeded = (capacities: readonly Amounts[]): string | undefined => {
    const sum = sumOf(...there, ...capacities);
    const limited = new Map([...limits.keys()].map((key) => [key, sum.get(key) ?? 0n]));
    return shortageOf(limited, limits);
  };
  const cheapest = exceeded(claims.map(cheapestCapacity));
  if (cheapest !== undefined) {
    return [`NodePool ${name} exceeds its limits with the cheapest types: ${cheapest}`];
  }
  const largest = exceeded(
    claims.map(({ launch }) => withNode(largestOf(...launch.types.map((type) => type.capacity)))),
  );
  return largest === undefined
    ? []
    : [`promise: NodePool ${name} may exceed its limits with the largest types: ${largest}`];
}

function cheapestCapacity({ launch, raw }: PlannedClaim): Amounts {
  const named = raw.cheapestOffering?.type ?? raw.instanceTypes[0];
  return withNode(launch.types.find((type) => type.name === named)?.capacity ?? new Map());
}

function withNode(capacity: Amounts): Amounts {
  return sumOf(capacity, new Map([['nodes', billionths(1)]]));
}
