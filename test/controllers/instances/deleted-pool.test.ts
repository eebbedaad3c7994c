import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import { expectAllGone, live, SMALL_CATALOGUE } from '../life.ts';

const atMs = 30 * SECOND_MS;
const UNWRITABLE: ScenarioEvent = {
  kind: 'fault',
  atMs: 0,
  forMs: 3 * MINUTE_MS,
  fault: { kind: 'calls-fail', calls: ['cluster.applyNodeClaim'], error: 429, where: 'before', percent: 100 },
};
const POOL_DELETED: ScenarioEvent = {
  kind: 'fault',
  atMs,
  forMs: 0,
  fault: { kind: 'node-pool', nth: 0, change: 'delete' },
};
const SCALED_DOWN: ScenarioEvent = {
  kind: 'scale',
  atMs: 10 * MINUTE_MS,
  deployment: 'default/web',
  replicas: 0,
};

test('A1.29: a NodePool that is deleted before its NodeClaim object exists takes the NodeClaim with it', async () => {
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    scenario: { name: 'a deleted NodePool', events: [UNWRITABLE, POOL_DELETED, SCALED_DOWN] },
    durationMs: 6 * HOUR_MS,
  });
  expect(result.nodesLaunched).toBe(1);
  expectAllGone(result);
  const deleted = result.timeline.filter((entry) => entry.kind === 'delete-node-claim');
  expect(deleted).toMatchObject([{ reason: 'deleted', message: expect.stringMatching(/^its NodePool .* no longer/) }]);
  expect(deleted[0]?.at).toBeLessThan((atMs + 90 * SECOND_MS) / SECOND_MS);
});

test('A1.29: the NodeClaim of a NodePool that was created again under the same name is replaced', async () => {
  let isNew = false;
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    scenario: { name: 'a replaced NodePool', events: [UNWRITABLE, SCALED_DOWN] },
    durationMs: HOUR_MS,
    wrapPorts: (ports) => {
      const { cluster, clock } = ports;
      const startMs = clock.now();
      const listNodePools = async (): Promise<readonly NodePool[]> => {
        isNew ||= clock.now() >= startMs + atMs;
        const pools = await cluster.listNodePools();
        return isNew ? pools : pools.map((pool) => ({ ...pool, metadata: { ...pool.metadata, uid: 'uid-former' } }));
      };
      const get = (target: typeof cluster, member: string | symbol): unknown =>
        member === 'listNodePools' ? listNodePools : Reflect.get(target, member);
      return { ...ports, cluster: new Proxy(cluster, { get }) };
    },
  });
  const [first, second] = result.timeline.filter((entry) => entry.kind === 'create-node-claim');
  const deleted = result.timeline.flatMap((one) => (one.kind === 'delete-node-claim' ? [one.nodeClaim] : []));
  expect(deleted[0]).toBe(first?.nodeClaim);
  expect(second?.pods.toSorted()).toEqual(first?.pods.toSorted());
});
