import { expect, test } from 'vitest';
import type { Deployment } from '../../../lib/apis/kubernetes.ts';
import type { NodePool } from '../../../lib/apis/node-pool.ts';
import type { StatefulSet } from '../../../lib/apis/workloads.ts';
import { shippedCatalogue } from '../../../lib/catalogue/figures.ts';
import type { Catalogue } from '../../../lib/core/instance-type/facts.ts';
import type { SimulationResult } from '../../../lib/simulator/result.ts';
import { runSimulation } from '../../../lib/simulator/simulation.ts';
import { aDeployment, aPool, aStatefulSet, someManifests } from '../../builders/cluster-manifests.ts';
import { aNodePool, asking } from '../../builders/node-pools.ts';
import { aStorageClass } from '../../builders/storage.ts';
import { MINUTE } from '../../builders/times.ts';

const HOUR_S = 3_600;
const SHIPPED = shippedCatalogue({ region: 'us-east-1', because: 'the test' });

/** The types of these families. */
function catalogueOf(families: readonly string[]): Catalogue {
  const isOne = (name: string): boolean => families.includes(name.split('.')[0] ?? '');
  return {
    ...SHIPPED,
    facts: SHIPPED.facts.filter(({ name }) => isOne(name)),
    offerings: SHIPPED.offerings.filter(({ type }) => isOne(type)),
  };
}

/** *Shape:* launches in each hour. */
async function launchesIn(hours: number, { families, pods, volumes, others = [], first = [] }: Load) {
  const pool = aPool({
    disruption: {
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '30s',
      budgets: [{ nodes: '100%' }],
    },
  });
  const requirements = [
    asking('karpenter.sh/capacity-type', 'In', 'on-demand'),
    asking('karpenter.k8s.aws/instance-family', 'In', ...families),
    asking('topology.kubernetes.io/zone', 'In', 'us-east-1a'),
  ];
  const template = { ...pool.spec.template, spec: { ...pool.spec.template.spec, requirements } };
  const result = await runSimulation({
    manifests: someManifests({
      nodePools: [...first, { ...pool, spec: { ...pool.spec, template } }],
      deployments: others,
      statefulSets: [withVolumes('db', pods, volumes)],
      storageClasses: [aStorageClass()],
    }),
    catalogue: catalogueOf([...families, 'm7i']),
    seed: 1,
    durationMs: hours * 60 * MINUTE,
    scenario: { name: 'volumes', events: [] },
    goesOn: true,
  });
  const launches = result.timeline.filter((entry) => entry.kind === 'instance-launched');
  const byHour = Array.from(
    { length: hours },
    (_, hour) => launches.filter(({ at }) => Math.floor(at / HOUR_S) === hour).length,
  );
  return { result, byHour };
}

interface Load {
  readonly families: readonly string[];
  readonly pods: number;
  readonly volumes: number;
  readonly others?: readonly Deployment[];
  /** Further NodePools. @default none */
  readonly first?: readonly NodePool[];
}

/** Small pods. */
function withVolumes(name: string, replicas: number, volumes: number): StatefulSet {
  const volumeClaimTemplates = Array.from({ length: volumes }, (_, nth) => ({
    metadata: { name: `data-${nth}` },
    spec: {
      accessModes: ['ReadWriteOnce'] as const,
      storageClassName: 'gp3',
      resources: { requests: { storage: '1Gi' } },
    },
  }));
  const base = aStatefulSet(name, { replicas, volumeClaimTemplates, podManagementPolicy: 'Parallel' });
  const containers = [{ name: 'main', resources: { requests: { cpu: '100m', memory: '150Mi' } } }];
  const pods = { ...base.spec.template, spec: { ...base.spec.template.spec, containers } };
  return { ...base, spec: { ...base.spec, template: pods } };
}

/** A pod that keeps its node: most of an m7i.large. */
function kept(): Deployment {
  const { metadata, spec } = aDeployment('kept', 1);
  const containers = [{ name: 'main', resources: { requests: { cpu: '1850m', memory: '6Gi' } } }];
  return {
    metadata,
    spec: {
      ...spec,
      template: {
        metadata: { ...spec.template.metadata, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
        spec: { ...spec.template.spec, containers },
      },
    },
  };
}

test('B44: consolidation ends although nodes attach fewer volumes than their pods would need', async () => {
  const { result, byHour } = await launchesIn(2, { families: ['c7g', 'm7g', 'r7g'], pods: 60, volumes: 1 });
  expect(result).toMatchObject({ podsRunning: 60, podsPending: [] });
  expect(byHour[0]).toBeLessThanOrEqual(8);
  expect(byHour[1]).toBe(0);
});

test('B44: a type whose last node is gone has no higher limit than before', async () => {
  const { result, byHour } = await launchesIn(2, { families: ['c5', 'm7i'], pods: 15, volumes: 2, others: [kept()] });
  expect(result).toMatchObject({ podsRunning: 16, podsPending: [] });
  expect(byHour[0]).toBeLessThanOrEqual(8);
  expect(byHour[1]).toBe(0);
});

/** How often pods were evicted. */
function evictionsIn({ timeline }: SimulationResult): number {
  return timeline.filter(({ kind }) => kind === 'evict-pod').length;
}

test('B44: a pod with more volumes than most types attach has one node, of a type that documents them', async () => {
  const { result, byHour } = await launchesIn(24, { families: ['c6g', 'm7i'], pods: 1, volumes: 27 });
  expect(result).toMatchObject({ podsRunning: 1, podsPending: [], nodesAtEnd: 1 });
  expect(byHour.reduce((sum, count) => sum + count)).toBe(1);
  expect(evictionsIn(result)).toBe(0);
});

test('B44: consolidation does not move a pod with many volumes to a cheaper type that documents fewer', async () => {
  const first = aNodePool({
    name: 'databases',
    weight: 10,
    limits: { cpu: '2' },
    requirements: [
      asking('karpenter.sh/capacity-type', 'In', 'on-demand'),
      asking('node.kubernetes.io/instance-type', 'In', 'm7i.large'),
    ],
  });
  const { result, byHour } = await launchesIn(24, { families: ['c6g', 'm6g'], pods: 1, volumes: 27, first: [first] });
  expect(result).toMatchObject({ podsRunning: 1, podsPending: [], nodesAtEnd: 1 });
  expect(byHour.reduce((sum, count) => sum + count)).toBe(1);
  expect(evictionsIn(result)).toBe(0);
});
