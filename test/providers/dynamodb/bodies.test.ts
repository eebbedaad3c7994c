import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { marshall } from '@aws-sdk/util-dynamodb';
import { sdkStreamMixin } from '@smithy/core/serde';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { type Bodies, BodyBucket, BucketArchive } from '../../../lib/providers/dynamodb/body-bucket.ts';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { HOUR, NOW_MS } from '../../builders/times.ts';
import { aLaunchDecision, aRecord } from '../../contract/records.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';
import { memoryBodies } from '../../fakes/memory-bodies.ts';

const client = new DynamoDBClient({ region: 'us-east-1', maxAttempts: 1 });
const s3Client = new S3Client({ region: 'us-east-1', maxAttempts: 1 });
const dynamo = mockClient(client);
const s3 = mockClient(s3Client);
const bodies = new BodyBucket({ client: s3Client, bucket: 'bodies' });
const reported: string[] = [];
const report = ({ message }: Error): void => void reported.push(message);
const store = new DynamoDbNodeClaimStore({ client, tableName: 'kerf', bodies, report });

const pods = [randomBytes(400_000).toString('hex')];
const large = aLaunchDecision({ actions: [{ kind: 'create-node-claim', nodeClaim: aRecord({ pods }) }] });

beforeEach(() => {
  dynamo.reset();
  reported.length = 0;
  s3.reset();
  dynamo.on(GetItemCommand).resolves({});
  dynamo.on(TransactWriteItemsCommand).resolves({});
  dynamo.on(UpdateItemCommand).resolves({});
  s3.on(PutObjectCommand).resolves({});
});

describe('the body of a decision that no item can hold', () => {
  test('is written before the item that names it, and the item names it by its content', async () => {
    const order: string[] = [];
    s3.on(PutObjectCommand).callsFake(() => void order.push('body'));
    dynamo.on(TransactWriteItemsCommand).callsFake(() => void order.push('item'));
    await store.recordDecision(large, 0);
    await store.recordDecision(large, 0);
    expect(order).toEqual(['body', 'item', 'body', 'item']);
    const keys = s3.commandCalls(PutObjectCommand).map(({ args }) => args[0].input.Key);
    expect(new Set(keys).size).toBe(1);
    const header = dynamo.commandCalls(TransactWriteItemsCommand)[0]?.args[0].input.TransactItems?.[1]?.Put?.Item;
    expect(header).toEqual(marshall({ pk: 'cluster#demo', sk: 'decision#decision-1', payloadKey: keys[0] }));
  });

  test('that cannot be written leaves no item that names it', async () => {
    s3.on(PutObjectCommand).rejects(Object.assign(new Error('slow'), { name: 'SlowDown', $metadata: {} }));
    await expect(store.recordDecision(large, 0)).rejects.toBeInstanceOf(UnreachableError);
    expect(dynamo.commandCalls(TransactWriteItemsCommand)).toEqual([]);
  });

  test('is missed by name where it is gone', async () => {
    dynamo.on(QueryCommand).resolves({ Items: [marshall({ pk: 'cluster#demo', sk: 'open#decision-1' })] });
    const header = marshall({ pk: 'cluster#demo', sk: 'decision#decision-1', payloadKey: 'bodies/abc' });
    dynamo.on(GetItemCommand).resolves({ Item: header });
    s3.on(GetObjectCommand).rejects(new NoSuchKey({ message: 'gone', $metadata: { httpStatusCode: 404 } }));
    expect(await store.openDecisions('demo')).toEqual([]);
    expect(reported).toEqual([expect.stringMatching(/decision#decision-1 has no body.*bodies\/abc does not exist/)]);
  });

  test('is written again by each run that reads the open decision, so that it does not expire before the decision is closed', async () => {
    const memory = memoryBodies();
    const written: string[] = [];
    const counted: Bodies = {
      put: async (body) => {
        const key = await memory.put(body);
        written.push(key);
        return key;
      },
      get: async (key, subject) => await memory.get(key, subject),
    };
    const there = new DynamoDbNodeClaimStore({ ...inProcessTable({ clock: { now: () => NOW_MS } }), bodies: counted });
    await there.recordDecision(large, 0);
    for (const runs of [2, 3]) {
      expect(await there.openDecisions('demo')).toMatchObject([{ id: 'decision-1' }]);
      expect(written).toHaveLength(runs);
    }
    expect(new Set(written).size).toBe(1);
  });

  test.each([
    ['cannot be written again is read nevertheless', { method: 'put', name: 'SlowDown', open: ['decision-1'] }],
    ['may not be written again is read nevertheless', { method: 'put', name: 'AccessDenied', open: ['decision-1'] }],
    ['may not be read is left out and reported', { method: 'get', name: 'AccessDenied', open: [] }],
  ] as const)(
    'of an open decision that %s, so that the runs of the cluster go on',
    async (_, { method, name, open }) => {
      const memory = memoryBodies();
      const there: Bodies = {
        put: async (body) => (method === 'put' ? bodies : memory).put(body),
        get: async (key, subject) => (method === 'get' ? bodies : memory).get(key, subject),
      };
      const thrown = Object.assign(new Error('scripted'), {
        name,
        $metadata: { httpStatusCode: name === 'SlowDown' ? 503 : 403 },
      });
      s3.on(PutObjectCommand).rejects(thrown);
      s3.on(GetObjectCommand).rejects(thrown);
      const table = inProcessTable({ clock: { now: () => NOW_MS } });
      await new DynamoDbNodeClaimStore({ ...table, bodies: memory }).recordDecision(large, 0);
      const reading = new DynamoDbNodeClaimStore({ ...table, bodies: there, report });
      expect((await reading.openDecisions('demo')).map(({ id }) => id)).toEqual(open);
      expect(reported).toHaveLength(1 - open.length);
    },
  );

  test.each([
    ['the bucket refuses the read', bodies],
    ['the function has no bucket', undefined],
  ])('of an open decision is not closed where %s: a function with the right finishes it', async (_, there) => {
    const clock = { nowMs: NOW_MS, now: () => clock.nowMs };
    const denied = Object.assign(new Error('scripted'), { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } });
    s3.on(GetObjectCommand).rejects(denied);
    const table = inProcessTable({ clock });
    const recording = new DynamoDbNodeClaimStore({ ...table, bodies: memoryBodies(), clock });
    await recording.recordDecision(large, 0);
    const reading = new DynamoDbNodeClaimStore({ ...table, ...(there && { bodies: there }), clock, report });
    clock.nowMs += 2 * HOUR;
    expect(await reading.openDecisions('demo')).toEqual([]);
    expect(reported).toEqual([expect.stringMatching(/the body of decision item decision#decision-1 cannot be read: /)]);
    expect(await reading.hasOpenDecisions('demo')).toBe(true);
    expect(await recording.openDecisions('demo')).toMatchObject([{ id: 'decision-1' }]);
  });

  test('is not read to find out whether a decision is open', async () => {
    dynamo.on(QueryCommand).resolves({ Items: [marshall({ sk: 'open#decision-1' })] });
    expect(await store.hasOpenDecisions('demo')).toBe(true);
    expect([...dynamo.commandCalls(GetItemCommand), ...s3.calls()]).toEqual([]);
  });

  test('that fits stays in the table, and S3 is not asked', async () => {
    await store.recordDecision(aLaunchDecision(), 0);
    expect(s3.calls()).toEqual([]);
  });
});

describe('the archive of decisions in the bucket', () => {
  const archive = new BucketArchive({ client: s3Client, bucket: 'bodies' });

  test('stores texts compressed, and reads what it has stored', async () => {
    const text = JSON.stringify(Array(1_000).fill('the same'));
    await archive.put('snapshots/demo/a.json.gz', text);
    const body = s3.commandCalls(PutObjectCommand)[0]?.args[0].input.Body;
    if (!(body instanceof Uint8Array)) throw new TypeError('no body was stored');
    expect(body.byteLength).toBeLessThan(text.length / 10);
    s3.on(GetObjectCommand, { Bucket: 'bodies', Key: 'snapshots/demo/a.json.gz' }).resolves({
      Body: sdkStreamMixin(Readable.from([body])),
    });
    expect(await archive.get('snapshots/demo/a.json.gz')).toBe(text);
  });

  test('says that a text may have reached the end of its lifetime', async () => {
    s3.on(GetObjectCommand).rejects(new NoSuchKey({ message: 'no such key', $metadata: {} }));
    await expect(archive.get('snapshots/demo/a.json.gz')).rejects.toThrow(
      'snapshots/demo/a.json.gz does not exist in the bucket bodies: it may have reached the end of its lifetime',
    );
  });
});
