import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { DynamoDbNodeClaimStore } from '../../lib/providers/dynamodb/node-claim-store.ts';
import { nodeClaimStoreContract } from '../contract/node-claim-store.ts';
import { aRecord } from '../contract/records.ts';
import { testTable } from './table.ts';

nodeClaimStoreContract('DynamoDB', async () => {
  const { close, ...table } = await testTable();
  return { store: new DynamoDbNodeClaimStore(table), close };
});

test('a list longer than one page of DynamoDB is whole', async () => {
  const { close, ...table } = await testTable();
  const store = new DynamoDbNodeClaimStore(table);
  // A page holds 1 MB; random text does not shrink.
  const names = Array.from({ length: 15 }, (_, index) => `claim-${String(index).padStart(2, '0')}`);
  const pods = [randomBytes(75_000).toString('hex')];
  await Promise.all(names.map((name) => store.createNodeClaim(aRecord({ name, pods }))));
  expect((await store.listNodeClaims('demo')).map(({ name }) => name)).toEqual(names);
  await close();
});
