import { expect, test } from 'vitest';
import { readManifests } from '../../../lib/manifests/read/read-manifests.ts';
import { expectProblems } from './expect-problems.ts';
import { DEPLOYMENT, edit, join } from './texts.ts';

const HPA = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 2
  maxReplicas: 10
  metrics:
    - type: Resource
      resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}
`;
const DAY = `apiVersion: kerf.dev/v1alpha1
kind: Scenario
metadata:
  name: day
spec:
  usage:
    - target: Deployment/web
      cpu: [{at: 0s, total: 2}, {at: 8h, total: 40}]
      repeats: 24h
`;
const hpa = (from: string, to: string): string => edit(HPA, from, to);
const day = (from: string, to: string): string => edit(DAY, from, to);

expectProblems('a broken autoscaler or usage is refused', [
  [hpa('maxReplicas: 10', 'maxReplicas: 1'), 8, 'spec.maxReplicas', '1 is less than minReplicas, 2'],
  [hpa('maxReplicas', 'maxReplica'), 8, 'spec.maxReplica', 'did you mean maxReplicas?'],
  [hpa('type: Resource', 'type: Resources'), 10, 'spec.metrics[0].type', 'did you mean Resource?'],
  [day('repeats: 24h', 'repeats: 0s'), 9, 'spec.usage[0].repeats', 'write a duration such as 24h'],
  [
    day('repeats: 24h', 'repeats: 4h'),
    8,
    'spec.usage[0].cpu[1].at',
    '"8h" is after the curve repeats; write at most 4h',
  ],
  [day('Deployment/web', 'Deployment/web'), 7, 'spec.usage[0].target', 'no file has a Deployment "default/web"'],
]);

test('autoscalers of autoscaling/v2 and v1 and the usage of a Scenario are read', () => {
  const v1 = edit(
    edit(HPA.slice(0, HPA.indexOf('  metrics')), 'autoscaling/v2', 'autoscaling/v1'),
    'name: web\nspec',
    'name: old\nspec',
  );
  const { manifests, problems } = readManifests([
    { file: 'a.yaml', text: join(HPA, `${v1}  targetCPUUtilizationPercentage: 70\n`, DEPLOYMENT, DAY) },
  ]);
  expect(problems).toEqual([]);
  expect(manifests.horizontalPodAutoscalers.map(({ metadata }) => metadata.name)).toEqual(['web', 'old']);
  expect(manifests.scenarios[0]?.usage).toEqual([
    {
      workload: { kind: 'Deployment', key: 'default/web' },
      points: [
        { atMs: 0, cores: 2 },
        { atMs: 28_800_000, cores: 40 },
      ],
      repeatsMs: 86_400_000,
    },
  ]);
});
