import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import { aNode } from '../../builders/nodes.ts';
import { affinityTerm, aPod, joining, runningPod } from '../../builders/pods.ts';
import { placesAfterPass } from './cluster-with.ts';

/** The scores of the default scheduler, worked out by hand. All nodes have 10 CPUs and 10Gi unless the test sets others. */

const SIZE = { cpu: '10', memory: '10Gi', pods: '99' };
const A = aNode({ name: 'a', zone: 'zone-a', allocatable: SIZE });
const B = aNode({ name: 'b', zone: 'zone-b', allocatable: SIZE });
const WEB = { app: 'web' };

function newPod(over: Parameters<typeof aPod>[0] = {}): Pod {
  return aPod({ name: 'new', owner: 'Job', requests: { cpu: '1', memory: '1Gi' }, ...over });
}

function onNode(node: string, name: string, over: Parameters<typeof aPod>[0] = {}): Pod {
  return runningPod(node, { name, owner: 'Job', requests: { cpu: '1', memory: '1Gi' }, ...over });
}

describe('NodeResourcesFit and NodeResourcesBalancedAllocation', () => {
  test('the emptier node is chosen', () => {
    expect(placesAfterPass({ nodes: [A, B], pods: [onNode('a', 'there'), newPod()] })['new']).toBe('b');
  });

  test('of two nodes with the same free share, the one with balanced resources is chosen', () => {
    // a: cpu 5 of 10, memory 1 of 10 → (50 + 90) / 2 = 70, and 1 - 0.4 / 2 → 80. b: 3 of 10 of both → 70 and 100.
    const pods = [
      onNode('a', 'cpu', { requests: { cpu: '4' } }),
      onNode('b', 'both', { requests: { cpu: '2', memory: '2Gi' } }),
      newPod({ requests: { cpu: '1', memory: '1Gi' } }),
    ];
    expect(placesAfterPass({ nodes: [A, B], pods })['new']).toBe('b');
  });

  test('a container without requests counts as 100m and 200Mi', () => {
    const pods = [
      onNode('a', 'nothing-1', { requests: {} }),
      onNode('a', 'nothing-2', { requests: {} }),
      onNode('a', 'nothing-3', { requests: {} }),
      onNode('b', 'a-little', { requests: { cpu: '100m', memory: '200Mi' } }),
      newPod(),
    ];
    expect(placesAfterPass({ nodes: [A, B], pods })['new']).toBe('b');
  });
});

describe('pods of a ReplicaSet without constraints are spread', () => {
  const web = (name: string): Pod => aPod({ name, labels: WEB, requests: { cpu: '100m', memory: '100Mi' } });

  test('over nodes and zones, although another node has more free resources', () => {
    // The second pod: a-2 has 2 × 88 for its zone with one pod, and 99 + 100 for its resources; b has 2 × 100, and 79 + 100.
    const nodes = [A, aNode({ name: 'a-2', zone: 'zone-a', allocatable: SIZE }), B];
    const pods = [onNode('b', 'load', { requests: { cpu: '2', memory: '2Gi' } }), web('1'), web('2'), web('3')];
    expect(placesAfterPass({ nodes, pods })).toMatchObject({ 1: 'a', 2: 'b', 3: 'a-2' });
  });

  test('but not those of a Job', () => {
    const pods = ['1', '2'].map((name) => aPod({ name, labels: WEB, owner: 'Job', requests: {} }));
    const busy = onNode('b', 'load', { requests: { cpu: '5', memory: '5Gi' } });
    expect(placesAfterPass({ nodes: [A, B], pods: [busy, ...pods] })).toMatchObject({ 1: 'a', 2: 'a' });
  });
});

describe('InterPodAffinity', () => {
  const hostname = affinityTerm({ topologyKey: 'kubernetes.io/hostname' });

  test('each pod that a preferred term selects counts', () => {
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: hostname }] };
    const pods = [
      onNode('a', 'one', { labels: WEB }),
      onNode('b', 'two', { labels: WEB }),
      onNode('b', 'three', { labels: WEB }),
      newPod({ spec: { affinity: { podAffinity: preferred } } }),
    ];
    expect(placesAfterPass({ nodes: [A, B], pods })['new']).toBe('b');
  });

  test('a pod attracts those that its own affinity selects', () => {
    const there = onNode('b', 'there', { labels: WEB, spec: { affinity: joining(hostname) } });
    expect(placesAfterPass({ nodes: [A, B], pods: [there, newPod({ labels: WEB })] })['new']).toBe('b');
    expect(placesAfterPass({ nodes: [A, B], pods: [there, newPod({ labels: { app: 'api' } })] })['new']).toBe('a');
  });
});

function inZone(zone: string, weight: number) {
  const operator = 'In' as const;
  return {
    weight,
    preference: { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator, values: [zone] }] },
  };
}

describe('NodeAffinity', () => {
  test('preferences weigh as much as a share of the best node', () => {
    // Of 100, zone a has 2 × 50 and zone b 2 × 100: more than the 63 points that the load of b costs.
    const affinity = {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [inZone('zone-a', 50), inZone('zone-b', 100)] },
    };
    const busy = onNode('b', 'load', { requests: { cpu: '6', memory: '6Gi' } });
    expect(placesAfterPass({ nodes: [A, B], pods: [busy, newPod({ spec: { affinity } })] })['new']).toBe('b');
    // A preference of 80 leaves 2 × 20 points, less than the 60 points of the load.
    const weaker = {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [inZone('zone-a', 80), inZone('zone-b', 100)] },
    };
    expect(placesAfterPass({ nodes: [A, B], pods: [busy, newPod({ spec: { affinity: weaker } })] })['new']).toBe('a');
  });
});
