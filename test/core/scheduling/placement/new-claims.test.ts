import { describe, expect, test } from 'vitest';
import type { Affinity, NodeSelectorRequirement } from '../../../../lib/apis/kubernetes.ts';
import { anInstanceType, anOffering, someTypes } from '../../../builders/instance-types.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { aDaemonSet } from '../../../builders/nodes.ts';
import { pendingPod, pendingPods } from '../../../builders/pods.ts';
import { NOW_MS } from '../../../builders/times.ts';
import { place, podsOfClaims, poolsOf, refusalsOf, typesOf, valuesOf } from '../problems.ts';

const FAMILY = 'karpenter.k8s.aws/instance-family';
const ZONE = 'topology.kubernetes.io/zone';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

function requiring(...matchExpressions: readonly NodeSelectorRequirement[]): { readonly affinity: Affinity } {
  const required = { nodeSelectorTerms: [{ matchExpressions }] };
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } };
}

function preferring(weight: number, ...matchExpressions: readonly NodeSelectorRequirement[]) {
  return { weight, preference: { matchExpressions } };
}

describe('which pool opens the claim', () => {
  test('the pool with the highest weight, even if it is more expensive (B12, B35)', () => {
    const nodePools = [
      aPoolView({ name: 'cheap', weight: 1, types: [anInstanceType({ price: 0.01 })] }),
      aPoolView({ name: 'dear', weight: 2, types: [anInstanceType({ price: 9 })] }),
    ];
    expect(poolsOf(place([pendingPod()], { nodePools }))).toEqual(['dear']);
  });

  test('of pools with equal weight, the last by name (B12)', () => {
    const nodePools = [aPoolView({ name: 'a' }), aPoolView({ name: 'c' }), aPoolView({ name: 'b' })];
    expect(poolsOf(place([pendingPod()], { nodePools }))).toEqual(['c']);
  });

  test('a pool with lower weight, if the pool with the higher weight cannot', () => {
    const nodePools = [
      aPoolView({ name: 'arm', weight: 9, types: [anInstanceType({ arch: 'arm64' })] }),
      aPoolView({ name: 'intel' }),
    ];
    expect(
      poolsOf(place([pendingPod({ spec: { nodeSelector: { 'kubernetes.io/arch': 'amd64' } } })], { nodePools })),
    ).toEqual(['intel']);
  });

  test.each([
    ['a static pool', { replicas: 3 }, 'StaticCapacity'],
    ['a pool that is being deleted', { deletionTimestamp: '2026-01-31T08:00:00Z' }, 'Deleting'],
    ['a pool that cannot be used', { unusable: { reason: 'NodeClassNotReady', message: '' } }, 'NodeClassNotReady'],
  ] as const)('%s takes no part, and says so (B63, B12)', (_, options, reason) => {
    const schedule = place([pendingPod()], { nodePools: [aPoolView(options)] });
    expect(schedule.unplaced).toMatchObject([{ refusals: [{ nodePool: 'general', refusal: { reason } }] }]);
  });

  test('startup taints do not exclude pods (A1.7)', () => {
    const nodePools = [aPoolView({ startupTaints: [{ key: 'cni', effect: 'NoSchedule' }] })];
    expect(place([pendingPod()], { nodePools }).unplaced).toEqual([]);
  });

  test('taints exclude pods (B36)', () => {
    const nodePools = [aPoolView({ taints: [{ key: 'team', effect: 'NoSchedule' }] })];
    expect(refusalsOf(place([pendingPod()], { nodePools }))).toEqual([['Taint']]);
  });

  test('a pool with a PreferNoSchedule taint is used if no other pool fits (B31)', () => {
    const soft = aPoolView({ name: 'soft', weight: 9, taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] });
    expect(poolsOf(place([pendingPod()], { nodePools: [soft, aPoolView()] }))).toEqual(['general']);
    expect(poolsOf(place([pendingPod()], { nodePools: [soft] }))).toEqual(['soft']);
  });
});

describe('which pods share a claim', () => {
  test('those that fit on one instance at the lowest price; the largest pod is placed first (B28)', () => {
    const pods = [
      pendingPod({ name: 'small', requests: { cpu: '1' } }),
      pendingPod({ name: 'large', requests: { cpu: '7500m' } }),
      pendingPod({ name: 'middle', requests: { cpu: '3' } }),
    ];
    expect(podsOfClaims(place(pods))).toEqual([['large'], ['middle', 'small']]);
  });

  test('the price is never higher than that of one node for all pods (B34)', () => {
    const types = [
      anInstanceType({ name: 'm5.large', cpu: 2, price: 1 }),
      anInstanceType({ name: 'm5.xlarge', cpu: 4, price: 1.9 }),
    ];
    const pods = pendingPods(2, { requests: { cpu: '1500m' } });
    expect(typesOf(place(pods, { nodePools: [aPoolView({ types })] }))).toEqual([['m5.xlarge']]);
  });

  test('pods that cost less on separate nodes do not share a claim', () => {
    const pods = [
      pendingPod({ name: 'small', requests: { cpu: '2' } }),
      pendingPod({ name: 'middle', requests: { cpu: '4' } }),
    ];
    expect(podsOfClaims(place(pods))).toEqual([['middle'], ['small']]);
  });

  test('of equal pods, the oldest is placed first (B28)', () => {
    const pods = [
      pendingPod({ name: 'young', createdAtMs: NOW_MS, requests: { cpu: '5' } }),
      pendingPod({ name: 'old', createdAtMs: NOW_MS - 60_000, requests: { cpu: '5' } }),
    ];
    expect(podsOfClaims(place(pods))).toEqual([['old'], ['young']]);
  });

  test('open claims with free room are filled before another claim is opened (B34)', () => {
    const pods = [
      ...pendingPods(2, { name: 'big', requests: { cpu: '5' } }),
      ...pendingPods(6, { name: 'small', requests: { cpu: '1' } }),
    ];
    expect(podsOfClaims(place(pods)).map((claim) => claim.length)).toEqual([4, 4]);
  });

  test('a claim keeps only the types on which all of its pods fit', () => {
    expect(typesOf(place(pendingPods(5)))).toEqual([['m5.xlarge', 'm5.2xlarge']]);
  });

  test('a pod that avoids a family narrows the claim that it joins', () => {
    const types = [...someTypes(), anInstanceType({ name: 'c5.2xlarge', cpu: 8, memoryGib: 32 })];
    const pods = [
      pendingPod({ name: 'any', requests: { cpu: '2' } }),
      pendingPod({ name: 'picky', spec: requiring(asking(FAMILY, 'NotIn', 'm5')) }),
    ];
    expect(typesOf(place(pods, { nodePools: [aPoolView({ types })] }))).toEqual([['c5.2xlarge']]);
  });

  test('a pod that avoids a zone narrows the claim that it joins', () => {
    const pods = [
      pendingPod({ name: 'any', requests: { cpu: '2' } }),
      pendingPod({ name: 'picky', spec: requiring(asking(ZONE, 'NotIn', 'eu-west-3a')) }),
    ];
    const [claim] = place(pods).newClaims;
    expect(claim?.pods).toHaveLength(2);
    expect(claim?.requirements.get(ZONE)).toMatchObject({ complement: true, values: new Set(['eu-west-3a']) });
  });

  test('pods that require on-demand capacity do not share a claim with pods that can use spot', () => {
    const onDemand = { nodeSelector: { [CAPACITY_TYPE]: 'on-demand' } };
    const pods = [...pendingPods(60, { name: 'any' }), ...pendingPods(2, { name: 'must', spec: onDemand })];
    const onDemandClaims = place(pods).newClaims.filter(
      ({ cheapest }) => cheapest.offering.capacityType === 'on-demand',
    );
    expect(onDemandClaims.map((claim) => claim.pods.map((pod) => pod.metadata.name))).toEqual([['must-1', 'must-2']]);
  });

  test('in an on-demand pool they share a claim', () => {
    const onDemand = { nodeSelector: { [CAPACITY_TYPE]: 'on-demand' } };
    const nodePools = [aPoolView({ requirements: [asking(CAPACITY_TYPE, 'In', 'on-demand')] })];
    const pods = [pendingPod({ name: 'any' }), pendingPod({ name: 'must', spec: onDemand })];
    expect(place(pods, { nodePools }).newClaims).toHaveLength(1);
  });

  test('pods with the same host port are placed on separate nodes (B58)', () => {
    const containers = [{ name: 'main', ports: [{ hostPort: 80 }] }];
    expect(place(pendingPods(3, { containers })).newClaims).toHaveLength(3);
  });

  test('pods on the network of the node are placed on separate nodes, apart from equal pods with their own (B58)', () => {
    const containers = [{ name: 'main', ports: [{ containerPort: 80 }] }];
    const pods = [
      ...pendingPods(2, { name: 'own', containers }),
      ...pendingPods(2, { name: 'shared', containers, spec: { hostNetwork: true } }),
    ];
    expect(place(pods).newClaims).toHaveLength(2);
  });

  test('a pod is unschedulable if a daemon uses its host port on every type (B58)', () => {
    const containers = [{ name: 'main', ports: [{ hostPort: 9_100 }] }];
    const daemonSets = [aDaemonSet('exporter', { containers })];
    expect(refusalsOf(place([pendingPod({ containers })], { daemonSets }))).toEqual([['HostPort']]);
  });

  test('a pod gets other types if a daemon uses its host port on some types (B58)', () => {
    const containers = [{ name: 'main', ports: [{ hostPort: 9_100 }] }];
    const daemonSets = [
      aDaemonSet('exporter', { containers, nodeSelector: { 'karpenter.k8s.aws/instance-cpu': '4' } }),
    ];
    expect(typesOf(place([pendingPod({ containers })], { daemonSets }))).toEqual([['m5.large', 'm5.2xlarge']]);
  });
});

describe('the requests of daemons are subtracted from each type (B21)', () => {
  const half = [{ name: 'main', resources: { requests: { cpu: '500m' } } }];
  const whole = pendingPod({ requests: { cpu: '1600m' } });

  test('pods and daemons must fit on a type', () => {
    expect(typesOf(place([whole], { daemonSets: [aDaemonSet('logs', { containers: half })] }))).toEqual([
      ['m5.xlarge', 'm5.2xlarge'],
    ]);
  });

  test.each([
    ['that do not tolerate the pool’s taint', { nodeSelector: {} }, [{ key: 'team', effect: 'NoSchedule' } as const]],
    ['that select another architecture', { nodeSelector: { 'kubernetes.io/arch': 'arm64' } }, []],
    ['that select a label that the pool lacks', { nodeSelector: { team: 'a' } }, []],
  ])('those %s take nothing', (_, spec, taints) => {
    const daemonSets = [aDaemonSet('logs', { containers: half, ...spec })];
    const tolerant = pendingPod({ requests: { cpu: '1600m' }, spec: { tolerations: [{ operator: 'Exists' }] } });
    expect(typesOf(place([tolerant], { daemonSets, nodePools: [aPoolView({ taints })] }))[0]).toContain('m5.large');
  });

  test('a PreferNoSchedule taint does not exclude a daemon, and one of its required terms is sufficient', () => {
    const terms = ['team', 'kubernetes.io/arch'].map((key) => ({ matchExpressions: [asking(key, 'Exists')] }));
    const spec = {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
    };
    const daemonSets = [aDaemonSet('logs', { containers: half, ...spec })];
    const nodePools = [aPoolView({ taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] })];
    expect(typesOf(place([whole], { daemonSets, nodePools }))[0]).not.toContain('m5.large');
  });

  test('a daemon that runs on one type counts only on that type', () => {
    const daemonSets = [
      aDaemonSet('logs', { containers: half, nodeSelector: { 'karpenter.k8s.aws/instance-cpu': '4' } }),
    ];
    const pod = pendingPod({ requests: { cpu: '3800m' } });
    expect(typesOf(place([pod], { daemonSets }))).toEqual([['m5.2xlarge']]);
    expect(typesOf(place([whole], { daemonSets }))[0]).toContain('m5.large');
  });
});

describe('preferences (B30, B31)', () => {
  test('are satisfied if possible', () => {
    const preferred = preferring(1, asking(ZONE, 'In', 'eu-west-3c'));
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferred] } };
    expect(valuesOf(place([pendingPod({ spec: { affinity } })]), ZONE)).toEqual([['eu-west-3c']]);
  });

  test('the preference with the highest weight is tried first, then the next', () => {
    const affinity = {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          preferring(1, asking(ZONE, 'In', 'eu-west-3c')),
          preferring(9, asking(ZONE, 'In', 'nowhere')),
        ],
      },
    };
    expect(valuesOf(place([pendingPod({ spec: { affinity } })]), ZONE)).toEqual([['eu-west-3c']]);
  });

  test('the first required alternative that is possible is used', () => {
    const nodeSelectorTerms = [
      { matchExpressions: [asking(ZONE, 'In', 'nowhere')] },
      { matchExpressions: [asking(ZONE, 'In', 'eu-west-3b')] },
    ];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
    expect(valuesOf(place([pendingPod({ spec: { affinity } })]), ZONE)).toEqual([['eu-west-3b']]);
  });

  test('that cannot be satisfied do not make a pod unschedulable', () => {
    const preferred = preferring(1, asking(ZONE, 'In', 'nowhere'));
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferred] } };
    const pod = pendingPod({ requests: { cpu: '100' }, spec: { affinity } });
    expect(refusalsOf(place([pod]))).toEqual([['InsufficientResources']]);
  });
});

describe('a refusal names the step and the numbers', () => {
  test.each([
    [
      'a resource of which no type has enough',
      pendingPod({ requests: { cpu: '9' } }),
      'InsufficientResources',
      { requested: 9_000, largest: 8_000 },
    ],
    [
      'a resource that no type has',
      pendingPod({ requests: { 'nvidia.com/gpu': '1' } }),
      'InsufficientResources',
      { requested: 1, largest: 0 },
    ],
    ['a label that the pool lacks', pendingPod({ spec: { nodeSelector: { team: 'a' } } }), 'Label', {}],
    [
      'a type that does not exist',
      pendingPod({ spec: { nodeSelector: { 'node.kubernetes.io/instance-type': 'x1.large' } } }),
      'NoInstanceTypes',
      {},
    ],
    ['a zone without offerings', pendingPod({ spec: { nodeSelector: { [ZONE]: 'eu-west-3z' } } }), 'NoOffering', {}],
    [
      'a contradiction',
      pendingPod({ spec: requiring(asking('team', 'In', 'a'), asking('team', 'In', 'b')) }),
      'Label',
      {},
    ],
  ])('%s', (...[, pod, reason, numbers]) => {
    expect(place([pod]).unplaced).toMatchObject([
      { refusals: [{ nodePool: 'general', refusal: { reason, numbers } }] },
    ]);
  });

  test('an offering without capacity', () => {
    const types = [
      anInstanceType({ offerings: [anOffering('eu-west-3a', 'spot'), anOffering('eu-west-3b', 'on-demand')] }),
    ];
    const pod = pendingPod({ spec: { nodeSelector: { [ZONE]: 'eu-west-3a', [CAPACITY_TYPE]: 'on-demand' } } });
    expect(refusalsOf(place([pod], { nodePools: [aPoolView({ types })] }))).toEqual([['NoOffering']]);
  });

  test('each resource alone fits, but no type has all of them', () => {
    const types = [
      anInstanceType({ name: 'c5.xlarge', cpu: 4, memoryGib: 8 }),
      anInstanceType({ name: 'r5.large', cpu: 2, memoryGib: 16 }),
    ];
    const pod = pendingPod({ requests: { cpu: '3', memory: '12Gi' } });
    const [unplaced] = place([pod], { nodePools: [aPoolView({ types })] }).unplaced;
    expect(unplaced?.refusals[0]?.refusal.message).toBe(
      'none of 2 instance types has 3 cpu and 12Gi memory and 1 pods together',
    );
  });

  test('one refusal for each pool, in the order in which the pools are tried', () => {
    const nodePools = [
      aPoolView({ name: 'light', taints: [{ key: 'team', effect: 'NoSchedule' }] }),
      aPoolView({ name: 'heavy', weight: 5 }),
    ];
    const schedule = place([pendingPod({ requests: { cpu: '9' } })], { nodePools });
    expect(refusalsOf(schedule)).toEqual([['InsufficientResources', 'Taint']]);
  });
});

test('the order of the pods does not affect the result', () => {
  const pods = [
    ...pendingPods(4, { name: 'a', requests: { cpu: '900m' } }),
    ...pendingPods(3, { name: 'b', requests: { cpu: '900m', memory: '2Gi' } }),
    ...pendingPods(2, { name: 'c', requests: { cpu: '3' } }),
  ];
  const [one, other] = [place(pods), place(pods.toReversed())];
  expect(podsOfClaims(other)).toEqual(podsOfClaims(one));
  expect(typesOf(other)).toEqual(typesOf(one));
});

test('packing "first-fit" opens as few claims as Karpenter does, even if more claims cost less (B34)', () => {
  const types = [
    anInstanceType({ name: 'm5.large', cpu: 2, price: 1 }),
    anInstanceType({ name: 'm5.xlarge', cpu: 4, price: 3 }),
  ];
  const [pods, nodePools] = [pendingPods(2, { requests: { cpu: '1500m' } }), [aPoolView({ types })]];
  expect(podsOfClaims(place(pods, { nodePools }))).toHaveLength(2);
  const greedy = place(pods, { nodePools, options: { packing: 'first-fit' } });
  expect(typesOf(greedy)).toEqual([['m5.xlarge']]);
});
