import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { NO_MEMORY } from '../../../lib/core/model/disruption/pass-memory.ts';
import type { NodeClaimStore } from '../../../lib/ports/node-claim-store.ts';
import { NOW_MS } from '../../builders/times.ts';

/** What runs keep for later ones. @param made the store of the test, and a cluster without items */
export function keptByRunsContract(made: () => { readonly store: NodeClaimStore; readonly cluster: string }): void {
  describe('what runs keep', () => {
    test('the memory of passes is replaced as a whole; a cluster without one has nothing in it', async () => {
      const { store, cluster } = made();
      expect(await store.readPassMemory(cluster)).toEqual(NO_MEMORY);
      const node = { method: 'fleet', nodeClaim: 'a', inputs: 'abc', times: 2, untilMs: NOW_MS } as const;
      await store.writePassMemory(cluster, { rejected: [node, { ...node, nodeClaim: 'b' }] });
      await store.writePassMemory(cluster, { rejected: [node] });
      expect(await store.readPassMemory(cluster)).toEqual({ ...NO_MEMORY, rejected: [node] });
      expect(await store.readPassMemory(`${cluster}-2`)).toEqual(NO_MEMORY);
    });

    test('a memory of another version, without some of its lists, is read with empty ones', async () => {
      const { store, cluster } = made();
      await store.writePassMemory(cluster, {});
      expect(await store.readPassMemory(cluster)).toEqual(NO_MEMORY);
    });

    test('unused launches are replaced as a whole; a cluster without them has none', async () => {
      const { store, cluster } = made();
      expect(await store.readUnusedLaunches(cluster)).toEqual([]);
      const one = { pod: randomUUID(), launches: 3, firstMs: NOW_MS - 1_000, lastMs: NOW_MS };
      await store.writeUnusedLaunches(cluster, [one, { ...one, pod: randomUUID() }]);
      await store.writeUnusedLaunches(cluster, [one]);
      expect(await store.readUnusedLaunches(cluster)).toEqual([one]);
      expect(await store.readUnusedLaunches(`${cluster}-2`)).toEqual([]);
      await store.writeUnusedLaunches(cluster, []);
      expect(await store.readUnusedLaunches(cluster)).toEqual([]);
    });
  });
}
