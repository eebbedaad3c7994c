import { expect, test } from 'vitest';
import { uninstall } from '../../../lib/controllers/install/uninstall.ts';
import { RefusedError } from '../../../lib/ports/errors.ts';
import type { NodeClaimStore } from '../../../lib/ports/node-claim-store.ts';
import { aClaim } from '../../builders/node-claims.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';
import { aWorld, TARGET } from './uninstall-world.ts';

const UNREADABLE = [{ name: 'general-2', message: 'item claim#general-2 cannot be read' }];

test('a drain deletes the other claims, and then ends with the names of those whose records cannot be read', async () => {
  const { world, store, ports } = aWorld({ unreadable: UNREADABLE });
  await store.createNodeClaim(aClaim());
  world.meanwhile = async () => {
    const record = await store.readNodeClaim('demo', 'general-1');
    if (record?.deletion === undefined || world.nowMs < NOW_MS + 5 * MINUTE) return;
    await store.updateNodeClaim({ ...record, releasedAtMs: world.nowMs });
  };
  const { draining, failures } = await uninstall(ports, [{ ...TARGET, drain: true }]);
  expect(draining).toEqual([]);
  expect(failures.map(({ message }) => message)).toEqual([
    expect.stringMatching(/records of 1 NodeClaim in .*cannot be read.*general-2.*tag karpenter.sh\/nodeclaim/),
  ]);
  expect(await store.listNodeClaims('demo')).toEqual([]);
  expect(world.nowMs).toBeLessThan(NOW_MS + 6 * MINUTE);
});

test('a drain deletes the other claims, and then ends with the names of those whose deletion the table refuses', async () => {
  const { world, store, ports } = aWorld();
  for (const name of ['general-1', 'general-2', 'general-3']) await store.createNodeClaim(aClaim({ name }));
  const updateNodeClaim: NodeClaimStore['updateNodeClaim'] = async (record) => {
    if (record.name === 'general-1') throw new RefusedError('the item is invalid');
    return store.updateNodeClaim(record);
  };
  world.meanwhile = async () => {
    for (const record of await store.listNodeClaims('demo'))
      if (record.deletion !== undefined && world.nowMs >= NOW_MS + 5 * MINUTE)
        await store.updateNodeClaim({ ...record, releasedAtMs: world.nowMs });
  };
  const { draining, failures } = await uninstall({ ...ports, store: { ...store, updateNodeClaim } }, [
    { ...TARGET, drain: true },
  ]);
  expect(draining).toEqual([]);
  expect(failures.map(({ message }) => message)).toEqual([
    expect.stringMatching(/the deletion of 1 NodeClaim was refused \(general-1: the item is invalid\)/),
  ]);
  expect((await store.listNodeClaims('demo')).map(({ name }) => name)).toEqual(['general-1']);
  expect(world.nowMs).toBeLessThan(NOW_MS + 6 * MINUTE);
});

test('the finalizers of a claim whose record cannot be read, and of its node, are removed', async () => {
  const { world, ports } = aWorld({ unreadable: UNREADABLE });
  expect((await uninstall(ports, [TARGET])).failures).toEqual([]);
  expect(world.letGo).toEqual([
    'Node node-2',
    'NodeClaim general-2',
    'EC2NodeClass general-2',
    'EC2NodeClass of-others',
  ]);
});
