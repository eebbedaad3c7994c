import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { DynamoDbDecisionLog } from '../../lib/providers/dynamodb/decision-log.ts';
import { DynamoDbNodeClaimStore } from '../../lib/providers/dynamodb/node-claim-store.ts';
import { decisionLogContract } from '../contract/decisions/decision-log.ts';
import { nodeClaimStoreContract } from '../contract/node-claim-store.ts';
import { aRecord } from '../contract/records.ts';
import { DYNAMODB, testBucket, testTable } from './table.ts';

const bucket = testBucket();

for (const [name, configuration] of Object.entries(DYNAMODB)) {
  nodeClaimStoreContract(name, async () => {
    const { close, ...table } = await testTable(configuration);
    return { store: new DynamoDbNodeClaimStore({ ...table, bodies: (await bucket).bodies }), close };
  });

  decisionLogContract(name, async () => {
    const { close, ...table } = await testTable(configuration);
    const { archive } = await bucket;
    return { log: new DynamoDbDecisionLog({ ...table, archive }), archive, close };
  });

  test(`a list longer than one page of DynamoDB is complete: ${name}`, async () => {
    const { close, ...table } = await testTable(configuration);
    const store = new DynamoDbNodeClaimStore(table);
    // A page holds 1 MB; random text does not shrink.
    const names = Array.from({ length: 15 }, (_, index) => `claim-${String(index).padStart(2, '0')}`);
    const pods = [randomBytes(75_000).toString('hex')];
    await Promise.all(names.map((each) => store.createNodeClaim(aRecord({ name: each, pods }))));
    expect((await store.listNodeClaims('demo')).map((each) => each.name)).toEqual(names);
    await close();
  });
}
