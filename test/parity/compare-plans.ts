import type { RawPlan } from './verifier/raw-documents.ts';

/** The differences of two plans for the same snapshot: placed pods and price. */
export interface PlanComparison {
  /** Pods that only their plan places. */
  readonly onlyTheirs: readonly string[];
  readonly onlyOurs: readonly string[];
  readonly ourPrice: number;
  readonly theirPrice: number;
  /** Our price divided by theirs; 1 if both are 0. */
  readonly priceRatio: number;
}

export function comparePlans(ours: RawPlan, theirs: RawPlan): PlanComparison {
  const placedByUs = placedIn(ours);
  const placedByThem = placedIn(theirs);
  const ourPrice = priceOf(ours);
  const theirPrice = priceOf(theirs);
  return {
    onlyTheirs: [...placedByThem].filter((pod) => !placedByUs.has(pod)).toSorted(),
    onlyOurs: [...placedByUs].filter((pod) => !placedByThem.has(pod)).toSorted(),
    ourPrice,
    theirPrice,
    priceRatio: ourPrice === theirPrice ? 1 : ourPrice / theirPrice,
  };
}

function placedIn({ newNodeClaims, existing = [] }: RawPlan): ReadonlySet<string> {
  return new Set([...newNodeClaims, ...existing].flatMap(({ pods }) => pods));
}

function priceOf({ newNodeClaims }: RawPlan): number {
  return newNodeClaims.reduce((total, { cheapestOffering }) => total + (cheapestOffering?.price ?? 0), 0);
}
