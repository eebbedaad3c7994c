import { randomBytes } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { EpochMovedError, RefusedError, StaleRecordError, UnreachableError } from '../../../lib/ports/errors.ts';
import { packBody } from '../../../lib/providers/dynamodb/body.ts';
import { DynamoDbCatalogueStore } from '../../../lib/providers/dynamodb/catalogue-store.ts';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aLaunchDecision, aRecord, launchedAs } from '../../contract/records.ts';

const client = new DynamoDBClient({ region: 'us-east-1', maxAttempts: 1 });
const dynamo = mockClient(client);
const store = new DynamoDbNodeClaimStore({ client, tableName: 'kerf' });

const thrown = (name: string) => Object.assign(new Error('scripted'), { name, $metadata: { httpStatusCode: 400 } });
const cancelled = (...codes: readonly string[]) =>
  new TransactionCanceledException({
    message: 'cancelled',
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
const conditionFailed = (found?: object) =>
  new ConditionalCheckFailedException({
    message: 'failed',
    $metadata: {},
    ...(found === undefined ? {} : { Item: marshall(found) }),
  });

beforeEach(() => {
  dynamo.reset();
  dynamo.on(GetItemCommand).resolves({});
});

describe('decisions', () => {
  test('epoch, decision and its open mark are one transaction', async () => {
    dynamo.on(TransactWriteItemsCommand).resolves({});
    await store.recordDecision(aLaunchDecision(), 4);
    const items = dynamo.commandCalls(TransactWriteItemsCommand)[0]?.args[0].input.TransactItems;
    expect(items?.[0]?.Update).toMatchObject({
      Key: marshall({ pk: 'cluster#demo', sk: 'epoch' }),
      ConditionExpression: 'epochCount = :read',
      ExpressionAttributeValues: marshall({ ':read': 4, ':set_epochCount': 5 }),
    });
    expect(items?.slice(1).map((item) => item.Put?.Item?.['sk']?.S)).toEqual([
      'decision#decision-1',
      'open#decision-1',
    ]);
  });

  test('a lost reply: the retry finds the decision recorded, and succeeds', async () => {
    dynamo.on(TransactWriteItemsCommand).rejects(cancelled('ConditionalCheckFailed', 'ConditionalCheckFailed', 'None'));
    dynamo.on(GetItemCommand).resolves({ Item: marshall({ pk: 'cluster#demo', sk: 'decision#decision-1' }) });
    await store.recordDecision(aLaunchDecision(), 0);
    dynamo.on(GetItemCommand).resolves({});
    await expect(store.recordDecision(aLaunchDecision(), 0)).rejects.toBeInstanceOf(EpochMovedError);
  });

  test('a transaction that met another one is unreachable, not moved', async () => {
    dynamo.on(TransactWriteItemsCommand).rejects(cancelled('TransactionConflict', 'None', 'None'));
    await expect(store.recordDecision(aLaunchDecision(), 0)).rejects.toBeInstanceOf(UnreachableError);
    dynamo.on(TransactWriteItemsCommand).rejects(cancelled('None', 'ValidationError', 'None'));
    await expect(store.recordDecision(aLaunchDecision(), 0)).rejects.toBeInstanceOf(RefusedError);
  });

  test('a decision that does not fit into an item is refused before anything is sent', async () => {
    const pods = [randomBytes(400_000).toString('hex')];
    const actions = [{ kind: 'create-node-claim', nodeClaim: aRecord({ pods }) }] as const;
    await expect(store.recordDecision(aLaunchDecision({ actions }), 0)).rejects.toThrow(
      /decision-1 is too large.*358400/,
    );
    expect(dynamo.calls()).toHaveLength(0);
  });

  test('an open decision of the previous version is read: its subjects are text, and some reasons have other names', async () => {
    const told = { message: 'why', numbers: {} };
    const blocked = [
      { subject: 'pod default/web-1', reason: 'StaticNodePool', nodePool: 'general', ...told },
      { subject: 'node a', reason: 'PDB', ...told },
      { subject: 'shelf 3', reason: 'PDB', ...told },
      { subject: { kind: 'Node', name: 'b' }, reason: 'DoNotDisrupt', ...told },
      { subject: 'node c', reason: 'NotAReason', ...told },
    ];
    const payload = packBody({ ...aLaunchDecision(), blocked }, 'x');
    dynamo.on(QueryCommand).resolves({ Items: [marshall({ pk: 'cluster#demo', sk: 'open#decision-1' })] });
    dynamo.on(GetItemCommand).resolves({ Item: marshall({ pk: 'cluster#demo', sk: 'decision#decision-1', payload }) });
    const [decision] = await store.openDecisions('demo');
    expect(decision?.blocked).toEqual([
      {
        subject: { kind: 'Pod', namespace: 'default', name: 'web-1' },
        reason: 'StaticCapacityNotSupported',
        nodePool: 'general',
        ...told,
      },
      { subject: { kind: 'Node', name: 'a' }, reason: 'PDB', ...told },
      { subject: { kind: 'Node', name: 'b' }, reason: 'DoNotDisrupt', ...told },
    ]);
  });
});

describe('NodeClaims', () => {
  test('the first write that carries an instance writes the lookup with it, later ones are plain', async () => {
    dynamo.on(PutItemCommand).resolves({});
    dynamo.on(TransactWriteItemsCommand).resolves({});
    const written = await store.updateNodeClaim(launchedAs(aRecord(), 'i-1'));
    const items = dynamo.commandCalls(TransactWriteItemsCommand)[0]?.args[0].input.TransactItems;
    expect(items?.map((item) => item.Put?.Item?.['pk']?.S)).toEqual(['cluster#demo', 'instance#i-1']);
    expect(dynamo.commandCalls(PutItemCommand)).toHaveLength(0);
    await store.updateNodeClaim({ ...written, expectedNodeName: 'node-1' });
    expect(dynamo.commandCalls(TransactWriteItemsCommand)).toHaveLength(1);
  });

  test('a first write with an instance that has more than the launch writes the lookup too', async () => {
    dynamo.on(PutItemCommand).rejects(conditionFailed({ claimVersion: 1 }));
    dynamo.on(TransactWriteItemsCommand).resolves({});
    await store.updateNodeClaim({ ...launchedAs(aRecord(), 'i-1'), expectedNodeName: 'node-1' });
    const items = dynamo.commandCalls(TransactWriteItemsCommand)[0]?.args[0].input.TransactItems;
    expect(items?.map((item) => item.Put?.Item?.['pk']?.S)).toEqual(['cluster#demo', 'instance#i-1']);
  });

  test('a stale launch is refused without a second try', async () => {
    dynamo.on(PutItemCommand).rejects(conditionFailed({ claimVersion: 7 }));
    const stale = { ...launchedAs(aRecord(), 'i-1'), expectedNodeName: 'node-1' };
    await expect(store.updateNodeClaim(stale)).rejects.toBeInstanceOf(StaleRecordError);
    expect(dynamo.commandCalls(TransactWriteItemsCommand)).toHaveLength(0);
  });

  test('a released claim lapses after 30 days, with its lookup', async () => {
    dynamo.on(TransactWriteItemsCommand).resolves({});
    await store.updateNodeClaim({ ...launchedAs(aRecord(), 'i-1'), releasedAtMs: NOW_MS });
    const items = dynamo.commandCalls(TransactWriteItemsCommand)[0]?.args[0].input.TransactItems;
    const lapse = String(NOW_MS / 1_000 + 30 * 86_400);
    expect(items?.map((item) => item.Put?.Item?.['expiresAt']?.N)).toEqual([undefined, lapse, lapse]);
  });

  test('an item of another shape is rejected with its name', async () => {
    const payload = packBody({ cluster: 'demo' }, 'x');
    dynamo.on(GetItemCommand).resolves({ Item: marshall({ pk: 'cluster#demo', sk: 'claim#a', payload }) });
    await expect(store.readNodeClaim('demo', 'a')).rejects.toThrow(/claim#a.*written by another version/);
    dynamo.on(GetItemCommand).resolves({ Item: marshall({ pk: 'cluster#demo', sk: 'claim#a' }) });
    await expect(store.readNodeClaim('demo', 'a')).rejects.toBeInstanceOf(RefusedError);
  });

  test('every read is strongly consistent', async () => {
    dynamo.on(QueryCommand).resolves({});
    await Promise.all([
      store.readNodeClaim('demo', 'a'),
      store.listNodeClaims('demo'),
      store.findNodeClaim('i-1', () => true),
    ]);
    const inputs = [...dynamo.commandCalls(GetItemCommand), ...dynamo.commandCalls(QueryCommand)];
    expect(inputs.map((call) => call.args[0].input.ConsistentRead)).toEqual(inputs.map(() => true));
  });
});

describe('failures', () => {
  test.each(['ThrottlingException', 'ProvisionedThroughputExceededException', 'InternalServerError', 'TimeoutError'])(
    '%s may succeed later',
    async (name) => {
      dynamo.on(GetItemCommand).rejects(thrown(name));
      await expect(store.readEpoch('demo')).rejects.toBeInstanceOf(UnreachableError);
    },
  );

  test.each(['AccessDeniedException', 'ResourceNotFoundException', 'ValidationException', 'SomethingNewException'])(
    '%s is not retryable, and the cause is kept',
    async (name) => {
      const cause = thrown(name);
      dynamo.on(GetItemCommand).rejects(cause);
      const failed = store.readEpoch('demo');
      await expect(failed).rejects.toBeInstanceOf(RefusedError);
      await expect(failed).rejects.toMatchObject({ cause });
    },
  );

  test('the error of a missing table has what to check', async () => {
    dynamo.on(GetItemCommand).rejects(thrown('ResourceNotFoundException'));
    await expect(store.readEpoch('demo')).rejects.toThrow(/check the name, account and region of the table$/);
  });

  test('a bug stays a bug', async () => {
    dynamo.on(GetItemCommand).rejects(new TypeError('undefined is not a function'));
    await expect(store.readEpoch('demo')).rejects.toBeInstanceOf(TypeError);
  });

  test('an endless query is an error', async () => {
    dynamo.on(QueryCommand).resolves({ LastEvaluatedKey: marshall({ pk: 'a', sk: 'b' }) });
    await expect(store.listCommands('demo')).rejects.toBeInstanceOf(UnreachableError);
  });
});

const head = (currentVersion: string) => ({ Item: marshall({ pk: 'c', sk: 'head', currentVersion, chunkCount: 1 }) });

describe('the catalogue', () => {
  const catalogues = new DynamoDbCatalogueStore({ client, tableName: 'kerf', region: 'us-east-1' });
  const catalogue = { region: 'us-east-1', asOf: '2026-01-01T00:00:00Z', facts: [], offerings: [] };

  test('a reader whose version is swept away reads the head again', async () => {
    dynamo.on(GetItemCommand).resolvesOnce(head('old')).resolves(head('new'));
    const payload = packBody(catalogue, 'catalogue');
    dynamo
      .on(QueryCommand)
      .resolvesOnce({ Items: [] })
      .resolves({ Items: [marshall({ pk: 'c', sk: 's', payload })] });
    expect(await catalogues.readCatalogue()).toEqual(catalogue);
  });

  test('a reader does not follow a head that moves forever', async () => {
    let reads = 0;
    dynamo.on(GetItemCommand).callsFake(() => head(`version-${(reads += 1)}`));
    dynamo.on(QueryCommand).resolves({ Items: [] });
    await expect(catalogues.readCatalogue()).rejects.toBeInstanceOf(UnreachableError);
  });

  test('a writer whose chunks are swept away before the head names them writes them again', async () => {
    dynamo.on(PutItemCommand).resolves({});
    dynamo.on(QueryCommand).resolves({ Items: [] });
    dynamo.on(TransactWriteItemsCommand).rejectsOnce(cancelled('None', 'ConditionalCheckFailed')).resolves({});
    await catalogues.writeCatalogue(catalogue);
    expect(dynamo.commandCalls(PutItemCommand)).toHaveLength(2);
  });
});
