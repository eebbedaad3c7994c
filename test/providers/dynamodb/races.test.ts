import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { Catalogue } from '../../../lib/core/instance-type/facts.ts';
import { StaleRecordError, UnreachableError } from '../../../lib/ports/errors.ts';
import { LEASE_MS } from '../../../lib/ports/leases.ts';
import { DynamoDbCatalogueStore } from '../../../lib/providers/dynamodb/catalogue-store.ts';
import { DynamoDbLeases } from '../../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { NOW_MS } from '../../builders/times.ts';
import { aLaunchDecision, aRecord, launchedAs } from '../../contract/records.ts';
import { conflict, type TableCall, timedOut } from '../../fakes/dynamodb/errors.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';

/** Another function writes, or the table fails, between two calls of one operation. */

const SPOT = { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot', reason: 'x' } as const;

function aWorld() {
  const clock = { nowMs: NOW_MS, now: () => clock.nowMs };
  let planned: { readonly call: (call: TableCall) => boolean; readonly act: (call: TableCall) => unknown } | undefined;
  const table = inProcessTable({
    clock,
    faults: {
      around: async (call, go) => {
        if (planned?.call(call) !== true) return go();
        const { act } = planned;
        planned = undefined;
        await act(call);
        return go();
      },
    },
  });
  const regional = { ...table, region: 'us-east-1' };
  return {
    clock,
    table,
    store: new DynamoDbNodeClaimStore(table),
    catalogues: new DynamoDbCatalogueStore(regional),
    leases: new DynamoDbLeases({ ...table, clock }),
    /** Before the `nth` call of the operation, once. */
    before: (operation: string, act: (call: TableCall) => unknown, nth = 1) => {
      let seen = 0;
      const call = (made: TableCall): boolean => {
        if (made.operation === operation) seen += 1;
        return made.operation === operation && seen === nth;
      };
      planned = { call, act };
    },
    isPending: () => planned !== undefined,
  };
}

test('a claim that another run updates before its launch is written keeps that update', async () => {
  const { store, before, isPending } = aWorld();
  await store.createNodeClaim(aRecord());
  before('TransactWriteItems', async () => store.updateNodeClaim(aRecord({ nodeName: 'node-1' })));
  const late = store.updateNodeClaim(launchedAs(aRecord(), 'i-1'));
  await expect(late).rejects.toBeInstanceOf(StaleRecordError);
  expect(isPending()).toBe(false);
  expect(await store.readNodeClaim('demo', 'general-a')).toMatchObject({ version: 2, nodeName: 'node-1' });
  expect(await store.findNodeClaim('i-1', () => true)).toBeUndefined();
});

test('a marked lease that is taken over while it is released stays with its new holder', async () => {
  const { leases, before, clock, isPending } = aWorld();
  const work = { cluster: 'demo', work: 'provisioning' } as const;
  const acquire = async () => leases.acquire(await leases.see(work));
  const old = await acquire();
  expect(old.kind).toBe('held');
  expect((await acquire()).kind).toBe('busy');
  if (old.kind !== 'held') return;
  const takeOver = async () => {
    clock.nowMs += LEASE_MS;
    expect((await acquire()).kind).toBe('held');
  };
  before('UpdateItem', takeOver, 2);
  expect(await leases.release(old.lease, 'done')).toEqual({ runAgain: false });
  expect(isPending()).toBe(false);
  expect((await acquire()).kind).toBe('busy');
});

const aCatalogue = (asOf: string): Catalogue => ({ region: 'us-east-1', asOf, facts: [], offerings: [] });

test('a catalogue whose chunks another writer deletes before they are current is written again', async () => {
  const { catalogues, before, isPending } = aWorld();
  const other = aCatalogue('2026-01-01T00:00:00Z');
  const ours = aCatalogue('2026-01-02T00:00:00Z');
  before('TransactWriteItems', async () => catalogues.writeCatalogue(other));
  await catalogues.writeCatalogue(ours);
  expect(isPending()).toBe(false);
  expect(await catalogues.readCatalogue()).toEqual(ours);
});

test('a mark that another cluster extends meanwhile is not shortened', async () => {
  const { catalogues, before, isPending } = aWorld();
  const mark = async (minutes: number) => catalogues.markUnavailable([{ ...SPOT, atMs: NOW_MS + minutes * MINUTE_MS }]);
  await mark(0);
  before('PutItem', async () => mark(10), 2);
  await mark(3);
  expect(isPending()).toBe(false);
  // The second attempt in a row without capacity: 6 minutes.
  const [listed] = await catalogues.listUnavailable(NOW_MS);
  expect(listed).toMatchObject({ markedAtMs: NOW_MS + 10 * MINUTE_MS, untilMs: NOW_MS + 16 * MINUTE_MS });
});

test('a decision whose closing ends in between is closed again, and its item expires', async () => {
  const { store, before, table, isPending } = aWorld();
  const decision = aLaunchDecision();
  await store.recordDecision(decision, 0);
  before('DeleteItem', () => {
    throw timedOut();
  });
  await expect(store.closeDecision(decision)).rejects.toBeInstanceOf(UnreachableError);
  expect(isPending()).toBe(false);
  expect(await store.openDecisions('demo')).toEqual([decision]);
  expect(table.items().find(({ sk }) => sk?.S === `decision#${decision.id}`)).toHaveProperty('expiresAt');
});

test('a decision whose closing the SDK repeated is published, because the first attempt may have closed it', async () => {
  const { store, before, isPending } = aWorld();
  before('DeleteItem', () => {
    const message = 'The conditional request failed';
    throw new ConditionalCheckFailedException({ message, $metadata: { attempts: 2 } });
  });
  expect(await store.closeDecision(aLaunchDecision())).toBe('closed');
  expect(isPending()).toBe(false);
});

test('closing a decision whose item is gone creates no item', async () => {
  const { store, table } = aWorld();
  await store.closeDecision(aLaunchDecision());
  expect(table.items()).toEqual([]);
});

test('a transaction that another one cancels is repeated', async () => {
  const { store, before, isPending } = aWorld();
  before('TransactWriteItems', (call) => {
    throw conflict(call);
  });
  await store.recordDecision(aLaunchDecision(), 0);
  expect(isPending()).toBe(false);
  expect(await store.readEpoch('demo')).toBe(1);
});
