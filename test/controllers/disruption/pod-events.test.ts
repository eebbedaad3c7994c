import { expect, test } from 'vitest';
import { SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

test('D12: an event of pods that could not be recorded is recorded five seconds later, not at the next tick', async () => {
  const writes: number[] = [];
  await live({
    catalogue: SMALL_CATALOGUE,
    wrapPorts: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        updateNodeClaim: async (record) => {
          // The first write of such an event is that of disruption.
          if (record.lastPodEventAtMs === undefined) return ports.store.updateNodeClaim(record);
          writes.push(ports.clock.now());
          if (writes.length === 1) throw new UnreachableError('the table does not answer');
          return ports.store.updateNodeClaim(record);
        },
      },
    }),
  });
  const [failed = 0, again = Infinity] = writes;
  expect(again - failed).toBeLessThanOrEqual(6 * SECOND_MS);
});
