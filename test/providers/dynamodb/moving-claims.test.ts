import { expect, test } from 'vitest';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aRecord } from '../../contract/records.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';

test('a claim that is released while it is read is found', async () => {
  let afterFirstRead: (() => Promise<unknown>) | undefined;
  const table = inProcessTable({
    clock: { now: () => NOW_MS },
    faults: {
      around: async (_, go) => {
        const answer = await go();
        const release = afterFirstRead;
        afterFirstRead = undefined;
        await release?.();
        return answer;
      },
    },
  });
  const store = new DynamoDbNodeClaimStore(table);
  await store.createNodeClaim(aRecord());
  afterFirstRead = async () => store.updateNodeClaim({ ...aRecord(), releasedAtMs: NOW_MS });
  expect(await store.readNodeClaim('demo', 'general-a')).toMatchObject({ name: 'general-a' });
  expect(await store.readNodeClaim('demo', 'general-a')).toMatchObject({ releasedAtMs: NOW_MS });
});
