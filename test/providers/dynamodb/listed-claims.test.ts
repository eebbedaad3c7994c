import { expect, test } from 'vitest';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aRecord } from '../../contract/records.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';

function aTable() {
  return inProcessTable({ clock: { now: () => NOW_MS } });
}

test('a claim that has not changed since the last list is the same object; a changed claim is read', async () => {
  const table = aTable();
  const [reader, writer] = [new DynamoDbNodeClaimStore(table), new DynamoDbNodeClaimStore(table)];
  await writer.createNodeClaim(aRecord({ name: 'general-a' }));
  await writer.createNodeClaim(aRecord({ name: 'general-b' }));
  const [a, b] = await reader.listNodeClaims('demo');
  await writer.updateNodeClaim({ ...aRecord({ name: 'general-b' }), registeredAtMs: NOW_MS });
  const [sameA, newB] = await reader.listNodeClaims('demo');
  expect(sameA).toBe(a);
  expect(b).not.toHaveProperty('registeredAtMs');
  expect(newB).toMatchObject({ name: 'general-b', registeredAtMs: NOW_MS });
});

test('a version that comes again with other content is read: the table was restored', async () => {
  const table = aTable();
  const [reader, writer] = [new DynamoDbNodeClaimStore(table), new DynamoDbNodeClaimStore(table)];
  const empty = table.snapshot();
  await writer.createNodeClaim(aRecord());
  const [before] = await reader.listNodeClaims('demo');
  table.restore(empty);
  await writer.createNodeClaim(aRecord({ nodePool: 'other' }));
  const [after] = await reader.listNodeClaims('demo');
  expect(after?.version).toBe(before?.version);
  expect(after?.nodePool).toBe('other');
});
