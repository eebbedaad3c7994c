import { expect, test } from 'vitest';
import { syncObjects } from '../../../lib/controllers/status/sync-object-status.ts';

test('promise 7: an error that is not of a port is a failure of its object only', async () => {
  const objects = ['a', 'b'].map((name) => ({ kind: 'NodePool', metadata: { name } }));
  const synced: string[] = [];
  const failures = await syncObjects(objects, async ({ metadata: { name } }) => {
    await Promise.resolve();
    if (name === 'a') throw new TypeError('a bug');
    synced.push(name);
  });
  expect(failures.map(({ message }) => message)).toEqual(['NodePool a: unexpected error: TypeError: a bug']);
  expect(synced).toEqual(['b']);
});
