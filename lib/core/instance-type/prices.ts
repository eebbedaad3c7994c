import type { Catalogue, RegionalOffering } from './facts.ts';

export interface PriceSources {
  /** By type; undefined where they could not be read just now. */
  readonly onDemand: ReadonlyMap<string, number> | undefined;
  /** By `type zone`; undefined where they could not be read just now. */
  readonly spot: ReadonlyMap<string, number> | undefined;
  /** The catalogue in force: its prices stay where none could be read. */
  readonly previous: Catalogue | undefined;
  /** The table that comes with Kerf, by type. */
  readonly shipped: ReadonlyMap<string, number>;
}

/**
 * A catalogue with the best prices that are known. *Cost:* O(offerings).
 * *Source:* C28: an on-demand price is the one just read, else the last one read, else the shipped one. C29: spot prices
 * replace one another as a whole, since a zone without one sells none; before the first were read, on-demand stands for them.
 */
export function pricedCatalogue(catalogue: Catalogue, sources: PriceSources): Catalogue {
  const { onDemand, spot, previous, shipped } = sources;
  const before = new Map(previous?.offerings.map((one) => [`${one.type} ${one.zone}`, one]));
  const knowsSpot = spot !== undefined || previous?.spotAsOf !== undefined;
  const offerings = catalogue.offerings.map((one): RegionalOffering => {
    const place = `${one.type} ${one.zone}`;
    const last = before.get(place);
    const onDemandUsdPerHour = onDemand?.get(one.type) ?? last?.onDemandUsdPerHour ?? shipped.get(one.type);
    const spotUsdPerHour = spot === undefined ? last?.spotUsdPerHour : spot.get(place);
    return { ...one, onDemandUsdPerHour, spotUsdPerHour: knowsSpot ? spotUsdPerHour : onDemandUsdPerHour };
  });
  const onDemandAsOf = onDemand === undefined ? previous?.onDemandAsOf : catalogue.asOf;
  const spotAsOf = spot === undefined ? previous?.spotAsOf : catalogue.asOf;
  return {
    ...catalogue,
    ...(onDemandAsOf === undefined ? {} : { onDemandAsOf }),
    ...(spotAsOf === undefined ? {} : { spotAsOf }),
    offerings,
  };
}
