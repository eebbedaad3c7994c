import type { Catalogue } from '../../core/instance-type/facts.ts';
import type { Pricing } from '../../ports/pricing.ts';

/** The prices of the catalogue, which do not change. */
export function simulatedPricing({ offerings }: Catalogue): Pricing {
  const priced = offerings.map(({ type, zone, onDemandUsdPerHour, spotUsdPerHour }) => ({
    type,
    place: `${type} ${zone}`,
    onDemandUsdPerHour,
    spotUsdPerHour,
  }));
  return {
    onDemandPrices: async () => pricesBy(priced.map((one) => [one.type, one.onDemandUsdPerHour])),
    spotPrices: async () => pricesBy(priced.map((one) => [one.place, one.spotUsdPerHour])),
  };
}

function pricesBy(prices: readonly (readonly [string, number | undefined])[]): ReadonlyMap<string, number> {
  return new Map(prices.flatMap(([key, price]) => (price === undefined ? [] : [[key, price] as const])));
}
