/** Kerf is removed from a cluster while a node drains. Termination has deleted the Node (D17), and its finalizer alone holds it. */
import { expect, test } from 'vitest';
import { uninstall } from '../../../lib/controllers/install/uninstall.ts';
import type { Deletion } from '../../../lib/core/model/node-claim-record.ts';
import type { HeldKind } from '../../../lib/ports/installation.ts';
import { anInstance, launchedClaim } from '../../builders/node-claims.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';
import { aWorld, TARGET } from './uninstall-world.ts';

const DRAINING: Deletion = { reason: 'drifted', message: 'drifted', requestedAtMs: NOW_MS - MINUTE };
const KEPT = ['Node node-2, not the finalizer', 'NodeClaim general-2, not the finalizer'];
const CLASSES = ['EC2NodeClass general-2', 'EC2NodeClass of-others'];

async function removed(options: Parameters<typeof aWorld>[0], { drain = false, deletion = DRAINING } = {}) {
  const { world, store, ports } = aWorld(options);
  const instance = anInstance({ id: 'i-2', zone: 'us-east-1a' });
  const launch = { kind: 'launched', attempt: 1, instance, atMs: 0 } as const;
  await store.createNodeClaim(launchedClaim({ name: 'general-2', launch, deletion }));
  const { draining, failures } = await uninstall(ports, [{ ...TARGET, drain }]);
  expect(draining).toEqual([]);
  expect(failures.filter(({ isUnexpected }) => isUnexpected)).toEqual([]);
  return { letGo: world.letGo, failures: failures.map(({ message }) => message) };
}

test.each<{ readonly deleted: readonly HeldKind[] }>([
  { deleted: ['Node', 'NodeClaim'] },
  { deleted: ['Node'] },
  { deleted: ['NodeClaim'] },
])('a node whose $deleted is being deleted keeps its finalizers, and is reported with what to do', async (options) => {
  const { letGo, failures } = await removed(options);
  expect(letGo).toEqual([...KEPT, ...CLASSES]);
  expect(failures).toEqual([
    expect.stringMatching(
      /Node node-2 of instance i-2 .*without an eviction.*kubectl drain node-2 .*terminate-instances --instance-ids i-2;.*kubectl edit node node-2; kubectl edit nodeclaim general-2$/,
    ),
  ]);
});

test('a node keeps its finalizers after a drain that was blocked for 40 minutes', async () => {
  const { letGo, failures } = await removed({ deleted: ['Node', 'NodeClaim'] }, { drain: true });
  expect(letGo).toEqual([...KEPT, ...CLASSES]);
  expect(failures).toEqual([expect.stringContaining('after 40 minutes'), expect.stringContaining('Node node-2')]);
});

test('a node of an instance that EC2 terminates has no pods to evict, and loses its finalizers', async () => {
  const deletion = { ...DRAINING, terminateRequestedAtMs: NOW_MS };
  const { letGo, failures } = await removed({ deleted: ['Node', 'NodeClaim'] }, { deletion });
  expect(letGo).toEqual(['Node node-2', 'NodeClaim general-2', ...CLASSES]);
  expect(failures).toEqual([]);
});

test('a node or a claim that is deleted after it was listed is reported too', async () => {
  const { failures } = await removed({ outcome: 'kept' });
  expect(failures.slice(0, 2)).toEqual([
    expect.stringMatching(/^Node node-2/),
    expect.stringMatching(/^NodeClaim general-2/),
  ]);
});

test('a node that has not registered has no pods to evict: it is freed, and its deleted claim too', async () => {
  const { letGo, failures } = await removed({ deleted: ['NodeClaim'], unregistered: true });
  expect(letGo).toEqual(['Node node-2', 'NodeClaim general-2', ...CLASSES]);
  expect(failures).toEqual([]);
});
