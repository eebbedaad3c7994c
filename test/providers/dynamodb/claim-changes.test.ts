import { beforeEach, describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { NOW_MS } from '../../builders/times.ts';
import type { TableCall } from '../../fakes/dynamodb/errors.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';

let nowMs: number;
let calls: string[];
let store: DynamoDbNodeClaimStore;
let other: DynamoDbNodeClaimStore;
let sharedTable: ReturnType<typeof inProcessTable>;

beforeEach(async () => {
  nowMs = NOW_MS;
  calls = [];
  const clock = { now: () => nowMs };
  const around = async ({ operation }: TableCall, go: () => Promise<unknown>): Promise<unknown> => {
    calls.push(operation);
    return go();
  };
  sharedTable = inProcessTable({ clock, faults: { around } });
  store = new DynamoDbNodeClaimStore({ ...sharedTable, clock });
  other = new DynamoDbNodeClaimStore({ ...sharedTable, clock });
  await other.createNodeClaim(launchedClaim({ name: 'a' }));
  nowMs += 20 * MINUTE_MS;
  await store.readNodeClaims('demo');
  calls = [];
});

/** A reader that may keep a list of claim `a`, and a process that pauses in a call. */
async function pausing() {
  const clock = { now: () => nowMs };
  const pauses = new Map<string, PromiseWithResolvers<void>>();
  const around = async ({ operation }: TableCall, go: () => Promise<unknown>): Promise<unknown> => {
    const pause = pauses.get(operation);
    pauses.delete(operation);
    await pause?.promise;
    return go();
  };
  const shared = inProcessTable({ clock, faults: { around } });
  const reader = new DynamoDbNodeClaimStore({ ...shared, clock });
  const writer = new DynamoDbNodeClaimStore({ ...shared, clock });
  await reader.createNodeClaim(launchedClaim({ name: 'a' }));
  nowMs += 20 * MINUTE_MS;
  const pauseNext = (operation: TableCall['operation']) => {
    const pause = Promise.withResolvers<void>();
    pauses.set(operation, pause);
    return pause;
  };
  return { reader, writer, pauseNext };
}

const names = async (): Promise<readonly string[]> => (await store.listNodeClaims('demo')).map(({ name }) => name);

test('while no claim changes, a list reads the mark alone', async () => {
  for (let minute = 0; minute < 14; minute += 1) {
    nowMs += MINUTE_MS;
    expect(await names()).toEqual(['a']);
  }
  expect(calls).toEqual(Array.from({ length: 14 }, () => 'GetItem'));
});

test('after a quarter of an hour, the claims are read again', async () => {
  nowMs += 15 * MINUTE_MS;
  expect(await names()).toEqual(['a']);
  expect(calls).toEqual(['Query']);
});

test('a change of another process is in the next list', async () => {
  nowMs += MINUTE_MS;
  await other.createNodeClaim(launchedClaim({ name: 'b', launch: { kind: 'planned' } }));
  expect(await names()).toEqual(['a', 'b']);
});

test('the own change is in the next list', async () => {
  const [record] = await store.listNodeClaims('demo');
  if (record === undefined) throw new Error('the claim is listed');
  await store.updateNodeClaim({ ...record, nodeName: 'node-a' });
  expect((await store.listNodeClaims('demo')).map(({ nodeName }) => nodeName)).toEqual(['node-a']);
});

test('a list that was read soon after a change is not kept, because a change may have been on its way', async () => {
  await other.createNodeClaim(launchedClaim({ name: 'b', launch: { kind: 'planned' }, options: [], types: [] }));
  for (const seconds of [10, 30, 50]) {
    nowMs += seconds * SECOND_MS;
    await names();
  }
  expect(calls.filter((one) => one === 'Query')).toHaveLength(3);
});

test('a process notes its changes every 30 s at most', async () => {
  const marks = (): number => calls.filter((one) => one === 'PutItem').length;
  for (const [count, name] of ['b', 'c', 'd'].entries()) {
    nowMs += 20 * SECOND_MS;
    await other.createNodeClaim(launchedClaim({ name, launch: { kind: 'planned' }, options: [], types: [] }));
    expect(marks()).toBe(count < 2 ? 1 : 2);
  }
});

test('claims that are written at the same time share a note, which is written before all of them', async () => {
  calls.length = 0;
  await Promise.all(
    ['b', 'c', 'd'].map(async (name) =>
      other.createNodeClaim(launchedClaim({ name, launch: { kind: 'planned' }, options: [], types: [] })),
    ),
  );
  expect(calls.filter((one) => one === 'PutItem')).toHaveLength(1);
  expect(calls[0]).toBe('PutItem');
});

test('a change after a pause of its process is in the next list, also if a note from before the pause ends only then', async () => {
  const pause = Promise.withResolvers<void>();
  let isPaused = true;
  const clock = { now: () => nowMs };
  const around = async ({ operation }: TableCall, go: () => Promise<unknown>): Promise<unknown> => {
    if (operation === 'PutItem' && isPaused) await pause.promise;
    return go();
  };
  const table = inProcessTable({ clock, faults: { around } });
  const reader = new DynamoDbNodeClaimStore({ ...table, clock });
  const paused = new DynamoDbNodeClaimStore({ ...table, clock });
  const first = paused.createNodeClaim(launchedClaim({ name: 'b' }));
  isPaused = false;
  await reader.createNodeClaim(launchedClaim({ name: 'a' }));
  nowMs += 20 * MINUTE_MS;
  await reader.readNodeClaims('demo');
  nowMs += 3 * MINUTE_MS;
  const second = paused.createNodeClaim(launchedClaim({ name: 'c' }));
  pause.resolve();
  await Promise.all([first, second]);
  nowMs += MINUTE_MS;
  expect((await reader.listNodeClaims('demo')).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
});

test.each([
  ['a change during the note of which its process pauses', 'PutItem'],
  ['a change during which its process pauses', 'TransactWriteItems'],
] as const)('%s is in the next list', async (_, call) => {
  const { reader, writer, pauseNext } = await pausing();
  const pause = pauseNext(call);
  const change = writer.createNodeClaim(launchedClaim({ name: 'b' }));
  nowMs += 3 * MINUTE_MS;
  await reader.readNodeClaims('demo');
  pause.resolve();
  await change;
  nowMs += MINUTE_MS;
  expect((await reader.listNodeClaims('demo')).map(({ name }) => name)).toEqual(['a', 'b']);
});

describe.each([-2 * MINUTE_MS, 2 * MINUTE_MS])('if the clock of another process differs by %d ms', (aheadMs) => {
  const differing = (): DynamoDbNodeClaimStore =>
    new DynamoDbNodeClaimStore({ ...sharedTable, clock: { now: () => nowMs + aheadMs } });

  test.each([1, 20, 40, 59])('its change %d s after a list was read is in the next list', async (seconds) => {
    nowMs += seconds * SECOND_MS;
    await differing().createNodeClaim(launchedClaim({ name: 'b' }));
    nowMs += MINUTE_MS - seconds * SECOND_MS;
    expect(await names()).toEqual(['a', 'b']);
  });

  test.each([1, 20, 40, 59])('its change %d s after one of another process is in the next list', async (seconds) => {
    await other.createNodeClaim(launchedClaim({ name: 'b' }));
    await names();
    nowMs += seconds * SECOND_MS;
    await differing().createNodeClaim(launchedClaim({ name: 'c' }));
    nowMs += SECOND_MS;
    for (let minute = 0; minute < 5; minute += 1) {
      expect(await names()).toEqual(['a', 'b', 'c']);
      nowMs += MINUTE_MS;
    }
  });

  test('changes at any time are in every later list', async () => {
    const writers = [differing(), other];
    const written = ['a'];
    for (let step = 0; step < 150; step += 1) {
      nowMs += ((step * 7) % 23) * SECOND_MS;
      if (step % 5 === 0 || step % 7 < 2) {
        const name = `b${String(step).padStart(3, '0')}`;
        await writers[step % 2]?.createNodeClaim(launchedClaim({ name }));
        written.push(name);
      }
      expect(await names(), `step ${step}`).toEqual(written);
    }
  });

  test('a list is kept again in the third minute after its change', async () => {
    await differing().createNodeClaim(launchedClaim({ name: 'b' }));
    const reads = [];
    for (let minute = 0; minute < 5; minute += 1) {
      nowMs += MINUTE_MS;
      calls = [];
      expect(await names()).toEqual(['a', 'b']);
      reads.push(calls.join(' '));
    }
    expect(reads[0]).toBe('GetItem Query');
    expect(['Query', 'GetItem']).toContain(reads[1]);
    expect(reads.slice(2)).toEqual(['GetItem', 'GetItem', 'GetItem']);
  });
});

test('a process keeps no list in its first ten minutes, while an earlier version may change claims without a mark', async () => {
  const clock = { now: () => nowMs };
  const table = inProcessTable({
    clock,
    faults: {
      around: async ({ operation }, go) => {
        calls.push(operation);
        return go();
      },
    },
  });
  const fresh = new DynamoDbNodeClaimStore({ ...table, clock });
  await fresh.createNodeClaim(launchedClaim({ name: 'a' }));
  calls = [];
  for (let minute = 0; minute < 10; minute += 1) {
    nowMs += MINUTE_MS - 1;
    await fresh.readNodeClaims('demo');
  }
  expect(calls).toEqual(Array.from({ length: 10 }, () => 'Query'));
});

test('after a restore of the table, the claims are read again', async () => {
  const clock = { now: () => nowMs };
  const table = inProcessTable({ clock });
  const kept = new DynamoDbNodeClaimStore({ ...table, clock });
  await kept.createNodeClaim(launchedClaim({ name: 'a' }));
  const backup = table.snapshot();
  nowMs += 20 * MINUTE_MS;
  await kept.createNodeClaim(launchedClaim({ name: 'b' }));
  nowMs += 20 * MINUTE_MS;
  expect((await kept.listNodeClaims('demo')).map(({ name }) => name)).toEqual(['a', 'b']);
  table.restore(backup);
  nowMs += MINUTE_MS;
  expect((await kept.listNodeClaims('demo')).map(({ name }) => name)).toEqual(['a']);
});
