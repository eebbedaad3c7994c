import { describe, expect, test } from 'vitest';
import type {
  Affinity,
  Pod,
  PodAffinityTerm,
  PodSpec,
  TopologySpreadConstraint,
} from '../../../../lib/apis/kubernetes.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { aClaim, claimSpec } from '../../../builders/node-claims.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { aNode } from '../../../builders/nodes.ts';
import {
  affinityTerm,
  aPod,
  avoiding,
  joining,
  pendingPod,
  pendingPods,
  runningPod,
  spread,
} from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { place, placesOf, refusalsOf, valuesOf } from '../problems.ts';

const ZONE = 'topology.kubernetes.io/zone';
const [A, B, C] = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'] as const;
const labels = { app: 'web' };

function large(spec: Partial<PodSpec>, over: Parameters<typeof pendingPod>[0] = {}): Pod {
  return pendingPod({ labels, requests: { cpu: '5' }, spec, ...over });
}

function zonesOf(pods: readonly Pod[], over: Partial<ClusterSnapshot> = {}): readonly string[] {
  return valuesOf(place(pods, over), ZONE).map((values) => values.join('|'));
}

const spreading = (over: Partial<TopologySpreadConstraint> = {}): Partial<PodSpec> => ({
  topologySpreadConstraints: [spread(over)],
});

describe('the pods that count', () => {
  test('a pod that this run moves counts on its new host, not on its current one (B46)', () => {
    const going = initializedNode(
      { name: 'old', zone: A },
      { deletion: { reason: 'empty', message: '', requestedAtMs: NOW_MS } },
    );
    const moving = runningPod('old', {
      name: 'moving',
      labels,
      requests: { cpu: '5' },
      spec: { nodeName: 'old', ...spreading() },
    });
    const cluster = snapshotOf([going], { pods: [moving] });
    expect(zonesOf([moving], cluster)).toEqual([A]);
    expect(zonesOf([large(spreading())], cluster)).toEqual([B]);
  });

  test('a pod without a node that this run does not place does not count (B46)', () => {
    const affine = large({ affinity: joining(affinityTerm()) }, { labels: {} });
    expect(refusalsOf(place([affine], { pods: [aPod({ name: 'waiting', labels })] }))).toEqual([['PodAffinity']]);
  });

  test('constraints that differ only in minDomains are separate; Karpenter uses the first for both (B48)', () => {
    const nodePools = [aPoolView({ requirements: [asking(ZONE, 'In', A, B)] })];
    const running = {
      nodes: [aNode({ name: 'a', zone: A }), aNode({ name: 'b', zone: B })],
      pods: [runningPod('a', { name: 'x', labels }), runningPod('b', { name: 'y', labels })],
    };
    const strict = large(spreading({ minDomains: 3 }), { name: 'strict', requests: { cpu: '6' } });
    const lax = large(spreading(), { name: 'lax' });
    for (const pods of [
      [strict, lax],
      [lax, strict],
    ]) {
      expect(place(pods, { nodePools, ...running }).unplaced.map(({ pod }) => pod.metadata.name)).toEqual(['strict']);
    }
  });
});

describe('the zones that a spread counts', () => {
  test('include the zone of a node in which no pool can launch: if it has no pods, the others are limited (B45, B47)', () => {
    const nodes = [aNode({ name: 'd', zone: 'eu-west-3d' })];
    const pods = ['1', '2', '3', '4'].map((name) => large(spreading(), { name }));
    expect(place(pods, { nodes: [] }).unplaced).toEqual([]);
    expect(refusalsOf(place(pods, { nodes }))).toEqual([['TopologySpread']]);
  });

  test('are those of every pool that can launch nodes (B45)', () => {
    const inZone = (name: string, zone: string) => aPoolView({ name, requirements: [asking(ZONE, 'In', zone)] });
    const pods = ['1', '2'].map((name) => large(spreading(), { name }));
    expect(zonesOf(pods, { nodePools: [inZone('a', A), inZone('b', B)] }).toSorted()).toEqual([A, B]);
    expect(zonesOf(pods, { nodePools: [inZone('a', A)] })).toEqual([A, A]);
  });
});

/** Pods that are spread over zones and over another key, by default over capacity types. */
function spreadTwice(count: number, over: Partial<TopologySpreadConstraint> = {}): readonly Pod[] {
  const second = spread({ topologyKey: 'karpenter.sh/capacity-type', maxSkew: 9, ...over });
  const topologySpreadConstraints = [spread(), second];
  return pendingPods(count, { labels, requests: { cpu: '5' }, spec: { topologySpreadConstraints } });
}

describe('several spread constraints count only nodes with the topology keys of all of them (B47)', () => {
  const inTwoZones = [aPoolView({ requirements: [asking(ZONE, 'In', A, B)] })];
  // A node of a managed node group, without the label of the capacity type.
  const managed = { nodes: [aNode({ name: 'c', zone: C })], pods: [runningPod('c', { name: 'x', labels })] };

  test('pods on the other nodes do not count', () => {
    const cluster = { nodes: [aNode({ name: 'a', zone: A })], pods: [runningPod('a', { name: 'x', labels })] };
    expect(zonesOf(spreadTwice(1), cluster)).toEqual([A]);
    expect(zonesOf([large(spreading())], cluster)).toEqual([B]);
  });

  test('a zone in which only the other nodes are does not count for the minimum', () => {
    const nodes = managed.nodes;
    const once = pendingPods(4, { labels, requests: { cpu: '5' }, spec: spreading() });
    expect(refusalsOf(place(once, { nodes, nodePools: inTwoZones }))).toEqual([['TopologySpread'], ['TopologySpread']]);
    expect(zonesOf(spreadTwice(4), { nodes, nodePools: inTwoZones }).toSorted()).toEqual([A, A, B, B]);
  });

  test('a zone of a pool whose nodes do not have the keys does not count for the minimum', () => {
    const racks = [asking(ZONE, 'In', A, B), asking('rack', 'In', 'r1')];
    const others = [asking(ZONE, 'In', C)];
    const nodePools = [
      aPoolView({ name: 'racks', requirements: racks }),
      aPoolView({ name: 'others', requirements: others }),
    ];
    expect(zonesOf(spreadTwice(4, { topologyKey: 'rack' }), { nodePools }).toSorted()).toEqual([A, A, B, B]);
  });

  test('the keys of ScheduleAnyway constraints matter to these only', () => {
    const soft = spreadTwice(4, { whenUnsatisfiable: 'ScheduleAnyway' });
    expect(refusalsOf(place(soft, { nodes: managed.nodes, nodePools: inTwoZones }))).toEqual([
      ['TopologySpread'],
      ['TopologySpread'],
    ]);
  });
});

describe('an empty selector of a spread constraint', () => {
  const over = { labelSelector: {}, minDomains: 9 };
  const four = (more: Partial<TopologySpreadConstraint> = {}, cpu = '5') =>
    pendingPods(4, { labels, requests: { cpu }, spec: spreading({ ...over, ...more }) });
  const HOSTNAME = 'kubernetes.io/hostname';

  test('counts no pods: any node with the label is allowed, as in the kube-scheduler (B50)', () => {
    const nodes = [aNode({ name: 'd', zone: 'eu-west-3d' })];
    expect(place(four(), { nodes }).unplaced).toEqual([]);
    expect(place(four({ topologyKey: HOSTNAME }, '1')).newClaims.map(({ pods }) => pods.length)).toEqual([4]);
    const [rack] = refusalsOf(place(four({ topologyKey: 'rack' })));
    expect(rack).toEqual(['TopologySpread']);
  });

  test('is not empty with a value of matchLabelKeys (B50)', () => {
    expect(refusalsOf(place(four({ matchLabelKeys: ['app'] })))).toEqual([['TopologySpread']]);
  });
});

describe('the namespaces of an affinity term', () => {
  const nodes = [aNode({ name: 'b', zone: B }), aNode({ name: 'c', zone: C })];
  const pods = [
    runningPod('b', { name: 'x', namespace: 'shop', labels }),
    runningPod('c', { name: 'y', namespace: 'bank', labels: { app: 'vault' } }),
  ];
  const namespaces = [
    { metadata: { name: 'shop', labels: { team: 'one' } } },
    { metadata: { name: 'bank', labels: { team: 'two' } } },
    { metadata: { name: 'default' } },
  ];
  const follow = (over: Partial<PodAffinityTerm>, known = namespaces) =>
    zonesOf([large({ affinity: joining(affinityTerm(over)) }, { labels: {} })], { nodes, pods, namespaces: known });

  test('are those that the selector selects by their labels (B52)', () => {
    expect(follow({ namespaceSelector: { matchLabels: { team: 'one' } } })).toEqual([B]);
    expect(follow({ namespaceSelector: { matchLabels: { team: 'two' } } })).toEqual([]);
    expect(
      follow({ namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['two'] }] } }),
    ).toEqual([B]);
  });

  test('can be selected by name, which is a label of each namespace (B52)', () => {
    const named = { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } };
    expect(follow({ namespaceSelector: named })).toEqual([B]);
  });

  test('are both the listed and the selected ones (B52)', () => {
    const term = { namespaces: ['bank'], namespaceSelector: { matchLabels: { team: 'one' } } };
    expect(follow(term)).toEqual([B]);
    expect(follow({ ...term, labelSelector: { matchLabels: { app: 'vault' } } })).toEqual([C]);
  });

  test('do not include the namespace of the pod if a selector selects others (B52)', () => {
    const own = [runningPod('b', { name: 'x', labels })];
    const affinity = joining(affinityTerm({ namespaceSelector: { matchLabels: { team: 'one' } } }));
    expect(refusalsOf(place([large({ affinity }, { labels: {} })], { nodes, pods: own, namespaces }))).toEqual([
      ['PodAffinity'],
    ]);
  });

  test('apply to anti-affinity as well (B52)', () => {
    const affinity = (over: Partial<PodAffinityTerm>) => avoiding(affinityTerm({ ...over, topologyKey: ZONE }));
    const onlyB = { ...large({}).spec, nodeSelector: { [ZONE]: B } };
    const near = (over: Partial<PodAffinityTerm>) =>
      refusalsOf(place([large({ ...onlyB, affinity: affinity(over) })], { nodes, pods, namespaces }));
    expect(near({})).toEqual([]);
    expect(near({ namespaceSelector: { matchLabels: { team: 'one' } } })).toEqual([['PodAntiAffinity']]);
  });
});

describe('the first pod of a group with affinity to itself', () => {
  const affinity: Affinity = joining(affinityTerm());

  test('uses one of its possible zones, and the others use the same zone (B53)', () => {
    const nodeSelector = { [ZONE]: C };
    const free = pendingPods(2, { name: 'free', labels, requests: { cpu: '5' }, spec: { affinity } });
    const held = large({ affinity, nodeSelector }, { name: 'held', requests: { cpu: '6' } });
    expect(zonesOf([...free, held])).toEqual([C, C, C]);
  });

  test('is unschedulable if a pod of the group runs in a zone that it cannot use, as in the kube-scheduler; Karpenter places it (B53)', () => {
    const cluster = { nodes: [aNode({ name: 'a', zone: A })], pods: [runningPod('a', { name: 'x', labels })] };
    const held = large({ affinity, nodeSelector: { [ZONE]: B } });
    expect(refusalsOf(place([held], cluster))).toEqual([['PodAffinity']]);
  });

  test('has no place if its group runs on a node without one of the labels, as in the kube-scheduler (B53)', () => {
    const spec = { affinity: joining(affinityTerm(), affinityTerm({ topologyKey: 'karpenter.sh/capacity-type' })) };
    const cluster = { nodes: [aNode({ name: 'a', zone: A })], pods: [runningPod('a', { name: 'x', labels })] };
    const refused = place([large(spec)], cluster);
    const [why] = refused.unplaced.flatMap(({ refusals }) => refusals.map(({ refusal }) => refusal.message));
    expect(refused.newClaims).toEqual([]);
    expect(why).toContain('the nodes of the matching pods do not have this label');
    expect(zonesOf([large(spec), large(spec, { name: 'other' })])).toEqual([A, A]);
  });

  test('joins the running group, not a zone with fewer pods (B53)', () => {
    const cluster = { nodes: [aNode({ name: 'c', zone: C })], pods: [runningPod('c', { name: 'x', labels })] };
    expect(zonesOf([large({ affinity })], cluster)).toEqual([C]);
  });
});

describe('a pod on a claim in flight that may get any of three zones', () => {
  const promised = pendingPod({ name: 'promised', labels });
  const nodeClaims = [
    aClaim({ pods: ['default/promised'], spec: claimSpec({ requirements: [asking(ZONE, 'In', A, B, C)] }) }),
  ];
  const beside = (spec: Partial<PodSpec>, over: Parameters<typeof pendingPod>[0] = {}) => {
    const schedule = place([promised, large(spec, { name: 'newcomer', ...over })], { nodeClaims });
    expect(placesOf(schedule)).toEqual({ promised: 'general-1' });
    return refusalsOf(schedule);
  };

  test('counts in none of them for affinity to it (B56)', () => {
    expect(beside({ affinity: joining(affinityTerm()) }, { labels: {} })).toEqual([['PodAffinity']]);
  });

  test('counts in all of them for anti-affinity to it (B56)', () => {
    expect(beside({ affinity: avoiding(affinityTerm()) })).toEqual([['PodAntiAffinity']]);
    expect(beside({ affinity: avoiding(affinityTerm({ labelSelector: { matchLabels: { app: 'db' } } })) })).toEqual([]);
  });

  test('excludes pods from all of them by its own anti-affinity (B56)', () => {
    const rejecting = pendingPod({ name: 'promised', spec: { affinity: avoiding(affinityTerm()) } });
    const schedule = place([rejecting, large({}, { name: 'newcomer' })], { nodeClaims });
    expect(refusalsOf(schedule)).toEqual([['PodAntiAffinity']]);
  });

  test('counts in each of them for a spread constraint, so the skew does not change; Karpenter counts it in none (B56)', () => {
    expect(beside(spreading())).toEqual([]);
    expect(beside(spreading({ minDomains: 3 }))).toEqual([]);
    expect(beside(spreading({ minDomains: 4 }))).toEqual([['TopologySpread']]);
  });
});

describe('a pod on a claim whose zone is pinned', () => {
  test('counts only in that zone (B56)', () => {
    const pinned = aClaim({ pods: ['default/promised'], spec: claimSpec({ requirements: [asking(ZONE, 'In', B)] }) });
    const promised = pendingPod({ name: 'promised', labels });
    const follower = large({ affinity: joining(affinityTerm()) }, { name: 'follower', labels: {} });
    const loner = large(
      { affinity: avoiding(affinityTerm()), nodeSelector: { [ZONE]: A } },
      { name: 'loner', labels: {} },
    );
    expect(zonesOf([promised, follower], { nodeClaims: [pinned] })).toEqual([B]);
    expect(zonesOf([promised, loner], { nodeClaims: [pinned] })).toEqual([A]);
  });
});

test('a single term with the same two expressions has a reason of its own', () => {
  const [app, tier] = [
    { key: 'app', operator: 'In', values: ['a'] },
    { key: 'tier', operator: 'In', values: ['x'] },
  ] as const;
  const terms = [app, tier].map((one) => affinityTerm({ labelSelector: { matchExpressions: [one] } }));
  const pods = [
    pendingPod({ name: 'a', spec: { affinity: joining(...terms) } }),
    pendingPod({
      name: 'b',
      spec: { affinity: joining(affinityTerm({ labelSelector: { matchExpressions: [app, tier] } })) },
    }),
  ];
  const reasons = place(pods).unplaced.map(({ pod, refusals }) => [pod.metadata.name, refusals[0]?.refusal.reason]);
  expect(Object.fromEntries(reasons)).toEqual({ a: 'PodAffinityTerms', b: 'PodAffinity' });
});
