import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test } from 'vitest';
import { DynamoDbLeases } from '../../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { aCommand } from '../../builders/decisions.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aLaunchDecision, aRecord, launchedAs } from '../../contract/records.ts';

const client = new DynamoDBClient({ region: 'us-east-1', maxAttempts: 1 });
const dynamo = mockClient(client);
const table = { client, tableName: 'kerf' };
const store = new DynamoDbNodeClaimStore(table);
const leases = new DynamoDbLeases({ ...table, clock: { now: () => NOW_MS } });

beforeEach(() => {
  dynamo.reset();
  dynamo.onAnyCommand().resolves({});
});

/** The sort keys of what was written, those that lapse marked. */
function written(): readonly string[] {
  const writes = dynamo.calls().flatMap(({ args }) => {
    const input: unknown = args[0].input;
    const items = Reflect.get(Object(input), 'TransactItems');
    return Array.isArray(items) ? items.flatMap((item: object) => Object.values(item)) : [input];
  });
  return writes.flatMap((write) => {
    const item = Reflect.get(Object(write), 'Item');
    const key = Reflect.get(Object(write), 'Key');
    const update = String(Reflect.get(Object(write), 'UpdateExpression'));
    if (item === undefined && !update.startsWith('SET')) return [];
    const lapses = 'expiresAt' in Object(item) || update.includes('expiresAt');
    const { sk } = Object(item ?? key);
    return [`${String(sk.S).split('#')[0]}${lapses ? ' lapses' : ''}`];
  });
}

test.each<[string, () => Promise<unknown>, readonly string[]]>([
  ['a decision', () => store.recordDecision(aLaunchDecision(), 0), ['epoch', 'decision', 'open']],
  ['a decision that was carried out', () => store.closeDecision(aLaunchDecision()), ['decision lapses']],
  ['a claim', () => store.createNodeClaim(aRecord()), ['plan lapses', 'claim']],
  ['a launched claim', () => store.updateNodeClaim(launchedAs(aRecord(), 'i-1')), ['claim', 'claim']],
  [
    'a released claim',
    () => store.updateNodeClaim({ ...launchedAs(aRecord(), 'i-1'), releasedAtMs: NOW_MS }),
    ['released lapses', 'claim lapses'],
  ],
  ['a disruption command', () => store.startCommand('demo', aCommand()), ['command']],
  ['a nomination', () => store.nominate('demo', { node: 'n', untilMs: NOW_MS }), ['nomination lapses']],
  ['a lease', async () => await leases.acquire(await leases.see({ cluster: 'demo', work: 'provisioning' })), ['lease']],
])('only history lapses by itself: %s', async (_, write, items) => {
  await write();
  expect(written()).toEqual(items);
});
