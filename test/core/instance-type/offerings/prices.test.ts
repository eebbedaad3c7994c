import { describe, expect, test } from 'vitest';
import type { Catalogue } from '../../../../lib/core/instance-type/facts.ts';
import { type PriceSources, pricedCatalogue, whyTooOld } from '../../../../lib/core/instance-type/offerings/prices.ts';

const PLACES = ['us-east-1a', 'us-east-1b'];

function described(asOf: string): Catalogue {
  const offerings = PLACES.map((zone) => ({ type: 'm5.large', zone, zoneId: zone }));
  return { region: 'us-east-1', asOf, facts: [], offerings };
}

function priced(asOf: string, over: Partial<PriceSources> = {}): Catalogue {
  const none = { onDemand: undefined, spot: undefined, previous: undefined, shipped: new Map() };
  return pricedCatalogue(described(asOf), { ...none, ...over });
}

const onDemandOf = ({ offerings }: Catalogue) => offerings.map((one) => one.onDemandUsdPerHour);
const spotOf = ({ offerings }: Catalogue) => offerings.map((one) => one.spotUsdPerHour);

const READ = {
  onDemand: new Map([['m5.large', 0.096]]),
  spot: new Map([['m5.large us-east-1a', 0.04]]),
};

describe('on-demand prices (C28)', () => {
  test('a price that was just read stands in every zone', () => {
    expect(onDemandOf(priced('t1', { onDemand: READ.onDemand, shipped: new Map([['m5.large', 1]]) }))).toEqual([
      0.096, 0.096,
    ]);
  });

  test('where none can be read, the last one read stands, and else the shipped one', () => {
    const previous = priced('t1', { onDemand: READ.onDemand });
    const shipped = new Map([['m5.large', 0.1]]);
    expect(onDemandOf(priced('t2', { previous, shipped }))).toEqual([0.096, 0.096]);
    expect(onDemandOf(priced('t2', { shipped }))).toEqual([0.1, 0.1]);
    expect(onDemandOf(priced('t2'))).toEqual([undefined, undefined]);
  });

  test('a type that the list lacks keeps the price that is known', () => {
    expect(onDemandOf(priced('t1', { onDemand: new Map(), shipped: new Map([['m5.large', 0.1]]) }))).toEqual([
      0.1, 0.1,
    ]);
  });
});

describe('spot prices (C29)', () => {
  test('each zone has its own, and a zone without one sells none', () => {
    expect(spotOf(priced('t1', READ))).toEqual([0.04, undefined]);
  });

  test('before the first were read, the on-demand price stands for them', () => {
    expect(spotOf(priced('t1', { onDemand: READ.onDemand }))).toEqual([0.096, 0.096]);
  });

  test('where none can be read, the last ones read stand, gaps included', () => {
    const previous = priced('t1', READ);
    expect(spotOf(priced('t2', { onDemand: READ.onDemand, previous }))).toEqual([0.04, undefined]);
  });

  test('what stood for them once is replaced by on-demand prices of today, not kept as if it had been read', () => {
    const previous = priced('t1', { onDemand: READ.onDemand });
    expect(spotOf(priced('t2', { onDemand: new Map([['m5.large', 0.2]]), previous }))).toEqual([0.2, 0.2]);
  });
});

const day = (date: number, hour = '00'): string => `2026-11-0${date}T${hour}:00:00Z`;

test('spot prices that were never read are too old after 30 hours, and on-demand prices are not: some regions have no list', () => {
  const first = priced(day(1), { onDemand: READ.onDemand });
  const later = (asOf: string) => whyTooOld(priced(asOf, { onDemand: READ.onDemand, previous: first }));
  expect(later(day(2, '06'))).toBeUndefined();
  expect(later(day(2, '07'))).toBe('spot prices were never read, for 31 hours');
  const { spotUnreadSince: _, ...ofEarlierVersion } = first;
  const next = priced(day(3), { onDemand: READ.onDemand, previous: ofEarlierVersion });
  expect(next.spotUnreadSince).toBe(day(1));
  expect(priced(day(4), { ...READ, previous: next })).not.toHaveProperty('spotUnreadSince');
  expect(whyTooOld(priced(day(4), { spot: READ.spot, previous: priced(day(1), { spot: READ.spot }) }))).toBeUndefined();
});

test('it is said when each kind of price was read from AWS, and not where it never was', () => {
  const first = priced('t1', READ);
  expect(first).toMatchObject({ asOf: 't1', onDemandAsOf: 't1', spotAsOf: 't1' });
  const second = priced('t2', { spot: READ.spot, previous: first });
  expect(second).toMatchObject({ asOf: 't2', onDemandAsOf: 't1', spotAsOf: 't2' });
  expect(priced('t1')).not.toHaveProperty('spotAsOf');
});
