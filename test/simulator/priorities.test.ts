import { describe, expect, test } from 'vitest';
import type { ClusterManifests } from '../../lib/apis/cluster-manifests.ts';
import type { Deployment, PodSpec } from '../../lib/apis/kubernetes.ts';
import type { SimulationResult } from '../../lib/simulator/result.ts';
import { runSimulation } from '../../lib/simulator/simulation.ts';
import { CATALOGUE } from '../builders/catalogues.ts';
import { aDeployment, aPool, someManifests } from '../builders/cluster-manifests.ts';
import { MINUTE } from '../builders/times.ts';

const HIGH = { metadata: { name: 'high' }, value: 1_000 };

function withSpec(deployment: Deployment, over: Partial<PodSpec>): Deployment {
  const { template } = deployment.spec;
  const spec = { ...template.spec, ...over };
  return { ...deployment, spec: { ...deployment.spec, template: { ...template, spec } } };
}

async function simulated(over: Partial<ClusterManifests>): Promise<SimulationResult> {
  return runSimulation({
    manifests: someManifests(over),
    catalogue: CATALOGUE,
    seed: 1,
    durationMs: 15 * MINUTE,
    // The pods of priority come when the cluster is full.
    scenario: { name: 'full', events: [{ kind: 'scale', atMs: 5 * MINUTE, deployment: 'default/vip', replicas: 2 }] },
  });
}

const entries = ({ timeline }: SimulationResult, kind: string, workload: string): number =>
  timeline.filter((entry) => entry.kind === kind && 'workload' in entry && entry.workload === workload).length;

/** Four CPUs are all that the pool may have; three pods of one CPU leave less than one CPU free. */
const LIMITED = [aPool({ limits: { cpu: '4' } })];

describe('in a full cluster whose pool is at its limit', () => {
  const vip = (over: Partial<PodSpec>): Deployment => withSpec(aDeployment('vip', 0), over);

  test('pods of a higher priority get the places of others, which stay pending', async () => {
    const result = await simulated({
      nodePools: LIMITED,
      priorityClasses: [HIGH],
      deployments: [aDeployment('web', 3), vip({ priorityClassName: 'high' })],
    });
    expect(entries(result, 'pod-preempted', 'Deployment default/web')).toBe(2);
    expect(entries(result, 'pod-running', 'Deployment default/vip')).toBe(2);
    expect(result.podsPending.map(({ pod }) => pod.replace(/-[^-]*-[^-]*$/, ''))).toEqual([
      'default/web',
      'default/web',
    ]);
    // Kerf launches nothing for pods that wait for others to end.
    const asked = result.timeline.flatMap((entry) => (entry.kind === 'create-node-claim' ? entry.pods : []));
    expect(asked.filter((pod) => pod.includes('vip'))).toEqual([]);
  });

  test.each<{ readonly rule: string; readonly given: Partial<ClusterManifests>; readonly spec: Partial<PodSpec> }>([
    { rule: 'of the same priority', given: {}, spec: {} },
    {
      rule: 'with preemptionPolicy Never',
      given: { priorityClasses: [{ ...HIGH, preemptionPolicy: 'Never' }] },
      spec: { priorityClassName: 'high' },
    },
    {
      rule: 'of the same priority by a class with globalDefault',
      given: { priorityClasses: [HIGH, { ...HIGH, metadata: { name: 'usual' }, globalDefault: true }] },
      spec: { priorityClassName: 'high' },
    },
  ])('pods $rule wait', async ({ given, spec }) => {
    const result = await simulated({ nodePools: LIMITED, deployments: [aDeployment('web', 3), vip(spec)], ...given });
    expect(entries(result, 'pod-preempted', 'Deployment default/web')).toBe(0);
    expect(result.podsPending.map(({ pod }) => pod.replace(/-[^-]*-[^-]*$/, ''))).toEqual([
      'default/vip',
      'default/vip',
    ]);
  });
});

test('a system class exists in every cluster, and a class that is not in the files is named', async () => {
  const result = await simulated({
    deployments: [
      withSpec(aDeployment('web', 1), { priorityClassName: 'system-cluster-critical' }),
      withSpec(aDeployment('vip', 0), { priorityClassName: 'gone' }),
    ],
  });
  expect(result.podsRunning).toBe(3);
  expect(result.notes).toEqual(['PriorityClass gone: it is not in the files: its pods have the priority 0']);
});
