import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { Deployment } from '../../../lib/apis/kubernetes.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { asking } from '../../builders/node-pools.ts';
import { entriesOf, played, saidOf } from './played.ts';

/** Two pods that run on one instance type only. */
function onType(name: string, type: string): Deployment {
  const made = aDeployment(name, 2, '1500m');
  const { template } = made.spec;
  const nodeSelector = { 'node.kubernetes.io/instance-type': type };
  return { ...made, spec: { ...made.spec, template: { ...template, spec: { ...template.spec, nodeSelector } } } };
}

/** Four spot nodes: two of each type. Each pod needs a node of its own. */
function manifests(): ReturnType<typeof someManifests> {
  const pool = aPool();
  const { template } = pool.spec;
  const requirements = [...template.spec.requirements, asking('karpenter.sh/capacity-type', 'In', 'spot')];
  const spot = { ...pool.spec, template: { ...template, spec: { ...template.spec, requirements } } };
  return someManifests({
    nodePools: [{ ...pool, spec: spot }],
    deployments: [onType('c', 'c7g.large'), onType('m', 'm7g.large')],
  });
}

test('a spot interruption takes as many instances of the given types and zones as it is asked to', async () => {
  const at = { kind: 'interruptSpot', atMs: 5 * MINUTE_MS } as const;
  const result = await played([{ ...at, instanceTypes: ['m7g.large'], zones: ['us-east-1a'], count: 5 }], {
    manifests: manifests(),
  });
  const early = entriesOf(result, 'instance-launched').filter((entry) => entry.at < 300);
  const interrupted = early.filter(({ instanceId }) => saidOf(result)[0]?.includes(instanceId));
  expect(early.map(({ instanceType }) => instanceType).toSorted()).toEqual([
    'c7g.large',
    'c7g.large',
    'm7g.large',
    'm7g.large',
  ]);
  expect(interrupted.map(({ instanceType }) => instanceType)).toEqual(['m7g.large', 'm7g.large']);
  const ended = new Set(entriesOf(result, 'instance-terminated').map(({ instanceId }) => instanceId));
  expect(interrupted.every(({ instanceId }) => ended.has(instanceId))).toBe(true);
  expect(result).toMatchObject({ podsRunning: 4, nodesAtEnd: 4, nodesLaunched: 6 });
});

test('a spot interruption that matches nothing says why', async () => {
  const at = { kind: 'interruptSpot', atMs: 5 * MINUTE_MS, count: 1 } as const;
  const result = await played(
    [
      { ...at, zones: ['us-east-1b'] },
      { ...at, instanceTypes: ['m7g.xlarge'], nodePool: 'general' },
      { ...at, instanceTypes: ['m7g.48xlarge'] },
    ],
    { manifests: manifests() },
  );
  expect(saidOf(result)).toEqual([
    '300 no spot instance in us-east-1b is running: nothing is interrupted',
    '300 no spot instance of type m7g.xlarge of NodePool general is running: nothing is interrupted',
    '300 us-east-1 does not have m7g.48xlarge: nothing is interrupted',
  ]);
  expect(result.nodesLaunched).toBe(4);
});
