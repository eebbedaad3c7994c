import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import { DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { aNodePool } from '../../builders/node-pools.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

function withoutClassName(pool: NodePool): NodePool {
  const { template } = pool.spec;
  const nodeClassRef: NodePool['spec']['template']['spec']['nodeClassRef'] = JSON.parse(
    '{ "group": "karpenter.k8s.aws" }',
  );
  return { ...pool, spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, nodeClassRef } } } };
}

// The API server refuses these as long as the CRDs have their schemas.
test.each<[string, NodePool]>([
  [
    'an unknown operator',
    aNodePool({ name: 'invalid', requirements: JSON.parse('[{ "key": "team", "operator": "Resembles" }]') }),
  ],
  [
    'a requirement without a key',
    aNodePool({ name: 'invalid', requirements: JSON.parse('[{ "operator": "Exists" }]') }),
  ],
  ['a requirement that is null', aNodePool({ name: 'invalid', requirements: JSON.parse('[null]') })],
  ['no list of requirements', aNodePool({ name: 'invalid', requirements: JSON.parse('{}') })],
  ['a taint without a key', aNodePool({ name: 'invalid', taints: JSON.parse('[{ "effect": "NoSchedule" }]') })],
  ['a class without a name', withoutClassName(aNodePool({ name: 'invalid' }))],
  ['limits that are not quantities', aNodePool({ name: 'invalid', limits: { cpu: 'many' } })],
  ['an expireAfter that is not a duration', aNodePool({ name: 'invalid', expireAfter: 'later' })],
  [
    'replicas and limits that are not quantities',
    aNodePool({ name: 'invalid', replicas: 1, limits: { nodes: 'many' } }),
  ],
  ['replicas that are not a number', aNodePool({ name: 'invalid', replicas: JSON.parse('"many"') })],
])('A1.26: a NodePool with %s does not stop the work of the others', async (_, invalid) => {
  const failures: string[] = [];
  const { podsPending, podsRunning, nodesAtEnd } = await live({
    manifests: someManifests({ nodePools: [aPool()], deployments: [aDeployment('web', 3)] }),
    settings: { ...DEFAULT_SETTINGS, featureGates: { ...DEFAULT_SETTINGS.featureGates, staticCapacity: true } },
    scenario: { name: 'an invalid NodePool', events: [{ kind: 'interruptSpot', atMs: 4 * MINUTE_MS, count: 1 }] },
    catalogue: SMALL_CATALOGUE,
    durationMs: 8 * MINUTE_MS,
    wrapPorts: (ports) => {
      const { cluster } = ports;
      const listNodePools = async (): Promise<readonly NodePool[]> => [...(await cluster.listNodePools()), invalid];
      const get = (target: typeof cluster, member: string | symbol): unknown =>
        member === 'listNodePools' ? listNodePools : Reflect.get(target, member);
      return { ...ports, cluster: new Proxy(cluster, { get }) };
    },
    onFailure: ({ error }) => void failures.push(String(error)),
  });
  expect({ podsPending, podsRunning }).toEqual({ podsPending: [], podsRunning: 3 });
  expect(nodesAtEnd).toBeGreaterThan(0);
  expect(failures).toEqual([]);
});
