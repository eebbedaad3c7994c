import { describe, expect, test } from 'vitest';
import type { ClusterManifests } from '../../lib/apis/cluster-manifests.ts';
import type { PodSpec } from '../../lib/apis/kubernetes.ts';
import type { ScenarioEvent } from '../../lib/apis/scenario/scenario.ts';
import type { SimulationResult } from '../../lib/simulator/result.ts';
import { runSimulation } from '../../lib/simulator/simulation.ts';
import { CATALOGUE } from '../builders/catalogues.ts';
import { aDeployment, aPool, someManifests } from '../builders/cluster-manifests.ts';
import { asking } from '../builders/node-pools.ts';
import { aStorageClass, aVolume, aVolumeClaim, inZones } from '../builders/storage.ts';
import { MINUTE } from '../builders/times.ts';

/** A spot pool with two zones, of which us-east-1a has the lower prices. */
function twoZones(): ClusterManifests['nodePools'] {
  const pool = aPool();
  const requirements = [
    asking('karpenter.sh/capacity-type', 'In', 'spot'),
    asking('karpenter.k8s.aws/instance-family', 'In', 'c7g', 'm7g'),
    asking('topology.kubernetes.io/zone', 'In', 'us-east-1a', 'us-east-1b'),
  ];
  const { template } = pool.spec;
  return [{ ...pool, spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, requirements } } } }];
}

/** A Deployment with one pod, `database`. */
function database(volumes: NonNullable<PodSpec['volumes']>): ClusterManifests['deployments'] {
  const plain = aDeployment('database', 1);
  const { template } = plain.spec;
  const spec = { ...template.spec, volumes };
  return [{ ...plain, spec: { ...plain.spec, template: { ...template, spec } } }];
}

const DATA = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];

async function simulated(
  over: Partial<ClusterManifests>,
  events: readonly ScenarioEvent[] = [],
): Promise<SimulationResult> {
  const manifests = someManifests({ nodePools: twoZones(), deployments: database(DATA), ...over });
  return runSimulation({
    manifests,
    catalogue: CATALOGUE,
    seed: 1,
    durationMs: 20 * MINUTE,
    scenario: { name: 'volumes', events },
  });
}

/** The zones of the instances, in the order of their launches. */
function zones({ timeline }: SimulationResult): readonly string[] {
  return timeline.flatMap((entry) => (entry.kind === 'instance-launched' ? [entry.zone] : []));
}

/** The instance that runs the pod is interrupted after five minutes. */
const INTERRUPTED: readonly ScenarioEvent[] = [{ kind: 'interruptSpot', atMs: 5 * MINUTE, count: 1 }];

describe('a pod runs in the zone of its volume', () => {
  test.each(['us-east-1a', 'us-east-1b'])('%s, also after an interruption', async (zone) => {
    const volume = aVolume({ name: 'disk', terms: [inZones([zone])] });
    const spec = { ...volume.spec, storageClassName: 'gp3', capacity: { storage: '1Gi' } };
    const claim = aVolumeClaim();
    const result = await simulated(
      {
        persistentVolumes: [{ ...volume, spec }],
        persistentVolumeClaims: [{ ...claim, spec: { ...claim.spec, volumeName: 'disk' } }],
        storageClasses: [aStorageClass()],
      },
      INTERRUPTED,
    );
    expect(zones(result)).toEqual([zone, zone]);
    expect(result).toMatchObject({ podsRunning: 1, podsPending: [], notes: [] });
  });

  test('that its first node has chosen, although this zone has no spot capacity when the instance is interrupted', async () => {
    const events: readonly ScenarioEvent[] = [
      { kind: 'withoutCapacity', atMs: 0, zones: ['us-east-1a'], forMs: 3 * MINUTE },
      // Zone a is open again. The volume is in zone b, which closes before the interruption.
      { kind: 'withoutCapacity', atMs: 4 * MINUTE, zones: ['us-east-1b'], forMs: 6 * MINUTE },
      ...INTERRUPTED,
    ];
    const result = await simulated(
      { persistentVolumeClaims: [aVolumeClaim()], storageClasses: [aStorageClass()] },
      events,
    );
    expect(new Set(zones(result))).toEqual(new Set(['us-east-1b']));
    const started = result.timeline.filter((entry) => entry.kind === 'pod-running').map(({ at }) => at);
    expect(started).toHaveLength(2);
    expect(started[1]).toBeGreaterThan(10 * 60);
    expect(result).toMatchObject({ podsRunning: 1, podsPending: [] });
  });

  test('of a class with Immediate binding', async () => {
    const topology = [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['us-east-1b'] }] }];
    const immediate = aStorageClass({ volumeBindingMode: 'Immediate', allowedTopologies: topology });
    const result = await simulated({ persistentVolumeClaims: [aVolumeClaim()], storageClasses: [immediate] });
    expect(zones(result)).toEqual(['us-east-1b']);
    expect(result).toMatchObject({ podsRunning: 1 });
  });
});

describe('a pod stays pending, with a reason', () => {
  test.each<{ readonly rule: string; readonly given: Partial<ClusterManifests>; readonly reason: string }>([
    {
      rule: 'without its claim',
      given: { persistentVolumeClaims: [aVolumeClaim({ name: 'other' })] },
      reason: 'PersistentVolumeClaim default/data of volume data does not exist: create it',
    },
    {
      rule: 'without the class of its claim',
      given: { persistentVolumeClaims: [aVolumeClaim({ storageClass: 'fast' })], storageClasses: [aStorageClass()] },
      reason: 'StorageClass fast of PersistentVolumeClaim default/data does not exist: create it, or use another class',
    },
  ])('$rule', async ({ given, reason }) => {
    const result = await simulated(given);
    expect(result).toMatchObject({ nodesLaunched: 0, podsPending: [{ reason }] });
  });
});

test('without storage objects in the manifests, stand-ins are used and named', async () => {
  const result = await simulated({
    deployments: database([
      ...DATA,
      { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'fast' } } } },
      { name: 'cache', ephemeral: { volumeClaimTemplate: { spec: {} } } },
    ]),
  });
  expect(result).toMatchObject({ podsRunning: 1, podsPending: [] });
  expect(result.notes).toEqual([
    'PersistentVolumeClaim default/data: no file has a PersistentVolumeClaim: a claim of the default class stands in, bound to a new volume in the zone of its first pod',
    'The default StorageClass, StorageClass fast: it is not in the files: a class of ebs.csi.aws.com with WaitForFirstConsumer stands in',
  ]);
});
