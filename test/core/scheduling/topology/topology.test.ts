import { describe, expect, test } from 'vitest';
import type {
  Affinity,
  NodeSelectorRequirement,
  Pod,
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
} from '../../../../lib/apis/kubernetes.ts';
import type { Schedule } from '../../../../lib/core/scheduling/schedule.ts';
import { anInstanceType, someTypes } from '../../../builders/instance-types.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { aNode } from '../../../builders/nodes.ts';
import {
  affinityTerm,
  avoiding,
  joining,
  pendingPod,
  pendingPods,
  runningPod,
  spread,
} from '../../../builders/pods.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { place, placesOf, refusalsOf, valuesOf } from '../problems.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const labels = { app: 'web' };
const [A, B, C] = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'] as const;

/** The given number of pods of `app: web`. Each fills a node. */
function web(count: number, spec: Partial<PodSpec>): readonly Pod[] {
  return pendingPods(count, { labels, requests: { cpu: '5' }, spec });
}

function spreading(count: number, over: Partial<TopologySpreadConstraint> = {}): readonly Pod[] {
  return web(count, { topologySpreadConstraints: [spread(over)] });
}

/** The zones of the new claims, sorted. A claim with an open zone has several. */
function zonesOf(schedule: Schedule): readonly string[] {
  return valuesOf(schedule, ZONE)
    .map((values) => values.join('|'))
    .toSorted();
}

function requiring(...matchExpressions: readonly NodeSelectorRequirement[]): Affinity {
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  };
}

/** An affinity term for the pods that have the label. */
function selecting(label: string, over: Partial<PodAffinityTerm> = {}): PodAffinityTerm {
  return affinityTerm({ labelSelector: { matchLabels: { [label]: 'yes' } }, ...over });
}

describe('spread over zones', () => {
  test('the next pod goes to the zone with the fewest pods, within maxSkew (B47)', () => {
    expect(zonesOf(place(spreading(5)))).toEqual([A, A, B, B, C]);
  });

  test('running pods count (B46)', () => {
    const nodes = [aNode({ name: 'a', zone: A }), aNode({ name: 'b', zone: B })];
    const pods = [runningPod('a', { name: 'x', labels }), runningPod('b', { name: 'y', labels })];
    expect(zonesOf(place(spreading(1), { nodes, pods }))).toEqual([C]);
  });

  test.each([
    ['are ending', { deletionMs: NOW_MS }],
    ['have ended', { status: { phase: 'Failed' } as const }],
    ['are of another namespace', { namespace: 'other' }],
    ['have other labels', { labels: { app: 'api' } }],
  ])('pods that %s do not (B46)', (_, over) => {
    const pods = [runningPod('a', { name: 'x', labels, ...over })];
    expect(zonesOf(place(spreading(1), { nodes: [aNode({ name: 'a', zone: A })], pods }))).toEqual([A]);
  });

  test('a higher maxSkew allows more pods in a zone (B47)', () => {
    const nodes = [aNode({ name: 'a', zone: A, allocatable: { cpu: '64', memory: '64Gi', pods: '9' } })];
    const onto = (maxSkew: number) => Object.keys(placesOf(place(spreading(3, { maxSkew }), { nodes }))).length;
    expect(onto(1)).toBe(1);
    expect(onto(3)).toBe(3);
  });

  test('a pod that can use one zone only is spread over that zone', () => {
    const spec = { nodeSelector: { [ZONE]: B }, topologySpreadConstraints: [spread()] };
    expect(zonesOf(place(web(3, spec)))).toEqual([B, B, B]);
  });

  test('a zone that the pool excludes does not count (B45)', () => {
    const nodePools = [aPoolView({ requirements: [asking(ZONE, 'NotIn', A)] })];
    const schedule = place(spreading(4), { nodePools });
    expect(schedule.unplaced).toEqual([]);
    expect(zonesOf(schedule)).toEqual([B, B, C, C]);
  });

  test('pods whose types are offered in one zone only are placed there', () => {
    const types = [...someTypes(), anInstanceType({ name: 'g5.2xlarge', cpu: 8, zones: [C] })];
    const spec = {
      nodeSelector: { 'node.kubernetes.io/instance-type': 'g5.2xlarge' },
      topologySpreadConstraints: [spread()],
    };
    expect(zonesOf(place(web(1, spec), { nodePools: [aPoolView({ types })] }))).toEqual([C]);
  });

  test.each([
    ['a family of two', asking('karpenter.k8s.aws/instance-family', 'In', 'm5', 'c5')],
    ['any family but one', asking('karpenter.k8s.aws/instance-family', 'NotIn', 't3')],
    ['more than a number of CPUs', asking('karpenter.k8s.aws/instance-cpu', 'Gt', '4')],
    ['either capacity type', asking(CAPACITY_TYPE, 'In', 'spot', 'on-demand')],
  ])('pods that ask for %s count where the run put them (B51)', (_, requirement) => {
    const pods = web(4, { affinity: requiring(requirement), topologySpreadConstraints: [spread()] });
    expect(zonesOf(place(pods))).toEqual([A, A, B, C]);
  });

  test('nodes that the pod cannot use do not count (B51)', () => {
    const nodes = [aNode({ name: 'a', zone: A, labels: { 'kubernetes.io/arch': 'arm64' } })];
    const pods = [runningPod('a', { name: 'x', labels })];
    const spec = { nodeSelector: { 'kubernetes.io/arch': 'amd64' } };
    const honouring = web(1, { ...spec, topologySpreadConstraints: [spread()] });
    const ignoring = web(1, { ...spec, topologySpreadConstraints: [spread({ nodeAffinityPolicy: 'Ignore' })] });
    expect(zonesOf(place(honouring, { nodes, pods }))).toEqual([A]);
    expect(zonesOf(place(ignoring, { nodes, pods }))).toEqual([B]);
  });

  test('tainted nodes count unless nodeTaintsPolicy is Honor (B51)', () => {
    const nodes = [aNode({ name: 'a', zone: A, taints: [{ key: 'team', effect: 'NoSchedule' }] })];
    const pods = [runningPod('a', { name: 'x', labels })];
    expect(zonesOf(place(spreading(1), { nodes, pods }))).toEqual([B]);
    expect(zonesOf(place(spreading(1, { nodeTaintsPolicy: 'Honor' }), { nodes, pods }))).toEqual([A]);
  });

  test('with fewer zones than minDomains, the minimum count is 0 (B48)', () => {
    const nodePools = [aPoolView({ requirements: [asking(ZONE, 'In', A, B)] })];
    expect(place(spreading(4, { minDomains: 2 }), { nodePools }).unplaced).toEqual([]);
    expect(refusalsOf(place(spreading(4, { minDomains: 3 }), { nodePools }))).toEqual([
      ['TopologySpread'],
      ['TopologySpread'],
    ]);
  });

  test('matchLabelKeys separates the revisions of a Deployment (B50)', () => {
    const nodes = [aNode({ name: 'a', zone: A })];
    const pods = [runningPod('a', { name: 'x', labels: { ...labels, rollout: '1' } })];
    const next = (over: Partial<TopologySpreadConstraint>) => [
      pendingPod({
        labels: { ...labels, rollout: '2' },
        requests: { cpu: '5' },
        spec: { topologySpreadConstraints: [spread(over)] },
      }),
    ];
    expect(zonesOf(place(next({ matchLabelKeys: ['rollout', 'absent'] }), { nodes, pods }))).toEqual([A]);
    expect(zonesOf(place(next({}), { nodes, pods }))).toEqual([B]);
  });

  test('a ScheduleAnyway constraint is satisfied if possible, and relaxed otherwise (B31)', () => {
    const soft = { whenUnsatisfiable: 'ScheduleAnyway' } as const;
    expect(zonesOf(place(spreading(3, soft)))).toEqual([A, B, C]);
    const nodes = [aNode({ name: 'a', zone: A, allocatable: { cpu: '64', memory: '64Gi', pods: '9' } })];
    const pods = [runningPod('a', { name: 'x', labels, requests: {} })];
    expect(Object.keys(placesOf(place(spreading(2, soft), { nodes, pods, nodePools: [] })))).toHaveLength(2);
  });

  test('a pod that its own constraint does not select is placed by the counts of the other pods (B47)', () => {
    const nodes = [aNode({ name: 'a', zone: A }), aNode({ name: 'b', zone: B })];
    const pods = [runningPod('a', { name: 'x', labels })];
    const other = pendingPods(2, { requests: { cpu: '5' }, spec: { topologySpreadConstraints: [spread()] } });
    expect(zonesOf(place(other, { nodes, pods }))).toEqual([B, B]);
  });
});

describe('spread over other labels', () => {
  test('over hosts: at most maxSkew pods on each host, because a new host is always possible (B49)', () => {
    const pods = pendingPods(4, {
      labels,
      requests: { cpu: '100m' },
      spec: { topologySpreadConstraints: [spread({ topologyKey: HOSTNAME, maxSkew: 2 })] },
    });
    expect(place(pods).newClaims.map((claim) => claim.pods.length)).toEqual([2, 2]);
  });

  test('over capacity types: pods of one capacity type share a node (B57)', () => {
    const pods = pendingPods(6, {
      labels,
      requests: { cpu: '100m' },
      spec: { topologySpreadConstraints: [spread({ topologyKey: CAPACITY_TYPE })] },
    });
    const schedule = place(pods);
    expect(valuesOf(schedule, CAPACITY_TYPE).flat().toSorted()).toEqual(['on-demand', 'spot']);
    expect(schedule.newClaims.map((claim) => claim.pods.length)).toEqual([3, 3]);
  });

  test('over the values that the pool lists for a label (B57)', () => {
    const nodePools = [aPoolView({ requirements: [asking('slot', 'In', '1', '2', '3')] })];
    const schedule = place(spreading(3, { topologyKey: 'slot' }), { nodePools });
    expect(valuesOf(schedule, 'slot').flat().toSorted()).toEqual(['1', '2', '3']);
  });

  test('a label that the pool does not define has no domains', () => {
    const nodes = [aNode({ name: 'a', labels: { rack: 'r1' } }), aNode({ name: 'b', labels: { rack: 'r2' } })];
    expect(refusalsOf(place(spreading(1, { topologyKey: 'rack' }), { nodes }))).toEqual([['TopologySpread']]);
    const affine = web(1, { affinity: joining(affinityTerm({ topologyKey: 'rack' })) });
    const pods = [runningPod('a', { name: 'x', labels })];
    expect(refusalsOf(place(affine, { nodes, pods }))).toEqual([['PodAffinity']]);
  });
});

describe('pod affinity (B53)', () => {
  test('a pod is placed in the zone of a matching pod', () => {
    const nodes = [aNode({ name: 'b', zone: B })];
    const pods = [runningPod('b', { name: 'x', labels })];
    const follower = pendingPod({
      name: 'follower',
      requests: { cpu: '5' },
      spec: { affinity: joining(affinityTerm()) },
    });
    expect(zonesOf(place([follower], { nodes, pods }))).toEqual([B]);
  });

  test('the first pod of a group with affinity to itself may use any zone; the others use the same zone', () => {
    const pods = web(3, { affinity: joining(affinityTerm()) });
    expect(zonesOf(place(pods))).toEqual([A, A, A]);
  });

  test('a pod that its own term does not select needs a matching pod', () => {
    const affine = pendingPod({ name: 'api', spec: { affinity: joining(affinityTerm()) } });
    expect(refusalsOf(place([affine]))).toEqual([['PodAffinity']]);
  });

  test('the matching pod may be placed later in the same run (B29)', () => {
    const follower = pendingPod({
      name: 'follower',
      requests: { cpu: '7' },
      spec: { affinity: joining(affinityTerm()) },
    });
    const leader = pendingPod({
      name: 'leader',
      labels,
      requests: { cpu: '3' },
      spec: { nodeSelector: { [ZONE]: C } },
    });
    const schedule = place([follower, leader]);
    expect(schedule.unplaced).toEqual([]);
    expect(zonesOf(schedule)).toEqual([C, C]);
  });

  test('a pod that others have affinity to gets a single zone in which it fits', () => {
    const types = [...someTypes(), anInstanceType({ name: 'g5.large', zones: [B, C] })];
    const leader = pendingPod({
      name: 'leader',
      labels,
      spec: { nodeSelector: { 'node.kubernetes.io/instance-type': 'g5.large' } },
    });
    const follower = pendingPod({
      name: 'follower',
      requests: { cpu: '7' },
      spec: { affinity: joining(affinityTerm()) },
    });
    const schedule = place([leader, follower], { nodePools: [aPoolView({ types })] });
    expect(schedule.unplaced).toEqual([]);
    expect(zonesOf(schedule)).toEqual([B, B]);
  });

  describe('several required terms must select the same pod', () => {
    const nodes = [aNode({ name: 'a', zone: A }), aNode({ name: 'b', zone: B })];
    const apart = [
      runningPod('b', { name: 'x', labels: { x: 'yes' } }),
      runningPod('b', { name: 'y', labels: { y: 'yes' } }),
    ];
    const follower = (over: Partial<PodAffinityTerm> = {}, own: Pod['metadata']['labels'] = {}) =>
      pendingPods(2, {
        name: 'f',
        labels: own,
        requests: { cpu: '5' },
        spec: { affinity: joining(selecting('x'), selecting('y', over)) },
      });

    test('without such a pod, no node is launched, and the reason names the terms', () => {
      const { newClaims, unplaced } = place(follower(), { nodes, pods: apart });
      expect(newClaims).toEqual([]);
      expect(unplaced[0]?.refusals[0]?.refusal).toMatchObject({
        reason: 'PodAffinityTerms',
        message: expect.stringContaining('x=yes in namespace default; y=yes in namespace default'),
        numbers: { terms: 2, matchingPods: 0 },
      });
      expect(refusalsOf(place(follower({ topologyKey: HOSTNAME }), { nodes, pods: apart }))).toEqual([
        ['PodAffinityTerms'],
        ['PodAffinityTerms'],
      ]);
    });

    test('a pod is placed in the zone of the pod that all of them select', () => {
      const both = runningPod('a', { name: 'both', labels: { x: 'yes', y: 'yes' } });
      expect(zonesOf(place(follower(), { nodes, pods: [...apart, both] }))).toEqual([A, A]);
    });

    test('the first pod of a group must be selected by all of them', () => {
      expect(refusalsOf(place(follower({}, { x: 'yes' })))).toEqual([['PodAffinityTerms'], ['PodAffinityTerms']]);
      expect(zonesOf(place(follower({}, { x: 'yes', y: 'yes' }), { nodes, pods: apart }))).toEqual([A, A]);
    });

    test('the pod is of a namespace that all of them select', () => {
      const both = runningPod('a', { name: 'both', namespace: 'shop', labels: { x: 'yes', y: 'yes' } });
      const pods = [...apart, both];
      const affinity = (first: readonly string[]) =>
        joining(selecting('x', { namespaces: first }), selecting('y', { namespaces: ['shop'] }));
      const placed = (first: readonly string[]) =>
        place([pendingPod({ requests: { cpu: '5' }, spec: { affinity: affinity(first) } })], { nodes, pods });
      expect(zonesOf(placed(['default', 'shop']))).toEqual([A]);
      expect(refusalsOf(placed(['default']))).toEqual([['PodAffinityTerms']]);
    });

    test('a preferred term may select another pod', () => {
      const preferred = { weight: 1, podAffinityTerm: selecting('y') };
      const { podAffinity } = joining(selecting('x'));
      const affinity = {
        podAffinity: { ...podAffinity, preferredDuringSchedulingIgnoredDuringExecution: [preferred] },
      };
      const pod = pendingPod({ requests: { cpu: '5' }, spec: { affinity } });
      expect(zonesOf(place([pod], { nodes, pods: apart }))).toEqual([B]);
    });
  });

  test('on one host: the pods share a node', () => {
    const pods = pendingPods(3, { labels, spec: { affinity: joining(affinityTerm({ topologyKey: HOSTNAME })) } });
    expect(place(pods).newClaims.map((claim) => claim.pods.length)).toEqual([3]);
  });

  test('a term applies to the namespace of the pod unless it names others (B52)', () => {
    const nodes = [aNode({ name: 'b', zone: B })];
    const pods = [runningPod('b', { name: 'x', namespace: 'shop', labels })];
    const follow = (over: Parameters<typeof affinityTerm>[0]) =>
      place([pendingPod({ requests: { cpu: '5' }, spec: { affinity: joining(affinityTerm(over)) } })], { nodes, pods });
    expect(refusalsOf(follow({}))).toEqual([['PodAffinity']]);
    expect(zonesOf(follow({ namespaces: ['shop'] }))).toEqual([B]);
    expect(zonesOf(follow({ namespaceSelector: {} }))).toEqual([B]);
  });
});

describe('pod anti-affinity (B54, B55)', () => {
  test('one run places a pod in each zone, and no more pods than zones', () => {
    const schedule = place(web(4, { affinity: avoiding(affinityTerm()) }));
    expect(zonesOf(schedule)).toEqual([A, B, C]);
    expect(refusalsOf(schedule)).toEqual([['PodAntiAffinity']]);
  });

  test('a pod is not placed in the zone of a running pod that its term selects', () => {
    const nodes = [aNode({ name: 'a', zone: A }), aNode({ name: 'b', zone: B })];
    const pods = [runningPod('a', { name: 'x', labels }), runningPod('b', { name: 'y', labels })];
    expect(zonesOf(place(web(1, { affinity: avoiding(affinityTerm()) }), { nodes, pods }))).toEqual([C]);
  });

  test('the terms of running pods exclude other pods (B55)', () => {
    const nodes = [aNode({ name: 'a', zone: A })];
    const pods = [runningPod('a', { name: 'x', spec: { nodeName: 'a', affinity: avoiding(affinityTerm()) } })];
    expect(placesOf(place([pendingPod({ labels, requests: { cpu: '1' } })], { nodes, pods, nodePools: [] }))).toEqual(
      {},
    );
    const [claim] = place([pendingPod({ labels, requests: { cpu: '5' } })], { nodes, pods }).newClaims;
    expect([...(claim?.requirements.get(ZONE)?.values ?? [])].toSorted()).toEqual([B, C]);
  });

  test('the terms of pods that this run placed exclude other pods too (B55)', () => {
    const loner = pendingPod({ name: 'loner', requests: { cpu: '6' }, spec: { affinity: avoiding(affinityTerm()) } });
    const schedule = place([loner, ...web(1, {})]);
    const [first, second] = zonesOf(schedule);
    expect(first).not.toBe(second);
  });

  test('by hostname: one node for each pod', () => {
    const pods = pendingPods(3, { labels, spec: { affinity: avoiding(affinityTerm({ topologyKey: HOSTNAME })) } });
    expect(place(pods).newClaims).toHaveLength(3);
  });

  test('pods whose types are offered in one zone only are placed there', () => {
    const types = [...someTypes(), anInstanceType({ name: 'g5.2xlarge', cpu: 8, zones: [C] })];
    const spec = {
      nodeSelector: { 'node.kubernetes.io/instance-type': 'g5.2xlarge' },
      affinity: avoiding(affinityTerm()),
    };
    expect(zonesOf(place(web(1, spec), { nodePools: [aPoolView({ types })] }))).toEqual([C]);
  });

  test('a spread constraint chooses among the allowed zones', () => {
    const affinity = avoiding(affinityTerm({ labelSelector: { matchLabels: { app: 'api' } } }));
    const schedule = place(web(3, { affinity, topologySpreadConstraints: [spread()] }));
    expect(schedule.unplaced).toEqual([]);
    expect(zonesOf(schedule)).toEqual([A, B, C]);
  });

  test('a preferred term is satisfied if possible, and relaxed otherwise (B31)', () => {
    const preferred = [{ weight: 1, podAffinityTerm: affinityTerm() }];
    const affinity = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
    const schedule = place(web(4, { affinity }));
    expect(schedule.unplaced).toEqual([]);
    expect(new Set(zonesOf(schedule))).toEqual(new Set([A, B, C]));
  });
});
