import { expect, test } from 'vitest';
import { SECOND_MS } from '../../lib/apis/formats/time.ts';
import type { Catalogue } from '../../lib/core/instance-type/facts.ts';
import { live, SMALL_CATALOGUE } from '../controllers/life.ts';

test('pods that wait for the first catalogue are planned ten seconds after it is written, at the latest', async () => {
  let [requests, writtenAtMs, plannedAtMs] = [0, Infinity, Infinity];
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    wrapPorts: (ports) => {
      const startMs = ports.clock.now();
      // It becomes readable just after a tick.
      const readableAtMs = startMs + 62 * SECOND_MS;
      const readCatalogue = async (): Promise<Catalogue | undefined> => {
        if (ports.clock.now() < readableAtMs) return undefined;
        writtenAtMs = Math.min(writtenAtMs, readableAtMs);
        return ports.catalogue.readCatalogue();
      };
      return {
        ...ports,
        catalogue: { ...ports.catalogue, readCatalogue },
        store: {
          ...ports.store,
          createNodeClaim: async (record) => {
            plannedAtMs = Math.min(plannedAtMs, ports.clock.now());
            return ports.store.createNodeClaim(record);
          },
        },
        messages: {
          ...ports.messages,
          wake: async (target, wake, delayMs) => {
            if (target === 'catalogue' && ports.clock.now() < readableAtMs) requests += 1;
            return ports.messages.wake(target, wake, delayMs);
          },
        },
      };
    },
  });
  expect(result.podsPending).toEqual([]);
  expect(plannedAtMs - writtenAtMs).toBeLessThan(15 * SECOND_MS);
  // The deployment, the wakes of the pods and a tick request it, and the polls do not.
  expect(requests).toBeLessThanOrEqual(4);
});
