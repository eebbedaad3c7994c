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

/** Places a pod that is too large to share a node, and returns the remaining zones of its claim. */
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

describe('the first requirements of a pod', () => {
  test('are its nodeSelector, its first required term and its preference with the highest weight (B27)', () => {
    const nodeAffinity = { ...requiring(inZone(A, B), inZone(C)), ...preferring(weighing(1, A), weighing(9, B, C)) };
    const schedule = place([
      pendingPod({ spec: { nodeSelector: { [CAPACITY_TYPE]: 'spot' }, affinity: { nodeAffinity } } }),
    ]);
    expect(valuesOf(schedule, ZONE)).toEqual([[B]]);
    expect(valuesOf(schedule, CAPACITY_TYPE)).toEqual([['spot']]);
  });

  test('do not include preferences with lower weight (B27)', () => {
    expect(
      zonesFor({ affinity: { nodeAffinity: preferring(weighing(1, A), weighing(2, B), weighing(1, C)) } }),
    ).toEqual([[B]]);
  });

  test('include a preferred zone; a spread constraint counts all zones that the pod can use (B27, B47)', () => {
    const affinity = { nodeAffinity: preferring(weighing(1, C)) };
    const spec = { affinity, topologySpreadConstraints: [spread()] };
    const zones = valuesOf(place(pendingPods(3, { labels, requests: { cpu: '5' }, spec })), ZONE);
    expect(zones.flat().toSorted()).toEqual([A, B, C]);
  });
});

describe('a preference that is relaxed', () => {
  test('is relaxed for one pod: the next equal pod starts with all preferences (B30)', () => {
    const affinity = { nodeAffinity: preferring(weighing(1, C)) };
    const spec = { affinity, topologySpreadConstraints: [spread()] };
    const zones = valuesOf(place(pendingPods(4, { labels, requests: { cpu: '5' }, spec })), ZONE);
    expect(zones.flat().toSorted()).toEqual([A, B, C, C]);
  });

  test('is dropped after the required alternatives (B31)', () => {
    const nodeAffinity = requiring(inZone(A), inZone(B));
    const podAffinity = { preferredDuringSchedulingIgnoredDuringExecution: near('db') };
    expect(zonesFor({ affinity: { nodeAffinity, podAffinity } }, running(['db', B]))).toEqual([[B]]);
  });

  test('for pod affinity is dropped before one for anti-affinity (B31)', () => {
    const podAffinity = { preferredDuringSchedulingIgnoredDuringExecution: near('db') };
    const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: near('noise') };
    expect(zonesFor({ affinity: { podAffinity, podAntiAffinity } }, running(['db', A], ['noise', A]))).not.toEqual([
      [A],
    ]);
    expect(zonesFor({ affinity: { podAffinity } }, running(['db', A], ['noise', A]))).toEqual([[A]]);
  });

  test('for anti-affinity is dropped before one for node affinity (B31)', () => {
    const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: near('noise') };
    const nodeAffinity = preferring(weighing(1, B));
    expect(zonesFor({ affinity: { podAntiAffinity, nodeAffinity } }, running(['noise', B]))).toEqual([[B]]);
  });

  test('for node affinity is dropped before a ScheduleAnyway constraint (B31)', () => {
    const nodeAffinity = preferring(weighing(1, A));
    const soft = spread({ whenUnsatisfiable: 'ScheduleAnyway' });
    const spec = { affinity: { nodeAffinity }, topologySpreadConstraints: [soft] };
    expect(zonesFor(spec, running(['web', A], ['web', C]))).toEqual([[B]]);
  });

  test('that is a ScheduleAnyway constraint is dropped before a PreferNoSchedule taint is tolerated (B31)', () => {
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

  test('with the highest weight of its kind is dropped first, so a preference with lower weight is satisfied (B31)', () => {
    const nodeAffinity = preferring(weighing(9, 'nowhere'), weighing(5, C), weighing(7, 'nowhere-else'));
    expect(zonesFor({ affinity: { nodeAffinity } })).toEqual([[C]]);
  });
});

describe('a pod with several required terms (B31)', () => {
  const impossible = preferring({ weight: 1, preference: { matchExpressions: [asking(CAPACITY_TYPE, 'In', 'none')] } });
  const pod = (...zones: readonly string[]): Pod => {
    const nodeAffinity = { ...requiring(...zones.map((zone) => inZone(zone))), ...impossible };
    return pendingPod({ spec: { affinity: { nodeAffinity } } });
  };

  test.each([
    ['first', [A, 'nowhere']],
    ['second of three', ['nowhere', B, 'nowhere-else']],
    ['last', ['nowhere', C]],
  ])(
    'is placed by the %s of them without its preference; Karpenter drops the term and never tries it again',
    (_, zones) => {
      const open = zones.filter((zone) => !zone.startsWith('nowhere'));
      expect(valuesOf(place([pod(...zones)]), ZONE)).toEqual([open]);
    },
  );

  test('is placed on a node by the first of them, if no new node can be launched', () => {
    const schedule = place([pod(A, 'nowhere')], { nodes: [aNode({ name: 'n', zone: A })], nodePools: [] });
    expect(schedule.existing.map(({ pods }) => pods.length)).toEqual([1]);
  });

  test('is placed by the first of them in a pool with a PreferNoSchedule taint', () => {
    const soft = aPoolView({ taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] });
    const affinity = { nodeAffinity: requiring(inZone(A), inZone('nowhere')) };
    expect(valuesOf(place([pendingPod({ spec: { affinity } })], { nodePools: [soft] }), ZONE)).toEqual([[A]]);
  });

  test('is refused with the reasons of all of them', () => {
    const nodePools = [aPoolView({ requirements: [asking(ZONE, 'In', A)] })];
    const nodes = [aNode({ name: 'small', zone: A, allocatable: { cpu: '2', memory: '4Gi', pods: '10' } })];
    const nodeAffinity = requiring(inZone(A), inZone(B), inZone(C), inZone(B));
    const large = pendingPod({ requests: { cpu: '100' }, spec: { affinity: { nodeAffinity } } });
    const [unplaced] = place([large], { nodePools, nodes }).unplaced;
    const [why] = unplaced?.refusals ?? [];
    expect(why?.refusal.reason).toBe('InsufficientResources');
    const refused = (zone: string) => `requires ${ZONE} In [${zone}], but the pool allows In [${A}]`;
    expect(why?.refusal.message).toMatch(/^no required term fits: .*100 cpu/);
    for (const zone of [B, C]) expect(why?.refusal.message.split(refused(zone))).toHaveLength(2);
    expect(unplaced?.onNodes?.message).toBe('no existing node fits: 1 has insufficient cpu (largest free 2)');
  });
});

describe('with the preference policy Ignore', () => {
  const options = { preferencePolicy: 'Ignore' } as const;

  test('preferred node affinity is ignored (B32)', () => {
    const affinity = { nodeAffinity: preferring(weighing(1, C)) };
    expect(zonesFor({ affinity })).toEqual([[C]]);
    expect(zonesFor({ affinity }, { options })).not.toEqual([[C]]);
  });

  test('preferred pod affinity and anti-affinity are ignored (B32)', () => {
    const podAffinity = { preferredDuringSchedulingIgnoredDuringExecution: near('db') };
    const podAntiAffinity = { preferredDuringSchedulingIgnoredDuringExecution: near('noise') };
    const cluster = running(['db', C], ['noise', A]);
    expect(zonesFor({ affinity: { podAffinity } }, cluster)).toEqual([[C]]);
    expect(zonesFor({ affinity: { podAntiAffinity } }, cluster)).not.toEqual(zonesFor({}, cluster));
    for (const affinity of [{ podAffinity }, { podAntiAffinity }]) {
      expect(zonesFor({ affinity }, { ...cluster, options })).toEqual(zonesFor({}, { ...cluster, options }));
    }
  });

  test('a ScheduleAnyway constraint is ignored, a DoNotSchedule constraint is not (B32)', () => {
    const claims = (whenUnsatisfiable: 'ScheduleAnyway' | 'DoNotSchedule') => {
      const spec = { topologySpreadConstraints: [spread({ whenUnsatisfiable })] };
      return place(pendingPods(3, { labels, requests: { cpu: '100m' }, spec }), { options }).newClaims.length;
    };
    expect(claims('ScheduleAnyway')).toBe(1);
    expect(claims('DoNotSchedule')).toBe(3);
  });

  test('requirements apply, and their alternatives are tried (B32)', () => {
    const nodeAffinity = requiring(inZone('nowhere'), inZone(B));
    expect(zonesFor({ affinity: { nodeAffinity } }, { options })).toEqual([[B]]);
    expect(
      refusalsOf(
        place(pendingPods(1, { spec: { affinity: { nodeAffinity: requiring(inZone('nowhere')) } } }), { options }),
      ),
    ).toEqual([['NoOffering']]);
  });

  test('a pool with a PreferNoSchedule taint is used only if no other pool fits (B32, B61)', () => {
    const soft = aPoolView({ name: 'soft', weight: 9, taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] });
    expect(poolsOf(place([pendingPod()], { nodePools: [soft, aPoolView()], options }))).toEqual(['general']);
  });
});

describe('a preference of a pod does not affect other pods', () => {
  const preferred = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: near('web') } };
  const loner = (affinity: Affinity): Pod =>
    pendingPod({ name: 'loner', requests: { cpu: '2' }, spec: { affinity, nodeSelector: { [ZONE]: A } } });
  const newcomer = pendingPod({ labels, requests: { cpu: '1' }, spec: { nodeSelector: { [ZONE]: A } } });

  test('of two pods in a run; Karpenter excludes the other pod until that pod relaxes a preference of its own (B55)', () => {
    expect(place([loner(preferred), newcomer]).unplaced).toEqual([]);
    expect(place([loner(avoiding(affinityTerm())), newcomer]).unplaced).toHaveLength(1);
  });

  test('of a running pod (B55)', () => {
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

  test('NoExecute on a node excludes new pods too (B61)', () => {
    const nodes = [aNode({ taints: [{ key: 'team', effect: 'NoExecute' }] })];
    expect(place([pendingPod()], { nodes, nodePools: [] }).existing).toEqual([]);
  });
});
