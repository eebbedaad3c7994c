import { HOUR_MS, parseTime } from '../../../apis/formats/time.ts';
import { optional } from '../../../apis/optional.ts';
import type { Catalogue, RegionalOffering } from '../facts.ts';

export interface PriceSources {
  /** By type; undefined if they could not be read. */
  readonly onDemand: ReadonlyMap<string, number> | undefined;
  /** By `type zone`; undefined if they could not be read. */
  readonly spot: ReadonlyMap<string, number> | undefined;
  /** The current catalogue. Its prices stay if new ones could not be read. */
  readonly previous: Catalogue | undefined;
  /** The bundled on-demand prices, by type. */
  readonly shipped: ReadonlyMap<string, number>;
}

/**
 * A catalogue with the most recent prices. *Cost:* O(offerings).
 * *Source:* C28: an on-demand price is the one just read, else the last one read, else the bundled one. C29: new spot prices
 * replace all former ones, because a zone without a spot price has no spot offering. Until spot prices are read for the first
 * time, the on-demand prices are used.
 */
export function pricedCatalogue(catalogue: Catalogue, sources: PriceSources): Catalogue {
  const { onDemand, spot, previous, shipped } = sources;
  const before = new Map(previous?.offerings.map((one) => [`${one.type} ${one.zone}`, one]));
  const wasSpotRead = spot !== undefined || previous?.spotAsOf !== undefined;
  const offerings = catalogue.offerings.map((one): RegionalOffering => {
    const place = `${one.type} ${one.zone}`;
    const last = before.get(place);
    const onDemandUsdPerHour = onDemand?.get(one.type) ?? last?.onDemandUsdPerHour ?? shipped.get(one.type);
    const spotUsdPerHour = spot === undefined ? last?.spotUsdPerHour : spot.get(place);
    return { ...one, onDemandUsdPerHour, spotUsdPerHour: wasSpotRead ? spotUsdPerHour : onDemandUsdPerHour };
  });
  const onDemandAsOf = onDemand === undefined ? previous?.onDemandAsOf : catalogue.asOf;
  const spotAsOf = spot === undefined ? previous?.spotAsOf : catalogue.asOf;
  const spotUnreadSince = wasSpotRead ? undefined : (previous?.spotUnreadSince ?? previous?.asOf ?? catalogue.asOf);
  return {
    ...catalogue,
    ...optional({ onDemandAsOf, spotAsOf, spotUnreadSince }),
    offerings,
  };
}

/** Whether the catalogue has spot prices that were read: before the first read, on-demand prices are in their place. */
export function hasSpotPrices(catalogue: Catalogue | undefined): boolean {
  const isRead = catalogue?.spotAsOf !== undefined;
  return isRead && catalogue.offerings.some(({ spotUsdPerHour }) => spotUsdPerHour !== undefined);
}

/** Prices are read twice a day, so two failures in a row are not reported here. */
const MAX_AGE_MS = 30 * HOUR_MS;

/**
 * Which prices of the catalogue are too old to decide by. On-demand prices that were never read do not count: the bundled ones are used, as
 * in a region without a price list. Without spot prices, on-demand prices are in their place, as if spot capacity saved nothing.
 * *Shape:* undefined if none are.
 */
export function whyTooOld({ asOf, onDemandAsOf, spotAsOf, spotUnreadSince }: Catalogue): string | undefined {
  const kinds = [
    [onDemandAsOf, (hours: number) => `on-demand prices are ${hours} hours old`],
    [spotAsOf, (hours: number) => `spot prices are ${hours} hours old`],
    [spotUnreadSince, (hours: number) => `spot prices were never read, for ${hours} hours`],
  ] as const;
  const old = kinds.flatMap(([sinceTime, inWords]) => {
    const ageMs = sinceTime === undefined ? 0 : parseTime(asOf) - parseTime(sinceTime);
    return ageMs > MAX_AGE_MS ? [inWords(Math.floor(ageMs / HOUR_MS))] : [];
  });
  return old.length === 0 ? undefined : old.join(', ');
}
