import { describe, expect, test } from 'vitest';
import type { ClusterManifests } from '../../../lib/apis/cluster-manifests.ts';
import { type PodDisruptionBudget, podKey } from '../../../lib/apis/kubernetes.ts';
import { budgetStatus } from '../../../lib/simulator/kubernetes/disruptions-allowed.ts';
import { simulatedCluster } from '../../../lib/simulator/kubernetes/simulated-cluster.ts';
import { writePod } from '../../../lib/simulator/kubernetes/state.ts';
import { scaleWorkload } from '../../../lib/simulator/kubernetes/workloads/scale.ts';
import { aDeployment, aJob, aJobTemplate, aStatefulSet } from '../../builders/cluster-manifests.ts';
import { aPod, type PodOptions } from '../../builders/pods.ts';
import { type Played, play } from '../workloads/played.ts';

const LABELS = { app: 'web' };

function aBudget(rule: Partial<PodDisruptionBudget['spec']>): PodDisruptionBudget {
  return { metadata: { name: 'web', namespace: 'default' }, spec: { selector: { matchLabels: LABELS }, ...rule } };
}

/** A cluster whose pods of these workloads run, and the status of the budget. */
async function running(
  workloads: Partial<ClusterManifests>,
  rule: Partial<PodDisruptionBudget['spec']>,
): Promise<Played & { readonly status: () => ReturnType<typeof budgetStatus> }> {
  const budget = aBudget(rule);
  const played = play({ podDisruptionBudgets: [budget], ...workloads });
  await played.to(10);
  return { ...played, status: () => budgetStatus(budget, played.state) };
}

/** Evicts the running pods one after the other, without time for new ones. *Shape:* the number of evicted pods. */
async function evicted(played: Played): Promise<number> {
  const cluster = simulatedCluster(played.state, played.timetable);
  let count = 0;
  for (const pod of played.pods('Running')) {
    const [namespace = '', name = ''] = podKey(pod).split('/');
    const { kind } = await cluster.evictPod({ namespace, name, uid: pod.metadata.uid ?? '' });
    if (kind === 'evicted') count += 1;
  }
  return count;
}

const web = aDeployment('web', 3);

describe('a budget expects the replicas of the controllers of its pods', () => {
  const kinds: readonly (readonly [string, Partial<ClusterManifests>])[] = [
    ['a Deployment', { deployments: [web] }],
    ['a ReplicaSet', { replicaSets: [web] }],
    ['a ReplicaSet whose name looks like that of a Deployment', { replicaSets: [named('web-7d9f8b6c5d')] }],
    ['a StatefulSet', { statefulSets: [aStatefulSet('web')] }],
  ];

  test.each(kinds)('%s: one eviction of maxUnavailable: 1', async (_, workloads) => {
    const cluster = await running(workloads, { maxUnavailable: 1 });
    expect(cluster.status()).toEqual({ disruptionsAllowed: 1, expectedPods: 3, desiredHealthy: 2, currentHealthy: 3 });
    expect(await evicted(cluster)).toBe(1);
    expect(cluster.status()).toMatchObject({ disruptionsAllowed: 0, expectedPods: 3, currentHealthy: 2 });
  });

  test.each(kinds)('%s: one eviction of minAvailable: 50%%', async (_, workloads) => {
    expect(await evicted(await running(workloads, { minAvailable: '50%' }))).toBe(1);
  });

  test('of several controllers, it expects the sum', async () => {
    const workloads = { replicaSets: [web], statefulSets: [named('db')] };
    const cluster = await running(workloads, { maxUnavailable: '34%' });
    expect(cluster.status()).toMatchObject({ expectedPods: 6, desiredHealthy: 3, disruptionsAllowed: 3 });
    expect(await evicted(cluster)).toBe(3);
  });

  test('also if they are fewer than its pods, while the workload is scaled down', async () => {
    const { status, state } = await running({ deployments: [web] }, { maxUnavailable: 1 });
    scaleWorkload(state, { kind: 'Deployment', key: 'default/web' }, 1);
    expect(status()).toEqual({ disruptionsAllowed: 3, expectedPods: 1, desiredHealthy: 0, currentHealthy: 3 });
  });
});

describe('a budget that needs replicas allows no disruption', () => {
  const rules = [{ maxUnavailable: 1 }, { maxUnavailable: '50%' }, { minAvailable: '50%' }];

  test.each(rules)(
    'if a pod has a controller without replicas, and the sync of the budget has failed: %j',
    async (rule) => {
      const template = { ...aJobTemplate('1h'), metadata: { ...aJobTemplate('1h').metadata, labels: LABELS } };
      const cluster = await running({ deployments: [web], jobs: [aJob('import', { template })] }, rule);
      expect(cluster.status()).toMatchObject({
        disruptionsAllowed: 0,
        conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed' }],
      });
      expect(await evicted(cluster)).toBe(0);
    },
  );

  test.each(rules)('if its pods have no controller, of which it expects none: %j', async (rule) => {
    const cluster = await running({ pods: [bare({ name: 'one' }), bare({ name: 'two' })] }, rule);
    expect(cluster.status()).toMatchObject({ disruptionsAllowed: 0, expectedPods: 0, currentHealthy: 2 });
    expect(cluster.status()).not.toHaveProperty('conditions');
    expect(await evicted(cluster)).toBe(0);
  });
});

test('a pod without a controller beside others is healthy and not expected, so its budget allows one eviction more', async () => {
  const { status, state } = await running({ deployments: [web] }, { maxUnavailable: 0 });
  writePod(state, { ...bare({ name: 'one' }), status: { conditions: [{ type: 'Ready', status: 'True' }] } });
  expect(status()).toEqual({ disruptionsAllowed: 1, expectedPods: 3, desiredHealthy: 3, currentHealthy: 4 });
});

test('a budget with a number as minAvailable counts its pods, also those without a controller', async () => {
  const cluster = await running({ pods: ['one', 'two', 'three'].map((name) => bare({ name })) }, { minAvailable: 1 });
  expect(cluster.status()).toEqual({ disruptionsAllowed: 2, expectedPods: 3, desiredHealthy: 1, currentHealthy: 3 });
  expect(await evicted(cluster)).toBe(2);
});

function named(name: string): typeof web {
  return { ...web, metadata: { ...web.metadata, name } };
}

function bare(options: PodOptions): ReturnType<typeof aPod> {
  const { metadata, spec } = aPod({ ...options, labels: LABELS });
  const { ownerReferences: _, ...own } = metadata;
  return { metadata: own, spec };
}
