import { expect, test } from 'vitest';
import { SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aRecord } from '../../contract/records.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';

test('after a restore of the table, a deletion that is recorded again by the same process is found by the next tick', async () => {
  const table = inProcessTable({ clock: { now: () => NOW_MS } });
  const store = new DynamoDbNodeClaimStore(table);
  const claim = aRecord({ name: 'general-a' });
  await store.createNodeClaim(claim);
  const restored = table.snapshot();
  const deleted = (requestedAtMs: number) => ({
    ...claim,
    deletion: { reason: 'expired', message: 'older', requestedAtMs } as const,
  });
  await store.updateNodeClaim(deleted(NOW_MS));
  table.restore(restored);
  expect(await store.hasDeletedClaims('demo')).toBe(false);
  await store.updateNodeClaim(deleted(NOW_MS + 30 * SECOND_MS));
  expect(await store.hasDeletedClaims('demo')).toBe(true);
});
