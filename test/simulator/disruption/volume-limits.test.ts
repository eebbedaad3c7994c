import { expect, test } from 'vitest';
import { runSimulation } from '../../../lib/simulator/simulation.ts';
import { CATALOGUE } from '../../builders/catalogues.ts';
import { aPool, aStatefulSet, someManifests } from '../../builders/cluster-manifests.ts';
import { asking } from '../../builders/node-pools.ts';
import { aStorageClass } from '../../builders/storage.ts';
import { MINUTE } from '../../builders/times.ts';

const HOUR_S = 3_600;

test('B44: consolidation ends although nodes attach fewer volumes than their pods would need', async () => {
  const pool = aPool({
    disruption: {
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '30s',
      budgets: [{ nodes: '100%' }],
    },
  });
  const requirements = [
    asking('karpenter.sh/capacity-type', 'In', 'on-demand'),
    asking('karpenter.k8s.aws/instance-family', 'In', 'c7g', 'm7g', 'r7g'),
    asking('topology.kubernetes.io/zone', 'In', 'us-east-1a'),
  ];
  const template = { ...pool.spec.template, spec: { ...pool.spec.template.spec, requirements } };
  const volumeClaimTemplates = [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gp3', resources: { requests: { storage: '1Gi' } } },
    },
  ] as const;
  const base = aStatefulSet('db', { replicas: 60, volumeClaimTemplates, podManagementPolicy: 'Parallel' });
  const containers = [{ name: 'main', resources: { requests: { cpu: '100m', memory: '200Mi' } } }];
  const pods = { ...base.spec.template, spec: { ...base.spec.template.spec, containers } };
  const result = await runSimulation({
    manifests: someManifests({
      nodePools: [{ ...pool, spec: { ...pool.spec, template } }],
      deployments: [],
      statefulSets: [{ ...base, spec: { ...base.spec, template: pods } }],
      storageClasses: [aStorageClass()],
    }),
    catalogue: CATALOGUE,
    seed: 1,
    durationMs: 120 * MINUTE,
    scenario: { name: 'volumes', events: [] },
  });
  expect(result).toMatchObject({ podsRunning: 60, podsPending: [] });
  const launches = result.timeline.filter((entry) => entry.kind === 'instance-launched');
  expect(launches.length).toBeLessThanOrEqual(8);
  expect(launches.filter(({ at }) => at > HOUR_S)).toEqual([]);
});
