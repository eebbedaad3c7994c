import { describe, expect, test } from 'vitest';
import type { Node, Pod, PodDisruptionBudget } from '../../../lib/apis/kubernetes.ts';
import { kubeScheduler } from '../../../lib/simulator/kubernetes/scheduler/kube-scheduler.ts';
import { type KubernetesState, removePod, writePod } from '../../../lib/simulator/kubernetes/state.ts';
import { aNode } from '../../builders/nodes.ts';
import { affinityTerm, aPod, avoiding, runningPod } from '../../builders/pods.ts';
import { NOW_MS } from '../../builders/times.ts';
import { CLOCK, clusterWith, placesIn } from './cluster-with.ts';

const TEN = { cpu: '10', memory: '100Gi', pods: '99' };
const nodes = (...names: readonly string[]): readonly Node[] => names.map((name) => aNode({ name, allocatable: TEN }));

interface Low {
  readonly cpu?: string;
  readonly priority?: number;
  readonly startedAgoMs?: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A running pod with 10 CPUs and priority 0. */
function low(node: string, name: string, { cpu = '10', priority = 0, startedAgoMs = 0, labels }: Low = {}): Pod {
  const startTime = new Date(NOW_MS - startedAgoMs).toISOString();
  const status = { phase: 'Running', startTime, conditions: [{ type: 'Ready', status: 'True' }] } as const;
  const requests = { cpu };
  return runningPod(node, { name, requests, spec: { priority }, status, ...(labels === undefined ? {} : { labels }) });
}

const high = (over: Partial<Pod['spec']> = {}, cpu = '10'): Pod =>
  aPod({ name: 'high', requests: { cpu }, spec: { priority: 1_000, ...over } });

/** The names of the pods that are deleted, and the node for which the pod is nominated. */
function preempted(state: KubernetesState): { readonly victims: readonly string[]; readonly nominated: string } {
  const pods = [...state.pods.values()];
  const victims = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  return {
    victims: victims.map(({ metadata }) => metadata.name).toSorted(),
    nominated: state.pods.get('default/high')?.status?.nominatedNodeName ?? 'none',
  };
}

function afterPass(pods: readonly Pod[], on: readonly Node[], budgets: readonly PodDisruptionBudget[] = []) {
  const state = clusterWith({ nodes: on, pods });
  state.podDisruptionBudgets = budgets;
  kubeScheduler(state, CLOCK).pass();
  return state;
}

describe('a pod that no node has room for', () => {
  test('gets the room of a pod of lower priority, and waits on its node until it has ended', () => {
    const victim = low('a', 'low');
    const state = clusterWith({ nodes: nodes('a'), pods: [victim, high()] });
    const scheduler = kubeScheduler(state, CLOCK);
    scheduler.pass();
    expect(preempted(state)).toEqual({ victims: ['low'], nominated: 'a' });
    const deleted = state.pods.get('default/low');
    expect(deleted?.status?.conditions?.at(-1)).toMatchObject({
      type: 'DisruptionTarget',
      reason: 'PreemptionByScheduler',
    });
    // Its grace period is the default of 30 s.
    expect(Date.parse(deleted?.metadata.deletionTimestamp ?? '')).toBe(NOW_MS + 30_000);
    expect(state.pods.get('default/high')?.status?.conditions).toMatchObject([{ reason: 'Unschedulable' }]);
    writePod(state, aPod({ name: 'another', requests: { cpu: '1' } }));
    scheduler.pass();
    expect(preempted(state)).toEqual({ victims: ['low'], nominated: 'a' });
    removePod(state, victim);
    scheduler.pass();
    expect(placesIn(state)).toEqual({ high: 'a', another: 'none' });
    expect(state.pods.get('default/high')?.status).not.toHaveProperty('nominatedNodeName');
  });

  test('does not preempt where a node has room', () => {
    const state = afterPass([low('a', 'low'), high()], nodes('a', 'b'));
    expect(preempted(state)).toEqual({ victims: [], nominated: 'none' });
    expect(placesIn(state)['high']).toBe('b');
  });

  test.each([
    ['of the same priority', [low('a', 'low', { priority: 1_000 })], high()],
    ['with preemptionPolicy Never', [low('a', 'low')], high({ preemptionPolicy: 'Never' })],
    ['that does not fit the empty node', [low('a', 'low')], high({}, '11')],
    ['that the node does not admit', [low('a', 'low')], high({ nodeSelector: { team: 'x' } })],
  ])('does not preempt: a pod %s', (_, there, pod) => {
    expect(preempted(afterPass([...there, pod], nodes('a')))).toEqual({ victims: [], nominated: 'none' });
  });

  test('deletes only as many pods as necessary, and keeps the most important', () => {
    const there = [
      low('a', 'oldest', { cpu: '4', startedAgoMs: 60_000 }),
      low('a', 'newest', { cpu: '4' }),
      low('a', 'better', { cpu: '2', priority: 5 }),
    ];
    expect(preempted(afterPass([...there, high({}, '3')], nodes('a')))).toEqual({
      victims: ['newest'],
      nominated: 'a',
    });
  });

  test('gets a node that its anti-affinity excluded', () => {
    const web = { app: 'web' };
    const term = affinityTerm({ topologyKey: 'kubernetes.io/hostname' });
    const pod = { ...high({ affinity: avoiding(term) }, '1') };
    const state = afterPass([low('a', 'low', { cpu: '1', labels: web }), pod], nodes('a'));
    expect(preempted(state)).toEqual({ victims: ['low'], nominated: 'a' });
  });
});

describe('of several nodes, the pod gets the one', () => {
  const budget: PodDisruptionBudget = {
    metadata: { name: 'guarded', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'guarded' } }, maxUnavailable: 0 },
  };
  test.each<{ readonly rule: string; readonly there: readonly Pod[]; readonly victims: readonly string[] }>([
    {
      rule: 'with the fewest violated PodDisruptionBudgets',
      there: [low('a', 'on-a', { labels: { app: 'guarded' } }), low('b', 'on-b', { priority: 9 })],
      victims: ['on-b'],
    },
    {
      rule: 'then the lowest highest priority',
      there: [low('a', 'on-a', { priority: 9 }), low('b', 'on-b', { priority: 8 })],
      victims: ['on-b'],
    },
    {
      rule: 'then the lowest sum of priorities',
      there: [
        low('a', 'a-1', { cpu: '5', priority: 9 }),
        low('a', 'a-2', { cpu: '5', priority: 9 }),
        low('b', 'b-1', { cpu: '5', priority: 9 }),
        low('b', 'b-2', { cpu: '5', priority: 1 }),
      ],
      victims: ['b-1', 'b-2'],
    },
    {
      rule: 'then the fewest pods',
      there: [low('a', 'a-1', { cpu: '5' }), low('a', 'a-2', { cpu: '5' }), low('b', 'on-b')],
      victims: ['on-b'],
    },
    {
      rule: 'then the pods that started last',
      there: [low('a', 'on-a', { startedAgoMs: 60_000 }), low('b', 'on-b', { startedAgoMs: 30_000 })],
      victims: ['on-b'],
    },
    { rule: 'then the first by name', there: [low('b', 'on-b'), low('a', 'on-a')], victims: ['on-a'] },
  ])('$rule', ({ there, victims }) => {
    expect(preempted(afterPass([...there, high()], nodes('a', 'b'), [budget])).victims).toEqual(victims);
  });
});

test('two pods of one pass do not get the room of the same pod', () => {
  const higher = aPod({ name: 'higher', requests: { cpu: '10' }, spec: { priority: 1_000 } });
  const pods = [low('a', 'on-a'), low('b', 'on-b'), high(), higher];
  const state = afterPass(pods, nodes('a', 'b'));
  expect(preempted(state).victims).toEqual(['on-a', 'on-b']);
  expect(state.pods.get('default/higher')?.status?.nominatedNodeName).toBe('b');
});

test('a pod of lower priority does not take the room that a nominated pod waits for', () => {
  const state = clusterWith({ nodes: nodes('a'), pods: [low('a', 'low'), high()] });
  const scheduler = kubeScheduler(state, CLOCK);
  scheduler.pass();
  removePod(state, low('a', 'low'));
  writePod(state, { ...aPod({ name: 'thief', requests: { cpu: '1' }, createdAtMs: NOW_MS - 60_000 }) });
  scheduler.pass();
  expect(placesIn(state)).toEqual({ high: 'a', thief: 'none' });
});
