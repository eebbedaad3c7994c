import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UnreachableError } from '../../lib/ports/errors.ts';
import { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../lib/providers/kubernetes/kubernetes-cluster.ts';
import { FakeApiServer } from '../fakes/api-server.ts';
import type { WatchFault } from '../fakes/api-watches.ts';
import { samples } from '../samples.ts';

/** *The kept lists of a cluster equal a fresh load after any changes and any failed requests.* */

const RUN = { seed: 20_260_131, numRuns: samples(60, 12) };
const PATIENCE = { quietMs: 10, silentMs: 30, bookmarkMs: 40, longestMs: 1_000 };
const MAX_RUNS = 5;
const FOREVER = Number.MAX_SAFE_INTEGER;

const KINDS = [
  { group: '/api/v1', resource: 'pods', namespaced: true },
  { group: '/api/v1', resource: 'nodes', namespaced: false },
  { group: '/api/v1', resource: 'persistentvolumeclaims', namespaced: true },
  { group: '/api/v1', resource: 'persistentvolumes', namespaced: false },
  { group: '/apis/storage.k8s.io/v1', resource: 'csinodes', namespaced: false },
  { group: '/apis/storage.k8s.io/v1', resource: 'volumeattachments', namespaced: false },
  { group: '/apis/apps/v1', resource: 'deployments', namespaced: true },
  { group: '/apis/apps/v1', resource: 'statefulsets', namespaced: true },
  { group: '/apis/apps/v1', resource: 'replicasets', namespaced: true },
] as const;
const NAMESPACES = ['shop', 'shop-2', 'web'] as const;

/** Half of the changes are changes of pods. */
const place = fc
  .record({
    kind: fc.oneof(fc.constant(0), fc.nat({ max: KINDS.length - 1 })),
    namespace: fc.constantFrom(...NAMESPACES),
    name: fc.constantFrom('a', 'a-1', 'b', 'c'),
  })
  .map(({ kind, namespace, name }) => {
    const { group, resource, namespaced } = KINDS[kind] ?? KINDS[0];
    return { group, resource, name, ...(namespaced ? { namespace } : {}) };
  });

const change = fc.oneof(
  fc.record({
    do: fc.constant('put' as const),
    place,
    label: fc.nat({ max: 3 }),
    node: fc.constantFrom(undefined, 'node-1', 'node-2'),
  }),
  fc.record({ do: fc.constant('remove' as const), place }),
  fc.record({ do: fc.constant('remove namespace' as const), namespace: fc.constantFrom(...NAMESPACES) }),
  fc.record({ do: fc.constantFrom('pass' as const, 'compact' as const, 'restart' as const, 'lapse tokens' as const) }),
);

const fault = fc.oneof(
  fc.constant<WatchFault>({ kind: 'none' }),
  fc.constantFrom<WatchFault>({ kind: 'status', status: 410 }, { kind: 'error', code: 410 }),
  fc.constantFrom<WatchFault>({ kind: 'status', status: 503 }, { kind: 'error', code: 500 }, { kind: 'garbage' }),
  fc.nat({ max: 3 }).map((after): WatchFault => ({ kind: 'break', after })),
  fc.constant<WatchFault>({ kind: 'stall', after: 0 }),
);

const step = fc.record({
  changes: fc.array(change, { maxLength: 8 }),
  faults: fc.array(fault, { maxLength: 12 }),
  /** Whether the server sends bookmarks to each watch; the real API server sends none if nothing changed. */
  bookmarks: fc.boolean(),
  firstLook: fc.boolean(),
  lateMs: fc.constantFrom(0, 60_000),
  lostAnswers: fc.nat({ max: 2 }),
});

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

class World {
  nowMs = 0;
  readonly server: FakeApiServer;
  readonly #client: ApiClient;
  readonly #kept: KubernetesCluster;

  constructor(server: FakeApiServer) {
    this.server = server;
    this.#client = new ApiClient({ endpoint: server.endpoint, sleep: async () => undefined });
    const clock = { now: () => this.nowMs };
    this.#kept = new KubernetesCluster({ client: this.#client, clock, keptFrom: 0, patience: PATIENCE });
  }

  apply(done: Change): void {
    const { store } = this.server;
    switch (done.do) {
      case 'put':
        store.put(done.place, {
          metadata: { labels: { version: String(done.label) } },
          spec: { containers: [], selector: {}, ...(done.node === undefined ? {} : { nodeName: done.node }) },
        });
        return;
      case 'remove':
        store.remove(done.place);
        return;
      case 'remove namespace':
        for (const { group, resource } of KINDS) {
          for (const name of ['a', 'a-1', 'b', 'c']) store.remove({ group, resource, name, namespace: done.namespace });
        }
        return;
      case 'pass':
        store.pass();
        return;
      case 'compact':
        store.compact();
        return;
      case 'restart':
        this.server.restart();
        return;
      case 'lapse tokens':
        this.server.lapseTokens();
    }
  }

  /** A run that reaches no API server fails, and the next run tries again. */
  async kept(firstLook: boolean): Promise<unknown> {
    for (let run = 0; run < MAX_RUNS; run += 1) {
      try {
        if (firstLook) await this.#kept.listUnboundPods();
        return await snapshot(this.#kept);
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
      }
    }
    throw new Error(`no run of ${MAX_RUNS} found the API server`);
  }

  async fresh(): Promise<unknown> {
    const client = new ApiClient({ endpoint: this.server.endpoint });
    const fresh = new KubernetesCluster({ client, clock: { now: () => 0 }, keptFrom: FOREVER });
    const seen = await snapshot(fresh);
    client.close();
    return seen;
  }

  async close(): Promise<void> {
    this.#client.close();
    await this.server.close();
  }
}

/** All kinds at the same time, as a run reads them. */
async function snapshot(cluster: KubernetesCluster): Promise<unknown> {
  const [pods, nodes, storage, attachments, deployments, statefulSets, replicaSets] = await Promise.all([
    cluster.listPods(),
    cluster.listNodes(),
    cluster.readStorage(),
    cluster.listVolumeAttachments(),
    cluster.listScalableWorkloads('Deployment'),
    cluster.listScalableWorkloads('StatefulSet'),
    cluster.listScalableWorkloads('ReplicaSet'),
  ]);
  return { pods, nodes, storage, attachments, deployments, statefulSets, replicaSets };
}

test('the kept lists equal a fresh load, for every kind, after any changes and failures', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
      const world = new World(await FakeApiServer.start());
      try {
        for (const { changes, faults, bookmarks, firstLook, lateMs, lostAnswers } of steps) {
          for (const one of changes) world.apply(one);
          world.nowMs += lateMs;
          world.server.watches.bookmarks = bookmarks;
          world.server.watches.failNext(...faults);
          world.server.failNext(...Array.from({ length: lostAnswers }, () => ({ kind: 'reset' }) as const));
          const kept = await world.kept(firstLook);
          world.server.watches.clearFaults();
          expect(kept).toEqual(await world.fresh());
        }
      } finally {
        await world.close();
      }
    }),
    RUN,
  );
});
