import { describe, expect, test } from 'vitest';
import type { Affinity, NodeSelectorRequirement, Pod, PodSpec } from '../../../../lib/apis/kubernetes.ts';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { aNode } from '../../../builders/nodes.ts';
import { affinityTerm, avoiding, pendingPod, pendingPods, runningPod, spread } from '../../../builders/pods.ts';
import { place, poolsOf, refusalsOf, valuesOf } from '../problems.ts';

const ZONE = 'topology.kubernetes.io/zone';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const [A, B, C] = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'] as const;
const labels = { app: 'web' };

type NodeAffinity = NonNullable<Affinity['nodeAffinity']>;
type Preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

const inZone = (...zones: readonly string[]) => ({ matchExpressions: [asking(ZONE, 'In', ...zones)] });
const weighing = (weight: number, ...zones: readonly string[]) => ({ weight, preference: inZone(...zones) });
const near = (app: string) => [
  { weight: 1, podAffinityTerm: affinityTerm({ labelSelector: { matchLabels: { app } } }) },
];

function preferring(...preferred: NonNullable<NodeAffinity[Preferred]>): Pick<NodeAffinity, Preferred> {
  return { preferredDuringSchedulingIgnoredDuringExecution: preferred };
}

function requiring(
  ...terms: readonly { readonly matchExpressions: readonly NodeSelectorRequirement[] }[]
): NodeAffinity {
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
}

/** A pod too large to share a node, and the zones that are left to its claim. */
function zonesFor(spec: Partial<PodSpec>, over: Partial<ClusterSnapshot> = {}): readonly (readonly string[])[] {
  return valuesOf(place([pendingPod({ labels, requests: { cpu: '5' }, spec })], over), ZONE);
}

/** A node in each zone, full; the pods in the zones of their names. */
function running(...apps: readonly (readonly [app: string, zone: string])[]): Partial<ClusterSnapshot> {
  return {
    nodes: [A, B, C].map((zone) => aNode({ name: zone, zone })),
    pods: apps.map(([app, zone], at) => runningPod(zone, { name: `${app}-${at}`, labels: { app } })),
  };
}

describe('a pod asks first', () => {
  test('with its selector, its first required term and its heaviest preference together (B27)', () => {
    const nodeAffinity = { ...requiring(inZone(A, B), inZone(C)), ...preferring(weighing(1, A), weighing(9, B, C)) };
    const schedule = place([
      pendingPod({ spec: { nodeSelector: { [CAPACITY_TYPE]: 'spot' }, affinity: { nodeAffinity } } }),
    ]);
    expect(valuesOf(schedule, ZONE)).toEqual([[B]]);
    expect(valuesOf(schedule, CAPACITY_TYPE)).toEqual([['spot']]);
  });

  test('without its lighter preferences, which would rule out the heaviest (B27)', () => {
    expect(
      zonesFor({ affinity: { nodeAffinity: preferring(weighing(1, A), weighing(2, B), weighing(1, C)) } }),
    ).toEqual([[B]]);
  });

  test('for a zone that it prefers, and spreads over those that it may use (B27, B47)', () => {
    const affinity = { nodeAffinity: preferring(weighing(1, C)) };
    const spec = { affinity, topologySpreadConstraints: [spread()] };
    const zones = valuesOf(place(pendingPods(3, { labels, requests: { cpu: '5' }, spec })), ZONE);
    expect(zones.flat().toSorted()).toEqual([A, B, C]);
  });
});

describe('what is given up', () => {
  test('is given up for one pod: the next of its kind starts with all of it (B30)', () => {
    const affinity = { nodeAffinity: preferring(weighing(1, C)) };
    const spec = { affinity, topologySpreadConstraints: [spread()] };
    const zones = valuesOf(place(pendingPods(4, { labels, requests: { cpu: '5' }, spec })), ZONE);
    expect(zones.flat().toSorted()).toEqual([A, B, C, C]);
  });

  test('is an alternative that is required before any preference (B31)', () => {
    const nodeAffinity = requiring(inZone(A), inZone(B));
    const podAffinity = { preferredDuringSchedulingIgnoredDuringExecution: near('db') };
    expect(zonesFor({ affinity: { nodeAffinity, podAffinity } }, running(['db', B]))).toEqual([[B]]);
  });

  test('is a wish to be near pods before one to keep away (B31)', () => {
    const podAffinity = { preferredDuringSchedulingIgnoredDuringExecution: near('db') };
    const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: near('noise') };
    expect(zonesFor({ affinity: { podAffinity, podAntiAffinity } }, running(['db', A], ['noise', A]))).not.toEqual([
      [A],
    ]);
    expect(zonesFor({ affinity: { podAffinity } }, running(['db', A], ['noise', A]))).toEqual([[A]]);
  });

  test('is a wish to keep away from pods before one for nodes (B31)', () => {
    const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: near('noise') };
    const nodeAffinity = preferring(weighing(1, B));
    expect(zonesFor({ affinity: { podAntiAffinity, nodeAffinity } }, running(['noise', B]))).toEqual([[B]]);
  });

  test('is a wish for nodes before a soft spread (B31)', () => {
    const nodeAffinity = preferring(weighing(1, A));
    const soft = spread({ whenUnsatisfiable: 'ScheduleAnyway' });
    const spec = { affinity: { nodeAffinity }, topologySpreadConstraints: [soft] };
    expect(zonesFor(spec, running(['web', A], ['web', C]))).toEqual([[B]]);
  });

  test('is a soft spread before a soft taint is put up with (B31)', () => {
    const nodePools = [
      aPoolView({ name: 'plain', requirements: [asking(ZONE, 'In', A)] }),
      aPoolView({ name: 'soft', weight: 9, taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] }),
    ];
    const pod = pendingPod({
      labels,
      requests: { cpu: '5' },
      spec: { topologySpreadConstraints: [spread({ whenUnsatisfiable: 'ScheduleAnyway' })] },
    });
    expect(poolsOf(place([pod], { ...running(['web', A]), nodePools }))).toEqual(['plain']);
  });

  test('is the heaviest wish of its kind first, so that a lighter one is met (B31)', () => {
    const nodeAffinity = preferring(weighing(9, 'nowhere'), weighing(5, C), weighing(7, 'nowhere-else'));
    expect(zonesFor({ affinity: { nodeAffinity } })).toEqual([[C]]);
  });
});

describe('with the policy Ignore', () => {
  const options = { preferencePolicy: 'Ignore' } as const;

  test('a node that is preferred is as good as any other (B32)', () => {
    const affinity = { nodeAffinity: preferring(weighing(1, C)) };
    expect(zonesFor({ affinity })).toEqual([[C]]);
    expect(zonesFor({ affinity }, { options })).not.toEqual([[C]]);
  });

  test('pods that are preferred, or better kept away from, do not count (B32)', () => {
    const podAffinity = { preferredDuringSchedulingIgnoredDuringExecution: near('db') };
    const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: near('noise') };
    const cluster = running(['db', C], ['noise', A]);
    expect(zonesFor({ affinity: { podAffinity } }, cluster)).toEqual([[C]]);
    expect(zonesFor({ affinity: { podAntiAffinity } }, cluster)).not.toEqual(zonesFor({}, cluster));
    for (const affinity of [{ podAffinity }, { podAntiAffinity }]) {
      expect(zonesFor({ affinity }, { ...cluster, options })).toEqual(zonesFor({}, { ...cluster, options }));
    }
  });

  test('a soft spread does not count, a hard one does (B32)', () => {
    const claims = (whenUnsatisfiable: 'ScheduleAnyway' | 'DoNotSchedule') => {
      const spec = { topologySpreadConstraints: [spread({ whenUnsatisfiable })] };
      return place(pendingPods(3, { labels, requests: { cpu: '100m' }, spec }), { options }).newClaims.length;
    };
    expect(claims('ScheduleAnyway')).toBe(1);
    expect(claims('DoNotSchedule')).toBe(3);
  });

  test('what is required holds, and its alternatives are still tried (B32)', () => {
    const nodeAffinity = requiring(inZone('nowhere'), inZone(B));
    expect(zonesFor({ affinity: { nodeAffinity } }, { options })).toEqual([[B]]);
    expect(
      refusalsOf(
        place(pendingPods(1, { spec: { affinity: { nodeAffinity: requiring(inZone('nowhere')) } } }), { options }),
      ),
    ).toEqual([['NoOffering']]);
  });

  test('a soft taint still keeps away while there is another pool (B32, B61)', () => {
    const soft = aPoolView({ name: 'soft', weight: 9, taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] });
    expect(poolsOf(place([pendingPod()], { nodePools: [soft, aPoolView()], options }))).toEqual(['general']);
  });
});

describe('what a pod prefers binds nobody else', () => {
  const preferred = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: near('web') } };
  const loner = (affinity: Affinity): Pod =>
    pendingPod({ name: 'loner', requests: { cpu: '2' }, spec: { affinity, nodeSelector: { [ZONE]: A } } });
  const newcomer = pendingPod({ labels, requests: { cpu: '1' }, spec: { nodeSelector: { [ZONE]: A } } });

  test('of two pods in a run, where Karpenter keeps the other away until that one gives up a wish of its own (B55)', () => {
    expect(place([loner(preferred), newcomer]).unplaced).toEqual([]);
    expect(place([loner(avoiding(affinityTerm())), newcomer]).unplaced).toHaveLength(1);
  });

  test('of a pod that runs (B55)', () => {
    const cluster = (affinity: Affinity) => ({
      nodes: [aNode({ name: A, zone: A })],
      pods: [runningPod(A, { name: 'loner', spec: { nodeName: A, affinity } })],
    });
    expect(place([newcomer], cluster(preferred)).unplaced).toEqual([]);
    expect(place([newcomer], cluster(avoiding(affinityTerm()))).unplaced).toHaveLength(1);
  });
});

describe('taints', () => {
  test.each([
    ['NoExecute', 'NoExecute', []],
    ['NoExecute', 'NoSchedule', [['Taint']]],
    ['NoSchedule', 'NoSchedule', []],
    ['NoSchedule', 'NoExecute', [['Taint']]],
  ] as const)('%s keeps away a pod that tolerates %s alone as far as it says (B61)', (effect, tolerated, refusals) => {
    const nodePools = [aPoolView({ taints: [{ key: 'team', effect }] })];
    const pod = pendingPod({ spec: { tolerations: [{ key: 'team', operator: 'Exists', effect: tolerated }] } });
    expect(refusalsOf(place([pod], { nodePools }))).toEqual(refusals);
  });

  test('NoExecute on a node keeps newcomers away too (B61)', () => {
    const nodes = [aNode({ taints: [{ key: 'team', effect: 'NoExecute' }] })];
    expect(place([pendingPod()], { nodes, nodePools: [] }).existing).toEqual([]);
  });
});
