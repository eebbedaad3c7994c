import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import { compareText } from '../../lib/core/compare-text.ts';
import type { Catalogue, RegionalOffering } from '../../lib/core/instance-type/facts.ts';
import { ANY_OFFERING, type UnavailableMark, type UnavailableOffering } from '../../lib/core/model/decision.ts';
import type { CatalogueStore } from '../../lib/ports/catalogue-store.ts';
import { NOW_MS } from '../builders/times.ts';

const SPOT = {
  instanceType: 'm5.large',
  zone: 'us-east-1a',
  capacityType: 'spot',
  atMs: NOW_MS,
  reason: 'InsufficientInstanceCapacity',
} as const;

/** The first mark as it is listed. */
function listedOf({ atMs, ...what }: UnavailableMark): UnavailableOffering {
  return { ...what, markedAtMs: atMs, untilMs: atMs + 3 * MINUTE_MS };
}

/** How long after NOW_MS each capacity type is excluded. */
async function untilOf(store: CatalogueStore, nowMs: number): Promise<Readonly<Record<string, number>>> {
  const listed = await store.listUnavailable(nowMs);
  return Object.fromEntries(listed.map(({ capacityType, untilMs }) => [capacityType, untilMs - NOW_MS]));
}

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

    test('the last written catalogue is read', async () => {
      await store.writeCatalogue(aCatalogue('2026-01-01T00:00:00Z', 3));
      const later = aCatalogue('2026-01-02T00:00:00Z', 2);
      await store.writeCatalogue(later);
      await store.writeCatalogue(later);
      expect(await store.readCatalogue()).toEqual(later);
    });

    test('a catalogue larger than one item of a table is read completely, and so is a smaller one after it', async () => {
      const large = aCatalogue('2026-01-01T00:00:00Z', 12_000);
      await store.writeCatalogue(large);
      expect(await store.readCatalogue()).toEqual(large);
      const small = aCatalogue('2026-01-02T00:00:00Z', 1);
      await store.writeCatalogue(small);
      expect(await store.readCatalogue()).toEqual(small);
    });

    test('a reader gets the catalogue of one of two concurrent writers, never a mixture', async () => {
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

    test('an offering without capacity is listed until its mark expires, separately for each capacity type', async () => {
      const onDemand = { ...SPOT, capacityType: 'on-demand', atMs: NOW_MS - MINUTE_MS } as const;
      await store.markUnavailable([SPOT, onDemand]);
      expect(await untilOf(store, NOW_MS)).toEqual({ 'on-demand': 2 * MINUTE_MS, spot: 3 * MINUTE_MS });
      expect(await untilOf(store, NOW_MS + 2 * MINUTE_MS)).toEqual({ spot: 3 * MINUTE_MS });
      expect(await untilOf(store, NOW_MS + 3 * MINUTE_MS)).toEqual({});
    });

    test('a mark is read as it was written, also for many types or zones (C32)', async () => {
      const subnet = {
        ...SPOT,
        instanceType: ANY_OFFERING,
        subnetId: 'subnet-a',
        reason: 'InsufficientFreeAddressesInSubnet',
      };
      const capacityType = { ...SPOT, instanceType: ANY_OFFERING, zone: ANY_OFFERING };
      const reservation = { ...SPOT, zone: 'us-east-1b', capacityType: 'reserved', reservationId: 'cr-1' } as const;
      const placed = { ...SPOT, zone: 'us-east-1c', placementGroupId: 'pg-1', tenancy: 'dedicated' } as const;
      const unsupported = { ...SPOT, zone: 'us-east-1e', nodeClass: 'dev/default' };
      const large = { ...SPOT, instanceType: ANY_OFFERING, zone: 'us-east-1d', minVcpus: 64 };
      await store.markUnavailable([subnet, capacityType, reservation, placed, large, unsupported]);
      const found = (await store.listUnavailable(NOW_MS)).toSorted((a, b) => compareText(a.zone, b.zone));
      expect(found).toEqual([
        listedOf(capacityType),
        listedOf(subnet),
        listedOf(reservation),
        listedOf(placed),
        listedOf(large),
        listedOf(unsupported),
      ]);
    });

    test('a subnet is full for every capacity type: marks of two are one', async () => {
      const subnet = { ...SPOT, instanceType: ANY_OFFERING, subnetId: 'subnet-a' };
      await store.markUnavailable([subnet]);
      await store.markUnavailable([{ ...subnet, capacityType: 'on-demand' }]);
      expect(await store.listUnavailable(NOW_MS)).toHaveLength(1);
    });

    test('an offering that lacks capacity again just after its mark expired is excluded twice as long', async () => {
      await store.markUnavailable([SPOT]);
      const again = { ...SPOT, atMs: NOW_MS + 3 * MINUTE_MS };
      await store.markUnavailable([again]);
      // The same mark again, as after a repeated decision.
      await store.markUnavailable([again]);
      expect(await untilOf(store, again.atMs)).toEqual({ spot: 9 * MINUTE_MS });
    });

    test('the marks of several clusters at the same time double the duration once', async () => {
      await store.markUnavailable([SPOT]);
      const moments = Array.from({ length: 8 }, (_, index) => NOW_MS + 3 * MINUTE_MS + index * 100);
      await Promise.all(moments.map(async (atMs) => store.markUnavailable([{ ...SPOT, atMs }])));
      const { spot = 0 } = await untilOf(store, NOW_MS + 4 * MINUTE_MS);
      expect(spot).toBeGreaterThanOrEqual(9 * MINUTE_MS);
      expect(spot).toBeLessThan(9 * MINUTE_MS + 1_000);
    });

    test('a late mark does not shorten the duration', async () => {
      await store.markUnavailable([SPOT]);
      await store.markUnavailable([{ ...SPOT, atMs: NOW_MS - 2 * MINUTE_MS }]);
      expect(await untilOf(store, NOW_MS)).toEqual({ spot: 3 * MINUTE_MS });
    });

    test('a request that found no capacity marks all its offerings', async () => {
      const marks = Array.from({ length: 60 }, (_, index) => ({ ...SPOT, instanceType: `m${index}.large` }));
      await store.markUnavailable(marks);
      expect(await store.listUnavailable(NOW_MS)).toHaveLength(60);
      await store.markUnavailable([]);
    });

    describe('learned memory (C4)', () => {
      const lesson = { instanceType: 'm5.large', imageId: 'ami-1', memoryBytes: 8_000, untilMs: NOW_MS + 60_000 };
      const learn = async (...lessons: readonly Partial<typeof lesson>[]) => {
        for (const one of lessons) await store.learnMemory({ ...lesson, ...one }, NOW_MS);
        return store.listLearnedMemory(NOW_MS);
      };

      test('is empty at first', async () => {
        expect(await store.listLearnedMemory(NOW_MS)).toEqual([]);
      });
      test('is stored separately for each type and image', async () => {
        const found = await learn({}, { imageId: 'ami-2', memoryBytes: 7_000 }, { instanceType: 'm5.xlarge' });
        expect(found.map(({ instanceType, imageId }) => `${instanceType} ${imageId}`).toSorted()).toEqual([
          'm5.large ami-1',
          'm5.large ami-2',
          'm5.xlarge ami-1',
        ]);
        expect(found).toContainEqual({ ...lesson, imageId: 'ami-2', memoryBytes: 7_000 });
      });
      test('is the lowest observed value', async () => {
        const less = { memoryBytes: 7_000, untilMs: NOW_MS + 30_000 };
        expect(await learn({}, less, { untilMs: NOW_MS + 90_000 })).toEqual([{ ...lesson, ...less }]);
      });
      test('is kept longer if it is observed again, and never shorter', async () => {
        const later = { untilMs: NOW_MS + 90_000 };
        expect(await learn({}, later, {})).toEqual([{ ...lesson, ...later }]);
      });
      test('expires, and then a higher value can be learned', async () => {
        await learn({});
        expect(await store.listLearnedMemory(lesson.untilMs)).toEqual([]);
        const more = { ...lesson, memoryBytes: 9_000, untilMs: NOW_MS + 120_000 };
        await store.learnMemory(more, lesson.untilMs);
        expect(await store.listLearnedMemory(lesson.untilMs)).toEqual([more]);
      });
    });
  });
}

/** Random names, which compress badly: 12,000 offerings take about 400 KB. */
function aCatalogue(asOf: string, offerings: number): Catalogue {
  return { region: 'us-east-1', asOf, facts: [], offerings: Array.from({ length: offerings }, anOffering) };
}

function anOffering(): RegionalOffering {
  const type = `${randomBytes(20).toString('hex')}.large`;
  return { type, zone: 'us-east-1a', zoneId: 'use1-az1', onDemandUsdPerHour: 0.096 };
}
