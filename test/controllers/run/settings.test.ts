/** The configured amounts and policies of a cluster apply to its decisions (F17, F20). */
import { expect, test } from 'vitest';
import type { PodSpec } from '../../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import { type ClusterSettings, DEFAULT_SETTINGS } from '../../../lib/core/model/settings.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { live } from '../life.ts';

const { template } = aPool().spec;
const poolOf = (...values: readonly string[]) =>
  aPool({
    template: {
      ...template,
      spec: {
        ...template.spec,
        requirements: [
          ...template.spec.requirements,
          { key: 'node.kubernetes.io/instance-type', operator: 'In', values },
        ],
      },
    },
  });
const large = poolOf('c7g.large');

interface Asked extends Partial<PodSpec> {
  readonly nodePool?: NodePool;
}

/** The number of nodes that are launched for some pods, by default of c7g.large (2 vCPU, 4 GiB, 3 interfaces of 10 addresses). */
async function nodesFor(settings: Partial<ClusterSettings>, replicas: number, of: Asked = {}): Promise<number> {
  const { nodePool = large, ...spec } = of;
  const one = aDeployment('web', replicas, '10m');
  const deployment = {
    ...one,
    spec: { ...one.spec, template: { ...one.spec.template, spec: { ...one.spec.template.spec, ...spec } } },
  };
  const result = await live({
    manifests: someManifests({ nodePools: [nodePool], deployments: [deployment] }),
    scenario: { name: 'steady', events: [] },
    durationMs: 10 * 60_000,
    settings: { ...DEFAULT_SETTINGS, ...settings },
  });
  return result.nodesLaunched;
}

test('C7: pods count on the addresses of interfaces that are not reserved', async () => {
  expect(await nodesFor({}, 25)).toBe(1);
  expect(await nodesFor({ reservedEnis: 1 }, 25)).toBe(2);
});

test('C4: the configured memory overhead is not available to pods', async () => {
  const containers = [{ name: 'web', resources: { requests: { memory: '2700Mi' } } }];
  expect(await nodesFor({}, 1, { containers })).toBe(1);
  expect(await nodesFor({ memoryOverhead: 0.5 }, 1, { containers })).toBe(0);
});

test('B32: preferences are ignored if the policy says so', async () => {
  const podAffinityTerm = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' };
  const affinity = {
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm }] },
  };
  expect(await nodesFor({}, 2, { affinity })).toBe(2);
  expect(await nodesFor({ preferencePolicy: 'Ignore' }, 2, { affinity })).toBe(1);
});

test('B34: new nodes are chosen as Karpenter does if a benchmark sets this', async () => {
  const containers = [{ name: 'web', resources: { requests: { cpu: '1500m', memory: '1Gi' } } }];
  const pod = { containers, nodePool: poolOf('c7g.large', 'c7g.xlarge', 'c7g.2xlarge') };
  expect(await nodesFor({}, 3, pod)).toBe(2);
  expect(await nodesFor({ packing: 'first-fit' }, 3, pod)).toBe(1);
});
