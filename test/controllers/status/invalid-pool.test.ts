import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { aNodePool } from '../../builders/node-pools.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

test.each([
  ['a name that is too long for a label', { name: 'x'.repeat(64) }, 'becomes a label of every node'],
  [
    'a taint twice',
    {
      taints: [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoSchedule', value: 'b' },
      ],
    },
    'the taint a:NoSchedule is listed twice',
  ],
] as const)('a NodePool that its status calls invalid launches nothing: %s (A1.26)', async (_what, options, says) => {
  const manifests = someManifests({ deployments: [aDeployment('web', 3)], nodePools: [aNodePool(options)] });
  const result = await live({ manifests, scenario: { name: 'invalid', events: [] } });
  expect(result).toMatchObject({ nodesLaunched: 0, podsRunning: 0 });
  expect(JSON.stringify(result.podsPending)).toContain(says);
});

// The API server accepts them, and Go rejects them.
test.each([
  ['a consolidateAfter', aNodePool({ name: 'invalid', disruption: { consolidateAfter: '9999999h' } })],
  ['an expireAfter', aNodePool({ name: 'invalid', expireAfter: '9999999h' })],
  [
    'a budget with a duration',
    aNodePool({
      name: 'invalid',
      disruption: { budgets: [{ nodes: '1', schedule: '0 0 * * *', duration: '9999999h' }] },
    }),
  ],
])('a NodePool with %s above 2562047h does not stop the disruption of other nodes (A1.26)', async (_, invalid) => {
  const failures: string[] = [];
  const { nodesLaunched, nodesAtEnd } = await live({
    manifests: someManifests({ nodePools: [aPool(), invalid], deployments: [aDeployment('web', 3)] }),
    catalogue: SMALL_CATALOGUE,
    onFailure: ({ error }) => void failures.push(String(error)),
  });
  expect({ failures, nodesAtEnd }).toEqual({ failures: [], nodesAtEnd: 0 });
  expect(nodesLaunched).toBeGreaterThan(0);
});

function withLongConsolidateAfter({ spec, ...rest }: NodePool): NodePool {
  return { ...rest, spec: { ...spec, disruption: { ...spec.disruption, consolidateAfter: '9999999h' } } };
}

test('nodes whose NodePool gets a consolidateAfter above 2562047h stay, as with Never (A1.26, D13, E12)', async () => {
  const failures: string[] = [];
  let startMs: number | undefined;
  const { timeline, nodesAtEnd } = await live({
    manifests: someManifests({ nodePools: [aPool()], deployments: [aDeployment('web', 3)] }),
    scenario: {
      name: 'edited',
      events: [{ kind: 'scale', atMs: 15 * MINUTE_MS, deployment: 'default/web', replicas: 0 }],
    },
    catalogue: SMALL_CATALOGUE,
    goesOn: true,
    wrapPorts: (ports) => {
      const { cluster, clock } = ports;
      startMs ??= clock.now();
      const editedAtMs = startMs + 8 * MINUTE_MS;
      const listNodePools = async (): Promise<readonly NodePool[]> => {
        const pools = await cluster.listNodePools();
        return clock.now() < editedAtMs ? pools : pools.map(withLongConsolidateAfter);
      };
      const get = (target: typeof cluster, member: string | symbol): unknown =>
        member === 'listNodePools' ? listNodePools : Reflect.get(target, member);
      return { ...ports, cluster: new Proxy(cluster, { get }) };
    },
    onFailure: ({ error }) => void failures.push(String(error)),
  });
  expect(failures).toEqual([]);
  expect(timeline.filter(({ kind }) => kind === 'delete-node-claim')).toEqual([]);
  expect(nodesAtEnd).toBeGreaterThan(0);
});
