import { expect, test } from 'vitest';
import { batched } from '../../../../lib/providers/aws/client/batch.ts';

/** A batch whose window the test closes. */
function aBatch(most = 500, failed: ReadonlyMap<string, unknown> = new Map()) {
  const calls: (readonly string[])[] = [];
  const windows: PromiseWithResolvers<void>[] = [];
  const act = batched({
    most,
    call: async (ids) => {
      calls.push(ids);
      if (ids.includes('broken')) throw new Error('for all');
      return failed;
    },
    wait: async () => {
      const window = Promise.withResolvers<void>();
      windows.push(window);
      await window.promise;
    },
  });
  const close = (): void => {
    for (const { resolve } of windows) resolve();
  };
  return { act, calls, close };
}

test('IDs within one window share a call, each once (C51)', async () => {
  const { act, calls, close } = aBatch();
  const done = Promise.all(['a', 'b', 'a'].map(act));
  expect(calls).toEqual([]);
  close();
  await done;
  expect(calls).toEqual([['a', 'b']]);
});

test('IDs after the window are in the next call', async () => {
  const { act, calls, close } = aBatch();
  const first = act('a');
  close();
  await first;
  const second = act('a');
  close();
  await second;
  expect(calls).toEqual([['a'], ['a']]);
});

test('a call has at most the maximum number of IDs', async () => {
  const { act, calls, close } = aBatch(2);
  const done = Promise.all(['a', 'b', 'c', 'd', 'e'].map(act));
  close();
  await done;
  expect(calls).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
});

test('the error of an id applies to that id; the error of a call applies to all its ids', async () => {
  const { act, close } = aBatch(500, new Map([['b', new Error('for b')]]));
  const done = Promise.allSettled(['a', 'b', 'c'].map(act));
  close();
  expect((await done).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const other = aBatch();
  const broken = Promise.allSettled(['a', 'broken'].map(other.act));
  other.close();
  expect((await broken).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
