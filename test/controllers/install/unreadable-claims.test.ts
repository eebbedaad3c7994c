import { expect, test } from 'vitest';
import { type UninstallPorts, type UninstallTarget, uninstall } from '../../../lib/controllers/install/uninstall.ts';
import type { Installation } from '../../../lib/ports/installation.ts';
import type { NodeClaimStore } from '../../../lib/ports/node-claim-store.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { aClaim } from '../../builders/node-claims.ts';
import { MINUTE, NOW_MS } from '../../builders/times.ts';
import { NO_TRACES } from '../../core/cluster/autoscaler-traces.ts';

/** Kerf is removed from a cluster in which the record of one claim cannot be read. */

const TARGET: UninstallTarget = {
  cluster: 'demo',
  entries: [],
  installed: true,
  drain: false,
};

function aWorld() {
  const memory = memoryNodeClaimStore();
  const unreadable = [{ name: 'general-2', message: 'item claim#general-2 cannot be read' }];
  const world = { nowMs: NOW_MS, letGo: new Array<string>(), meanwhile: async () => {} };
  const store: NodeClaimStore = {
    ...memory,
    readNodeClaims: async (cluster) => ({ ...(await memory.readNodeClaims(cluster)), unreadable }),
  };
  const installation: Installation = {
    whyNoRights: async () => undefined,
    findDefinition: async () => undefined,
    applyDefinition: async () => {},
    whyNotEstablished: async () => undefined,
    apply: async () => 'applied',
    isTakenOver: async () => false,
    remove: async () => {},
    listHeld: async (kind) => [
      { kind, name: kind === 'Node' ? 'node-2' : 'general-2', providerId: 'aws:///us-east-1a/i-2' },
      { kind, name: 'of-others', providerId: 'aws:///us-east-1a/i-3' },
    ],
    letGo: async ({ kind, name }) => void world.letGo.push(`${kind} ${name}`),
    findOtherAutoscalers: async () => NO_TRACES,
    listAutoModePools: async () => [],
    readClaim: async () => undefined,
    claimCluster: async () => ({ deployment: 'ours', isOwn: true }),
    releaseClaim: async () => {},
    revokeDeciding: async () => NOW_MS,
  };
  const ports: UninstallPorts = {
    entries: {
      clusters: async () => ['demo'],
      authenticationMode: async () => 'API',
      find: async () => undefined,
      create: async () => {},
      setGroups: async () => {},
      givePolicy: async () => {},
      takePolicy: async () => {},
      remove: async () => {},
    },
    warn: () => {},
    installation: async () => installation,
    clock: { now: () => world.nowMs },
    pause: async (ms) => {
      world.nowMs += ms;
      await world.meanwhile();
    },
    remainingMs: () => 15 * MINUTE,
    store,
    messages: { wake: async () => {} },
  };
  return { world, store, ports };
}

test('a drain deletes the other claims, and then ends with the names of those whose records cannot be read', async () => {
  const { world, store, ports } = aWorld();
  await store.createNodeClaim(aClaim());
  world.meanwhile = async () => {
    const record = await store.readNodeClaim('demo', 'general-1');
    if (record?.deletion === undefined || world.nowMs < NOW_MS + 5 * MINUTE) return;
    await store.updateNodeClaim({ ...record, releasedAtMs: world.nowMs });
  };
  const { draining, failures } = await uninstall(ports, [{ ...TARGET, drain: true }]);
  expect(draining).toEqual([]);
  expect(failures.map(({ message }) => message)).toEqual([
    expect.stringMatching(/records of 1 NodeClaims .*cannot be read.*general-2.*tag karpenter.sh\/nodeclaim/),
  ]);
  expect(await store.listNodeClaims('demo')).toEqual([]);
  expect(world.nowMs).toBeLessThan(NOW_MS + 6 * MINUTE);
});

test('the finalizers of a claim whose record cannot be read, and of its node, are removed', async () => {
  const { world, ports } = aWorld();
  expect((await uninstall(ports, [TARGET])).failures).toEqual([]);
  expect(world.letGo).toEqual([
    'Node node-2',
    'NodeClaim general-2',
    'EC2NodeClass general-2',
    'EC2NodeClass of-others',
  ]);
});
