import { expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { onFreshState } from '../../../lib/controllers/run/fresh-state.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import { read } from '../../../lib/core/observed.ts';
import type { Cluster } from '../../../lib/ports/cluster.ts';
import { ConflictError } from '../../../lib/ports/errors.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { kubernetesState } from '../../../lib/simulator/kubernetes/state.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { someManifests } from '../../builders/cluster-manifests.ts';
import { launchedClaim } from '../../builders/node-claims.ts';
import { aNode } from '../../builders/nodes.ts';
import { NOW_MS } from '../../builders/times.ts';
import { expectAllGone, expectOneInstanceAClaim, live, SMALL_CATALOGUE } from '../life.ts';

type Write = 'patchNode' | 'applyNodeClaim' | 'patchNodePool' | 'patchNodeClass';
const WRITES: readonly Write[] = ['patchNode', 'applyNodeClaim', 'patchNodePool', 'patchNodeClass'];

/** Refuses the calls that `conflicts` selects, as if others had written to the same objects. */
function refusing(conflicts: (write: Write, object: string) => boolean) {
  return (ports: ControllerPorts): ControllerPorts => {
    const refuse = (write: Write, object: string): void => {
      if (conflicts(write, object)) throw new ConflictError(`${object} was changed`);
    };
    const { cluster } = ports;
    const wrapped: Partial<Cluster> = {
      patchNode: async (target, patch) => {
        refuse('patchNode', `${target.name} ${Object.keys(patch).join()}`);
        return cluster.patchNode(target, patch);
      },
      applyNodeClaim: async (nodeClaim) => {
        refuse('applyNodeClaim', nodeClaim.metadata.name);
        return cluster.applyNodeClaim(nodeClaim);
      },
      patchNodePool: async (nodePool, patch) => {
        refuse('patchNodePool', nodePool.metadata.name);
        return cluster.patchNodePool(nodePool, patch);
      },
      patchNodeClass: async (nodeClass, patch) => {
        refuse('patchNodeClass', nodeClass.metadata.name);
        return cluster.patchNodeClass(nodeClass, patch);
      },
    };
    return { ...ports, cluster: { ...cluster, ...wrapped } };
  };
}

test('a cluster goes from zero nodes to zero nodes if every write is refused once', async () => {
  const refused = new Set<string>();
  const once = (write: Write, object: string): boolean => {
    const key = `${write} ${object}`;
    const isNew = !refused.has(key);
    refused.add(key);
    return isNew;
  };
  const result = await live({ wrapPorts: refusing(once) });
  for (const write of WRITES) expect([...refused].some((key) => key.startsWith(write))).toBe(true);
  expectOneInstanceAClaim(result);
  expectAllGone(result);
  expect(result.timeline.filter(({ kind }) => kind === 'function-failed')).toEqual([]);
});

test('a node with permanent conflicts is tried three times a run, and its claim does not delay the others', async () => {
  const tries: string[] = [];
  const always = (write: Write, object: string): boolean => {
    const isRefused = write === 'patchNode' && tries.length < 9;
    if (isRefused) tries.push(object);
    return isRefused;
  };
  const result = await live({ wrapPorts: refusing(always) });
  expect(tries).toHaveLength(9);
  expectAllGone(result);
});

test('while every write of a node is refused for five minutes, it is tried a few times a minute', async () => {
  let [tries, untilMs] = [0, 0];
  const result = await live({
    wrapPorts: (ports) => {
      untilMs = ports.clock.now() + 6 * MINUTE_MS;
      return refusing((write) => {
        const isRefused = write === 'patchNode' && ports.clock.now() < untilMs;
        if (isRefused) tries += 1;
        return isRefused;
      })(ports);
    },
  });
  // One node, three tries in a run, and seven runs in a minute. With a run each second, these would be about 900.
  expect(tries).toBeGreaterThan(15);
  expect(tries).toBeLessThan(120);
  expectAllGone(result);
});

test('a NodeClaim without an instance whose object cannot be removed gets no separate deletion, and is tried less and less often', async () => {
  const first: { name?: string } = {};
  const removedMs: number[] = [];
  const deleted: string[] = [];
  let startMs = 0;
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    faults: [{ id: 0, kind: 'no-capacity', fromMs: 0, forMs: 5 * MINUTE_MS }],
    wrapPorts: (ports) => {
      const { cluster, clock } = ports;
      startMs = clock.now();
      const wrapped: Partial<Cluster> = {
        deleteNodeClaim: async (name) => {
          deleted.push(name);
          return cluster.deleteNodeClaim(name);
        },
        removeNodeClaim: async (name) => {
          if (clock.now() >= startMs + 5 * MINUTE_MS) return cluster.removeNodeClaim(name);
          first.name ??= name;
          if (name === first.name) removedMs.push(clock.now() - startMs);
          throw new ConflictError(`${name} was changed`);
        },
      };
      return { ...ports, cluster: { ...cluster, ...wrapped } };
    },
  });
  expect(first.name).toBeDefined();
  expect(deleted).not.toContain(first.name);
  // Three tries in a run, and seven runs in a minute.
  expect(removedMs.length).toBeGreaterThan(5 * 3);
  expect(removedMs.length).toBeLessThan(5 * 25);
  expectAllGone(result);
});

test('conflicts in the deletion of a NodeClaim and its node do not delay the drain', async () => {
  const evictedMs: number[] = [];
  let startMs = 0;
  const result = await live({
    wrapPorts: (ports) => {
      const { cluster, clock } = ports;
      startMs = clock.now();
      const refuse = (name: string): void => {
        if (clock.now() < startMs + 7 * MINUTE_MS) throw new ConflictError(`${name} was changed`);
      };
      const wrapped: Partial<Cluster> = {
        deleteNodeClaim: async (name) => {
          refuse(name);
          return cluster.deleteNodeClaim(name);
        },
        deleteNode: async (name) => {
          refuse(name);
          return cluster.deleteNode(name);
        },
        evictPod: async (pod) => {
          evictedMs.push(clock.now() - startMs);
          return cluster.evictPod(pod);
        },
      };
      return { ...ports, cluster: { ...cluster, ...wrapped } };
    },
  });
  expect(evictedMs[0]).toBeGreaterThan(5 * MINUTE_MS);
  expect(evictedMs[0]).toBeLessThan(5 * MINUTE_MS + 10 * SECOND_MS);
  expectAllGone(result);
});

test('D5: after a conflict, the Node that the record names is read again, and another Node of its instance stays in the list', async () => {
  const record = launchedClaim({ nodeName: 'live' });
  const [stale, named] = ['stale', 'live'].map((name) => aNode({ name, providerId: 'aws:///eu-west-3a/i-1' }));
  const nodes = [stale, named].flatMap((node) => node ?? []);
  const seen = { nodes: read(nodes) };
  const after = aNode({ name: 'live', providerId: 'aws:///eu-west-3a/i-1', resourceVersion: '2' });
  const asked: string[] = [];
  const ports = {
    cluster: {
      ...simulatedCluster(kubernetesState(someManifests()), { now: () => NOW_MS }),
      readNode: async (name: string) => {
        asked.push(name);
        return name === 'live' ? after : stale;
      },
    },
    store: memoryNodeClaimStore(),
  };
  await ports.store.createNodeClaim(record);
  let tries = 0;
  await onFreshState(ports, { record, seen }, async () => {
    tries += 1;
    if (tries === 1) throw new ConflictError('node live was changed');
  });
  expect({ asked, nodes: seen.nodes }).toEqual({ asked: ['live'], nodes: read([stale, after]) });
});
