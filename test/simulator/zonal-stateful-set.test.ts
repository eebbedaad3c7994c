import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import { aDeployment, aPool, aStatefulSet, someManifests } from '../builders/cluster-manifests.ts';
import { asking } from '../builders/node-pools.ts';
import { aStorageClass } from '../builders/storage.ts';
import { live } from '../controllers/life.ts';

const pool = aPool();
const requirements = [
  asking('karpenter.sh/capacity-type', 'In', 'on-demand'),
  asking('karpenter.k8s.aws/instance-family', 'In', 'c7g', 'm7g'),
  asking('topology.kubernetes.io/zone', 'In', 'us-east-1a', 'us-east-1b'),
];
const { template } = pool.spec;
const nodePools = [
  { ...pool, spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, requirements } } } },
];

test('after the outage of its zone, a pod of a StatefulSet waits for its zone; a pod without a volume moves to another', async () => {
  const accessModes = ['ReadWriteOnce'] as const;
  const volumeClaimTemplates = [
    {
      metadata: { name: 'data' },
      spec: { accessModes, storageClassName: 'gp3', resources: { requests: { storage: '1Gi' } } },
    },
  ];
  const result = await live({
    manifests: someManifests({
      nodePools,
      deployments: [aDeployment('web', 1)],
      statefulSets: [aStatefulSet('db', { replicas: 1, volumeClaimTemplates })],
      storageClasses: [aStorageClass()],
    }),
    scenario: {
      name: 'outage',
      events: [{ kind: 'zoneOutage', atMs: 10 * MINUTE_MS, zone: 'us-east-1a', nodes: true, forMs: 20 * MINUTE_MS }],
    },
    durationMs: 60 * MINUTE_MS,
  });
  const running = result.timeline.flatMap((entry) => (entry.kind === 'pod-running' ? [entry] : []));
  const minutesOf = (workload: string): readonly number[] =>
    running.filter((entry) => entry.workload === workload).map(({ at }) => at / 60);
  const [, webAgain = 0] = minutesOf('Deployment default/web');
  const [, dbAgain = 0] = minutesOf('StatefulSet default/db');
  expect(webAgain).toBeGreaterThan(10);
  expect(webAgain).toBeLessThan(30);
  expect(dbAgain).toBeGreaterThan(30);
  const zones = result.timeline.flatMap((entry) => (entry.kind === 'instance-launched' ? [entry.zone] : []));
  expect(zones[0]).toBe('us-east-1a');
  expect(new Set(zones)).toEqual(new Set(['us-east-1a', 'us-east-1b']));
  expect(result).toMatchObject({ podsRunning: 2, podsPending: [] });
});
