import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Catalogue, RegionalOffering } from '../../lib/core/instance-type/facts.ts';
import type { CatalogueStore } from '../../lib/ports/catalogue-store.ts';
import { NOW_MS } from './records.ts';

export interface CatalogueStoreHarness {
  /** Empty. */
  readonly store: CatalogueStore;
  readonly close?: () => Promise<void>;
}

/** The doc comment of `lib/ports/catalogue-store.ts`, executed. */
export function catalogueStoreContract(name: string, make: () => Promise<CatalogueStoreHarness>): void {
  describe(`CatalogueStore: ${name}`, () => {
    let harness: CatalogueStoreHarness;
    let store: CatalogueStore;
    beforeEach(async () => {
      harness = await make();
      store = harness.store;
    });
    afterEach(() => harness.close?.());

    test('there is no catalogue until one is written', async () => {
      expect(await store.readCatalogue()).toBeUndefined();
    });

    test('what was written last is read', async () => {
      await store.writeCatalogue(aCatalogue('2026-01-01T00:00:00Z', 3));
      const later = aCatalogue('2026-01-02T00:00:00Z', 2);
      await store.writeCatalogue(later);
      await store.writeCatalogue(later);
      expect(await store.readCatalogue()).toEqual(later);
    });

    test('a catalogue larger than one item of a table comes back whole, and so does a smaller one after it', async () => {
      const large = aCatalogue('2026-01-01T00:00:00Z', 12_000);
      await store.writeCatalogue(large);
      expect(await store.readCatalogue()).toEqual(large);
      const small = aCatalogue('2026-01-02T00:00:00Z', 1);
      await store.writeCatalogue(small);
      expect(await store.readCatalogue()).toEqual(small);
    });

    test('a reader beside two writers sees one or the other, never a mixture', async () => {
      const one = aCatalogue('2026-01-01T00:00:00Z', 8_000);
      const other = aCatalogue('2026-01-02T00:00:00Z', 8_000);
      await store.writeCatalogue(one);
      const writes = [store.writeCatalogue(other), store.writeCatalogue(one), store.writeCatalogue(other)];
      const reads = Array.from({ length: 5 }, () => store.readCatalogue());
      const [seen] = await Promise.all([Promise.all(reads), Promise.all(writes)]);
      for (const catalogue of [...seen, await store.readCatalogue()]) {
        expect(catalogue).toEqual(catalogue?.asOf === one.asOf ? one : other);
      }
    });

    test('an offering without capacity is listed until it lapses, each capacity type by itself', async () => {
      const offering = { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' } as const;
      const spot = { ...offering, untilMs: NOW_MS + 180_000, reason: 'InsufficientInstanceCapacity' };
      const onDemand = { ...spot, capacityType: 'on-demand', untilMs: NOW_MS + 60_000 } as const;
      await store.markUnavailable(spot);
      await store.markUnavailable(onDemand);
      const found = (await store.listUnavailable(NOW_MS)).toSorted((a, b) => a.untilMs - b.untilMs);
      expect(found).toEqual([onDemand, spot]);
      expect(await store.listUnavailable(NOW_MS + 60_000)).toEqual([spot]);
      expect(await store.listUnavailable(NOW_MS + 180_000)).toEqual([]);
    });

    test('an offering marked twice is unavailable until the later of the two', async () => {
      const offering = { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot', reason: 'a' } as const;
      await store.markUnavailable({ ...offering, untilMs: NOW_MS + 180_000 });
      await store.markUnavailable({ ...offering, untilMs: NOW_MS + 60_000 });
      expect(await store.listUnavailable(NOW_MS)).toEqual([{ ...offering, untilMs: NOW_MS + 180_000 }]);
    });
  });
}

/** Names are random, so that it does not shrink when compressed: 12,000 offerings take some 400 KB. */
function aCatalogue(asOf: string, offerings: number): Catalogue {
  return { region: 'us-east-1', asOf, facts: [], offerings: Array.from({ length: offerings }, anOffering) };
}

function anOffering(): RegionalOffering {
  const type = `${randomBytes(20).toString('hex')}.large`;
  return { type, zone: 'us-east-1a', zoneId: 'use1-az1', onDemandUsdPerHour: 0.096 };
}
