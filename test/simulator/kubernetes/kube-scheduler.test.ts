import { describe, expect, test } from 'vitest';
import type { Affinity, Node, Pod } from '../../../lib/apis/kubernetes.ts';
import { kubeScheduler } from '../../../lib/simulator/kubernetes/scheduler/kube-scheduler.ts';
import {
  type KubernetesState,
  removeNode,
  removePod,
  writeNode,
  writePod,
} from '../../../lib/simulator/kubernetes/state.ts';
import { type Random, randomFrom } from '../../../lib/simulator/random.ts';
import { aNode } from '../../builders/nodes.ts';
import { affinityTerm, aPod, avoiding, joining, runningPod, spread } from '../../builders/pods.ts';
import { NOW_MS } from '../../builders/times.ts';
import { CLOCK, clusterWith, placesAfterPass, placesIn } from './cluster-with.ts';

const LARGE = { cpu: '64', memory: '256Gi', pods: '99' };

describe('the order of pending pods', () => {
  const oneFits = [aNode({ allocatable: { cpu: '1', memory: '8Gi', pods: '1' } })];
  const first = aPod({ name: 'first', requests: { cpu: '500m' } });
  test.each([
    { rule: 'by priority', other: aPod({ name: 'other', requests: { cpu: '100m' }, spec: { priority: 1 } }) },
    {
      rule: 'then the oldest',
      other: aPod({ name: 'other', requests: { cpu: '100m' }, createdAtMs: NOW_MS - 60_000 }),
    },
  ])('$rule', ({ other }) => {
    const placed = { first: 'none', other: 'node-1' };
    expect(placesAfterPass({ nodes: oneFits, pods: [first, other] })).toEqual(placed);
    expect(placesAfterPass({ nodes: oneFits, pods: [other, first] })).toEqual(placed);
  });

  test('pods of one second are tried in the order in which they were created, whatever they request', () => {
    const other = aPod({ name: 'other', requests: { cpu: '900m', memory: '2Gi' } });
    expect(placesAfterPass({ nodes: oneFits, pods: [first, other] })).toEqual({ first: 'node-1', other: 'none' });
    expect(placesAfterPass({ nodes: oneFits, pods: [other, first] })).toEqual({ first: 'none', other: 'node-1' });
  });

  test('gated and terminating pods are not scheduled', () => {
    const gated = aPod({ name: 'gated', spec: { schedulingGates: [{ name: 'wait' }] } });
    const ending = aPod({ name: 'ending', deletionMs: NOW_MS });
    expect(placesAfterPass({ nodes: [aNode()], pods: [gated, ending] })).toEqual({ gated: 'none', ending: 'none' });
  });
});

describe('of the nodes that fit the pod', () => {
  const [small, large] = [aNode({ name: 'small', zone: 'zone-a' }), aNode({ name: 'large', allocatable: LARGE })];
  const soft = { key: 'team', effect: 'PreferNoSchedule' } as const;
  test.each([
    { rule: 'the one with the most free resources afterwards', nodes: [small, large], affinity: {}, chosen: 'large' },
    {
      rule: 'of equals the first by name',
      nodes: [aNode({ name: 'b' }), aNode({ name: 'a' })],
      affinity: {},
      chosen: 'a',
    },
    { rule: 'the one that it prefers first', nodes: [small, large], affinity: preferring('zone-a'), chosen: 'small' },
    { rule: 'any if none is preferred', nodes: [small, large], affinity: preferring('zone-z'), chosen: 'large' },
    {
      rule: 'one with a PreferNoSchedule taint last',
      nodes: [small, { ...large, spec: { taints: [soft] } }],
      affinity: {},
      chosen: 'small',
    },
  ])('$rule', ({ nodes, affinity, chosen }) => {
    expect(placesAfterPass({ nodes, pods: [aPod({ spec: { affinity } })] })).toEqual({ 'web-1': chosen });
  });
});

describe('from one pass to the next', () => {
  const big = aPod({ name: 'big', requests: { cpu: '2' } });

  test('an unschedulable pod gets one event, and another when a node is added or removed', () => {
    const { state, events, scheduler } = watched([], [big]);
    scheduler.pass();
    expect(state.pods.get('default/big')?.status?.conditions).toMatchObject([
      { status: 'False', reason: 'Unschedulable' },
    ]);
    writePod(state, runningPod('gone', { name: 'other' }));
    scheduler.pass();
    expect(events).toEqual(['events/failed-scheduling']);
    writeNode(state, aNode({ allocatable: { cpu: '1', pods: '9' } }));
    scheduler.pass();
    expect(events).toEqual(['events/failed-scheduling', 'events/failed-scheduling']);
  });

  test('each unschedulable pod gets an event of its own, and after a node has joined one event stands for all', () => {
    const { state, events, scheduler } = watched([], [big, aPod({ name: 'second', requests: { cpu: '2' } })]);
    scheduler.pass();
    expect(events).toHaveLength(2);
    writeNode(state, aNode({ allocatable: { cpu: '1', pods: '9' } }));
    scheduler.pass();
    expect(events).toHaveLength(3);
  });

  test('without a change nothing is written', () => {
    const { state, scheduler } = watched([aNode()], [big, aPod({ name: 'huge', requests: { cpu: '99' } })]);
    scheduler.pass();
    const { version } = state;
    scheduler.pass();
    expect(state.version).toBe(version);
  });

  test.each<{ readonly rule: string; readonly change: (state: KubernetesState) => void }>([
    { rule: 'a pod has gone', change: (state) => removePod(state, runningPod('node-1', { name: 'there' })) },
    {
      rule: 'a pod has ended',
      change: (state) =>
        writePod(state, { ...runningPod('node-1', { name: 'there' }), status: { phase: 'Succeeded' } }),
    },
    { rule: 'the node has grown', change: (state) => writeNode(state, aNode({ allocatable: LARGE })) },
    { rule: 'another node is there', change: (state) => writeNode(state, aNode({ name: 'node-2' })) },
  ])('a pod is tried again once $rule', ({ change }) => {
    const { state, scheduler } = watched([aNode()], [runningPod('node-1', { name: 'there' }), big]);
    scheduler.pass();
    expect(placesIn(state)['big']).toBe('none');
    change(state);
    scheduler.pass();
    expect(placesIn(state)['big']).not.toBe('none');
  });

  test('pods bound before their node exists count when it exists', () => {
    const { state, scheduler } = watched([], [runningPod('node-1', { name: 'there' }), big]);
    scheduler.pass();
    writeNode(state, aNode());
    scheduler.pass();
    expect(placesIn(state)).toEqual({ there: 'node-1', big: 'none' });
  });

  test('a spread counts the remaining pods', () => {
    const topologySpreadConstraints = [spread()];
    const web = { labels: { app: 'web' }, spec: { topologySpreadConstraints } };
    // Asks for the emptiest zone when both have a pod, and is not counted itself.
    const onlooker = aPod({ name: 'onlooker', requests: {}, spec: { topologySpreadConstraints } });
    const pods = [aPod({ ...web, name: 'web-1' }), aPod({ ...web, name: 'web-2' }), onlooker];
    const nodes = [aNode({ name: 'a', zone: 'zone-a', allocatable: LARGE }), aNode({ name: 'b', zone: 'zone-b' })];
    const { state, scheduler } = watched(nodes, pods);
    scheduler.pass();
    expect(placesIn(state)).toEqual({ 'web-1': 'a', 'web-2': 'b', onlooker: 'a' });
    removePod(state, aPod({ name: 'web-2' }));
    writePod(state, aPod({ ...web, name: 'web-3' }));
    scheduler.pass();
    expect(placesIn(state)).toEqual({ 'web-1': 'a', 'web-3': 'b', onlooker: 'a' });
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'a scheduler that saw every change decides as one that sees the cluster for the first time (seed %i)',
    (seed) => {
      const random = randomFrom(seed);
      const { state, scheduler } = watched([], []);
      for (let step = 0; step < 60; step += 1) {
        disturb(state, random, step);
        const fresh = clusterWith({ nodes: [...state.nodes.values()], pods: [...state.pods.values()] });
        kubeScheduler(fresh, CLOCK).pass();
        scheduler.pass();
        expect(placesIn(state)).toEqual(placesIn(fresh));
      }
    },
  );
});

function preferring(zone: string): Affinity {
  return {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 1,
          preference: { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }] },
        },
      ],
    },
  };
}

function watched(nodes: readonly Node[], pods: readonly Pod[]) {
  const state = clusterWith({ nodes, pods });
  const events: string[] = [];
  state.onReview = ({ resource, name }) => void events.push(`${resource}/${name}`);
  return { state, events, scheduler: kubeScheduler(state, CLOCK) };
}

/** Something that happens to a cluster: pods of every kind come and end, nodes come, change and go. */
function disturb(state: KubernetesState, random: Random, step: number): void {
  const any = <One>(all: readonly One[]): One | undefined => all[Math.floor(random.between(0, all.length))];
  const pod = any([...state.pods.values()]);
  const node = any([...state.nodes.values()]);
  const doings: readonly (() => void)[] = [
    () => writeNode(state, aNode({ name: `node-${step}`, zone: any(['zone-a', 'zone-b', 'zone-c']) ?? '' })),
    () => {
      const kind = any(KINDS) ?? {};
      for (const copy of ['1', '2', '3']) {
        writePod(
          state,
          aPod({ name: `pod-${step}-${copy}`, labels: any([{ app: 'web' }, { app: 'db' }]) ?? {}, spec: kind }),
        );
      }
    },
    () => pod !== undefined && removePod(state, pod),
    () =>
      pod !== undefined &&
      writePod(state, { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-31T08:00:00Z' } }),
    () => pod !== undefined && writePod(state, { ...pod, status: { phase: 'Succeeded' } }),
    () =>
      node !== undefined && writeNode(state, { ...node, spec: { unschedulable: node.spec?.unschedulable !== true } }),
    () => node !== undefined && writeNode(state, { ...node, metadata: { ...node.metadata, labels: {} } }),
    () => node !== undefined && random.between(0, 1) < 0.3 && removeNode(state, node.metadata.name),
  ];
  // Most of the time the cluster grows.
  any([...doings, ...doings.slice(0, 2), ...doings.slice(0, 2)])?.();
}

const KINDS: readonly Partial<Pod['spec']>[] = [
  {},
  { topologySpreadConstraints: [spread()] },
  { topologySpreadConstraints: [spread({ topologyKey: 'kubernetes.io/hostname', nodeTaintsPolicy: 'Honor' })] },
  { topologySpreadConstraints: [spread({ whenUnsatisfiable: 'ScheduleAnyway' })] },
  { affinity: avoiding(affinityTerm({ topologyKey: 'kubernetes.io/hostname' })) },
  { affinity: joining(affinityTerm()) },
];

test('labels that differ for each pod count if a constraint of a pod reads them', () => {
  const nodes = ['a', 'b'].map((name) => aNode({ name, zone: `zone-${name}`, allocatable: LARGE }));
  const labelSelector = { matchLabels: { 'job-name': 'one' } };
  const topologySpreadConstraints = [spread({ labelSelector })];
  const pods = ['one', 'two', 'one'].map((job, at) =>
    aPod({
      name: String(at),
      owner: 'Job',
      labels: { 'job-name': job },
      requests: {},
      spec: { topologySpreadConstraints },
    }),
  );
  // The pod of Job two is not counted, and the second of Job one keeps away from the first.
  expect(placesAfterPass({ nodes, pods })).toEqual({ 0: 'a', 1: 'a', 2: 'b' });
});
