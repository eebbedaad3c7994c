import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { UsageCurve } from '../../../lib/apis/scenario/usage.ts';
import type { HorizontalPodAutoscaler } from '../../../lib/apis/workloads.ts';
import { usageAt } from '../../../lib/simulator/kubernetes/workloads/usage-curve.ts';
import { aDeployment } from '../../builders/cluster-manifests.ts';
import { type Played, play } from './played.ts';

/** Scales Deployment web, whose pods request 1 cpu, to 50 % of the requests. */
function autoscaler(spec: Partial<HorizontalPodAutoscaler['spec']> = {}): HorizontalPodAutoscaler {
  return {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'web' },
      minReplicas: 2,
      maxReplicas: 20,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
      ...spec,
    },
  };
}

function usage(...points: readonly (readonly [minutes: number, cores: number])[]): UsageCurve {
  return {
    workload: { kind: 'Deployment', key: 'default/web' },
    points: points.map(([minutes, cores]) => ({ atMs: minutes * MINUTE_MS, cores })),
  };
}

function scaled(
  curves: readonly UsageCurve[],
  spec: Partial<HorizontalPodAutoscaler['spec']> = {},
  replicas = 2,
): Played {
  const manifests = { deployments: [aDeployment('web', replicas)], horizontalPodAutoscalers: [autoscaler(spec)] };
  return play(manifests, { scenario: { name: 'day', events: [], usage: curves } });
}

const replicas = ({ state }: Played): number | undefined => state.deployments.get('default/web')?.spec.replicas;

/** The replicas at these times. *Units:* minutes after the start. */
async function replicasAt(played: Played, ...minutes: readonly number[]): Promise<readonly (number | undefined)[]> {
  const found: (number | undefined)[] = [];
  for (const minute of minutes) {
    await played.to(minute);
    found.push(replicas(played));
  }
  return found;
}

describe('a HorizontalPodAutoscaler', () => {
  test('sets the replicas that the usage needs at its target, within minReplicas and maxReplicas', async () => {
    const played = scaled([usage([0, 1], [10, 1], [10.2, 4], [20, 4], [20.2, 40])]);
    expect(await replicasAt(played, 9, 15, 30)).toEqual([2, 8, 20]);
    expect(played.pods('Running').length).toBe(20);
  });

  test('scales by the usage only while a pod runs: without one there are no metrics', async () => {
    const played = scaled([usage([0, 4])]);
    expect(await replicasAt(played, 0.5, 5)).toEqual([2, 8]);
  });

  test('doubles the replicas at most every 15 seconds', async () => {
    const played = scaled([usage([0, 1], [10, 1], [10.1, 10])]);
    expect(await replicasAt(played, 10.2, 10.4, 10.7, 10.9, 11.2)).toEqual([2, 4, 8, 16, 20]);
  });

  test('ignores a difference of a tenth', async () => {
    const played = scaled([usage([0, 4.4])], {}, 8);
    expect(await replicasAt(played, 10)).toEqual([8]);
    expect(await replicasAt(scaled([usage([0, 4.5])], {}, 8), 10)).toEqual([9]);
  });

  test('ignores a difference up to the tolerance of its behavior', async () => {
    const curve = [usage([0, 1], [10, 1], [10.1, 4], [20, 4], [20.1, 1.2])];
    const at = async (behavior: NonNullable<HorizontalPodAutoscaler['spec']['behavior']>) =>
      replicasAt(scaled(curve, { minReplicas: 1, behavior }), 15, 30);
    expect(await at({})).toEqual([8, 3]);
    expect(await at({ scaleUp: { tolerance: '5' } })).toEqual([2, 2]);
    // The first step adds four pods, and the second one would be within the tolerance.
    expect(await at({ scaleUp: { tolerance: 2.9 }, scaleDown: { tolerance: '700m' } })).toEqual([6, 6]);
    expect(await at({ scaleDown: { tolerance: '0.6' } })).toEqual([8, 3]);
  });

  test('that shares its target with another one only keeps it between the limits', async () => {
    const manifests = {
      deployments: [aDeployment('web', 2)],
      horizontalPodAutoscalers: [
        autoscaler(),
        { ...autoscaler({ minReplicas: 7 }), metadata: { name: 'second', namespace: 'default' } },
      ],
    };
    const played = play(manifests, { scenario: { name: 'day', events: [], usage: [usage([0, 10])] } });
    expect(await replicasAt(played, 10)).toEqual([7]);
  });

  test('that does not exist gives the usage of a workload no effect, and the notes say so', async () => {
    const manifests = { deployments: [aDeployment('web', 2)] };
    const played = play(manifests, { scenario: { name: 'day', events: [], usage: [usage([0, 10])] } });
    expect(await replicasAt(played, 10)).toEqual([2]);
    expect(played.timeline.remarks.lines()).toEqual([
      'Deployment default/web: its usage in the Scenario has no effect: no HorizontalPodAutoscaler scales it',
    ]);
  });

  test('scales down to the highest recommendation of the last five minutes', async () => {
    const played = scaled([usage([0, 4], [10, 4], [10.1, 2])], {}, 8);
    expect(await replicasAt(played, 14.9, 15.3)).toEqual([8, 4]);
  });

  test('follows the policies of its behavior', async () => {
    const policies = [{ type: 'Pods', value: 1, periodSeconds: 60 }] as const;
    const behavior = { scaleUp: { policies }, scaleDown: { stabilizationWindowSeconds: 0, policies } };
    const played = scaled([usage([0, 1], [10, 1], [10.1, 3], [20, 3], [20.1, 2])], { behavior });
    expect(await replicasAt(played, 10.5, 11.5, 12.5, 15, 20.5, 21.5)).toEqual([3, 4, 5, 6, 5, 4]);
  });

  test('stays between minReplicas and maxReplicas without a curve, and the notes say so', async () => {
    const played = scaled([], { minReplicas: 3 });
    expect(await replicasAt(played, 10)).toEqual([3]);
    expect(played.timeline.remarks.lines()).toEqual([
      'HorizontalPodAutoscaler default/web: no usage of its target in the Scenario (spec.usage): the replicas only stay between minReplicas and maxReplicas',
    ]);
  });

  test('of an unknown target, or with other metrics, is named', async () => {
    const none = scaled([], { scaleTargetRef: { kind: 'Rollout', name: 'web' } });
    await none.to(1);
    expect(none.timeline.remarks.lines()[0]).toContain('its target is not a Deployment, ReplicaSet or StatefulSet');
    const other = scaled([usage([0, 4])], { metrics: [{ type: 'External' }] });
    await other.to(1);
    expect(other.timeline.remarks.lines().join()).toContain('its metric External is not simulated');
    expect(replicas(other)).toBe(2);
  });

  test('of autoscaling/v1 has a target for the cpu', async () => {
    const played = scaled([usage([0, 4])], { metrics: [], targetCPUUtilizationPercentage: 100 });
    expect(await replicasAt(played, 5)).toEqual([4]);
  });
});

test('the usage is linear between the points, and begins again after repeats', () => {
  const curve = { ...usage([0, 2], [480, 40], [960, 2]), repeatsMs: 24 * HOUR_MS };
  expect([0, 4, 8, 12, 20, 24, 28].map((hours) => usageAt(curve, hours * HOUR_MS))).toEqual([2, 21, 40, 21, 2, 2, 21]);
  expect(usageAt(usage([10, 3]), 0)).toBe(3);
});
