import { expect, test } from 'vitest';
import type { PodDisruptionBudget } from '../../../lib/apis/kubernetes.ts';
import type { FieldProblem } from '../../../lib/core/validation/field-problem.ts';
import { podDisruptionBudgetAdvice, type Workload } from '../../../lib/manifests/lint/pod-disruption-budget.ts';
import { sentences } from './sentences.ts';

const selector = { matchLabels: { app: 'web' } };

function web(replicas?: number, more: Partial<Workload> = {}): Workload {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [] } };
  const spec = { ...(replicas === undefined ? {} : { replicas }), selector, template };
  return { kind: 'Deployment', metadata: { name: 'web' }, spec, ...more };
}

function budget(spec: PodDisruptionBudget['spec'], ...workloads: readonly Workload[]): readonly FieldProblem[] {
  return podDisruptionBudgetAdvice({ metadata: { name: 'web' }, spec: { selector, ...spec } }, workloads);
}

type Case = readonly [rule: string, advice: () => readonly FieldProblem[], expected: readonly string[]];

test.each<Case>([
  [
    'none may be unavailable',
    () => budget({ maxUnavailable: 0 }),
    [
      'spec.maxUnavailable: is 0, so its pods can never be evicted, and nodes with these pods drain only after their terminationGracePeriod, or never; write at least 1, or a percentage above 0%',
    ],
  ],
  [
    'no share may be unavailable',
    () => budget({ maxUnavailable: '0%' }),
    [
      'spec.maxUnavailable: is 0%, so its pods can never be evicted, and nodes with these pods drain only after their terminationGracePeriod, or never; write at least 1, or a percentage above 0%',
    ],
  ],
  [
    'all must be available',
    () => budget({ minAvailable: '100%' }),
    [
      'spec.minAvailable: is 100%, so its pods can never be evicted, and nodes with these pods drain only after their terminationGracePeriod, or never; write a lower percentage, or maxUnavailable: 1',
    ],
  ],
  [
    'the only replica must be available',
    () => budget({ minAvailable: 1 }, web(1)),
    [
      'spec.minAvailable: is 1, but Deployment/web has 1 replica, so its pods can never be evicted, and nodes with these pods drain only after their terminationGracePeriod, or never; write maxUnavailable: 1 instead, or run 2 replicas',
    ],
  ],
  [
    'a Deployment that does not say how many has one replica',
    () => budget({ minAvailable: 1 }, web()),
    [
      'spec.minAvailable: is 1, but Deployment/web has 1 replica, so its pods can never be evicted, and nodes with these pods drain only after their terminationGracePeriod, or never; write maxUnavailable: 1 instead, or run 2 replicas',
    ],
  ],
  [
    'as many must be available as there are',
    () => budget({ minAvailable: 3 }, web(3)),
    [
      'spec.minAvailable: is 3, but Deployment/web has 3 replicas, so its pods can never be evicted, and nodes with these pods drain only after their terminationGracePeriod, or never; write at most 2, or maxUnavailable: 1 instead',
    ],
  ],
  [
    'the replicas of all workloads add up',
    () => budget({ minAvailable: 5 }, web(3), web(2, { kind: 'StatefulSet', metadata: { name: 'store' } })),
    [
      'spec.minAvailable: is 5, but Deployment/web and StatefulSet/store have 5 replicas, so its pods can never be evicted, and nodes with these pods drain only after their terminationGracePeriod, or never; write at most 4, or maxUnavailable: 1 instead',
    ],
  ],
  [
    'shares round up',
    () => budget({ minAvailable: '50%' }, web(1)),
    [
      'spec.minAvailable: is 50%, but Deployment/web has 1 replica, which requires 1 of them, so its pods can never be evicted, and nodes with these pods drain only after their terminationGracePeriod, or never; write maxUnavailable: 1 instead, or run 2 replicas',
    ],
  ],
  ['one of two may go', () => budget({ minAvailable: 1 }, web(2)), []],
  ['a share that leaves one is fine', () => budget({ minAvailable: '50%' }, web(2)), []],
  ['one may be unavailable', () => budget({ maxUnavailable: 1 }, web(1)), []],
  ['the workload is not in these files', () => budget({ minAvailable: 1 }), []],
  [
    'the workload is in another namespace',
    () => budget({ minAvailable: 1 }, web(1, { metadata: { name: 'web', namespace: 'shop' } })),
    [],
  ],
  ['something else scales the workload', () => budget({ minAvailable: 1 }, web(1, { autoscaled: true })), []],
  ['the workload is scaled to nothing', () => budget({ minAvailable: 1 }, web(0)), []],
  [
    'a budget without a selector has no pods',
    () => podDisruptionBudgetAdvice({ metadata: { name: 'web' }, spec: { maxUnavailable: 0 } }, []),
    [],
  ],
])('%s', (_, advice, expected) => {
  expect(sentences(advice())).toEqual(expected);
});
