import { describe, expect, test } from 'vitest';
import { formatTime } from '../../../lib/apis/formats/time.ts';
import type { Node, Pod, Toleration } from '../../../lib/apis/kubernetes.ts';
import { type NodeLifecycle, nodeLifecycle } from '../../../lib/simulator/kubernetes/node-lifecycle.ts';
import type { KubernetesState } from '../../../lib/simulator/kubernetes/state.ts';
import { type Timeline, timelineFrom } from '../../../lib/simulator/timeline.ts';
import { type Timetable, timetableFrom } from '../../../lib/simulator/timetable.ts';
import { NOW_MS } from '../../builders/times.ts';
import { clusterWith } from './cluster-with.ts';

function aNode(name: string, zone: string): Node {
  return {
    metadata: { name, creationTimestamp: formatTime(NOW_MS), labels: { 'topology.kubernetes.io/zone': zone } },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

function aPodOn(nodeName: string, name = `on-${nodeName}`, tolerations: readonly Toleration[] = []): Pod {
  return {
    metadata: { name, namespace: 'default', uid: name, creationTimestamp: formatTime(NOW_MS) },
    spec: { nodeName, tolerations, containers: [] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

interface Played {
  readonly state: KubernetesState;
  readonly timetable: Timetable;
  readonly timeline: Timeline;
  readonly lifecycle: NodeLifecycle;
  /** Advances to a time. *Units:* seconds from the start. */
  readonly until: (seconds: number) => Promise<void>;
}

function start(nodes: readonly Node[], pods: readonly Pod[]): Played {
  const state = clusterWith({ nodes, pods });
  const timetable = timetableFrom(NOW_MS);
  const timeline = timelineFrom(timetable);
  const lifecycle = nodeLifecycle({ state, timetable, timeline });
  const until = async (seconds: number): Promise<void> => {
    while (await timetable.step(NOW_MS + seconds * 1_000));
  };
  return { state, timetable, timeline, lifecycle, until };
}

/** When the pods of each node were deleted. *Units:* seconds. */
function evictions({ timeline }: Played): Readonly<Record<string, number>> {
  return Object.fromEntries(
    timeline.entries.flatMap((entry) => (entry.kind === 'pod-evicted' ? [[entry.pod, entry.at]] : [])),
  );
}

function taintsOf({ state }: Played, node: string): readonly string[] {
  return (state.nodes.get(node)?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
}

const HEALTHY = [aNode('other-1', 'b'), aNode('other-2', 'b')];

describe('a node whose kubelet does not report', () => {
  test('is NotReady after 50 s, and its pods are deleted 300 s later', async () => {
    const run = start([aNode('lost', 'a'), ...HEALTHY], [aPodOn('lost')]);
    run.lifecycle.silence('lost');
    await run.until(49);
    expect(taintsOf(run, 'lost')).toEqual([]);
    await run.until(51);
    expect(taintsOf(run, 'lost')).toEqual([
      'node.kubernetes.io/unreachable:NoSchedule',
      'node.kubernetes.io/unreachable:NoExecute',
    ]);
    expect(run.state.pods.get('default/on-lost')?.status?.conditions).toMatchObject([
      { type: 'Ready', status: 'False' },
    ]);
    await run.until(1_000);
    expect(evictions(run)).toEqual({ 'default/on-lost': 350 });
    // The kubelet cannot end the pod.
    expect(run.state.pods.get('default/on-lost')?.metadata.deletionTimestamp).toBeDefined();
  });

  test('loses one node of a zone each 10 s to eviction', async () => {
    const names = ['lost-1', 'lost-2', 'lost-3'];
    const run = start(
      [...names.map((name) => aNode(name, 'a')), ...HEALTHY],
      names.map((name) => aPodOn(name)),
    );
    for (const name of names) run.lifecycle.silence(name);
    await run.until(1_000);
    expect(evictions(run)).toEqual({ 'default/on-lost-1': 350, 'default/on-lost-2': 360, 'default/on-lost-3': 370 });
  });

  test('keeps its pods if no node of the cluster is ready, until one is', async () => {
    const run = start([aNode('lost', 'a'), aNode('late', 'b')], [aPodOn('lost')]);
    run.lifecycle.silence('lost');
    run.lifecycle.silence('late');
    await run.until(1_000);
    expect(evictions(run)).toEqual({});
    run.lifecycle.report('late');
    await run.until(2_000);
    // The controller checks the zones every 5 s.
    expect(evictions(run)).toEqual({ 'default/on-lost': 1_000 + 5 + 300 });
  });

  test('keeps its pods if more than half of a zone of at most 50 nodes is lost', async () => {
    const names = ['lost-1', 'lost-2', 'lost-3'];
    const nodes = [...names.map((name) => aNode(name, 'a')), aNode('ready', 'a'), ...HEALTHY];
    const run = start(
      nodes,
      names.map((name) => aPodOn(name)),
    );
    for (const name of names) run.lifecycle.silence(name);
    await run.until(2_000);
    expect(evictions(run)).toEqual({});
  });

  test('keeps its pods if it reports again in time', async () => {
    const run = start([aNode('lost', 'a'), ...HEALTHY], [aPodOn('lost')]);
    run.lifecycle.silence('lost');
    await run.until(349);
    run.lifecycle.report('lost');
    run.lifecycle.silence('lost');
    await run.until(400);
    expect(evictions(run)).toEqual({});
    run.lifecycle.report('lost');
    await run.until(1_000);
    expect(evictions(run)).toEqual({});
    expect(taintsOf(run, 'lost')).toEqual([]);
    expect(run.state.pods.get('default/on-lost')?.status?.conditions).toMatchObject([
      { type: 'Ready', status: 'True' },
    ]);
  });

  test('reports again after the last of several causes', async () => {
    const run = start([aNode('lost', 'a'), ...HEALTHY], [aPodOn('lost')]);
    run.lifecycle.silence('lost');
    run.lifecycle.silence('lost');
    await run.until(100);
    run.lifecycle.report('lost');
    await run.until(200);
    expect(run.lifecycle.isSilent('lost')).toBe(true);
    expect(taintsOf(run, 'lost')).toHaveLength(2);
    run.lifecycle.report('lost');
    expect(run.lifecycle.isSilent('lost')).toBe(false);
    expect(taintsOf(run, 'lost')).toEqual([]);
  });

  test.each<readonly [string, Toleration, number | undefined]>([
    ['10 s', { key: 'node.kubernetes.io/unreachable', operator: 'Exists', tolerationSeconds: 10 }, 60],
    ['forever', { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' }, undefined],
    ['everything forever', { operator: 'Exists' }, undefined],
    [
      'the key forever, with an empty effect',
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: '' },
      undefined,
    ],
    ['another taint', { key: 'dedicated', operator: 'Exists' }, 350],
    ['only NoSchedule', { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoSchedule' }, 350],
  ])('deletes a pod that tolerates %s as Kubernetes does', async (_, toleration, at) => {
    const run = start([aNode('lost', 'a'), ...HEALTHY], [aPodOn('lost', 'one', [toleration])]);
    run.lifecycle.silence('lost');
    await run.until(2_000);
    expect(evictions(run)).toEqual(at === undefined ? {} : { 'default/one': at });
  });

  test('deletes a pod by the first of its tolerations that matches, as Kubernetes does', async () => {
    const tolerations: readonly Toleration[] = [
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', tolerationSeconds: 20 },
      { operator: 'Exists', tolerationSeconds: 10 },
    ];
    const run = start([aNode('lost', 'a'), ...HEALTHY], [aPodOn('lost', 'one', tolerations)]);
    run.lifecycle.silence('lost');
    await run.until(2_000);
    expect(evictions(run)).toEqual({ 'default/one': 70 });
  });
});
