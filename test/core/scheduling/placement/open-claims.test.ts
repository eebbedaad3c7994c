import { describe, expect, test } from 'vitest';
import { anInstanceType, someTypes } from '../../../builders/instance-types.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { aDaemonSet } from '../../../builders/nodes.ts';
import { pendingPod, pendingPods } from '../../../builders/pods.ts';
import { place, podsOfClaims, refusalsOf, typesOf, valuesOf } from '../problems.ts';

const ZONE = 'topology.kubernetes.io/zone';
const ARCH = 'kubernetes.io/arch';
const [A, B] = ['eu-west-3a', 'eu-west-3b'] as const;

/** `first` opens the claim, being the larger one. */
const first = (nodeSelector: Readonly<Record<string, string>> = {}) =>
  pendingPod({ name: 'first', requests: { cpu: '1' }, spec: { nodeSelector } });
const second = (nodeSelector: Readonly<Record<string, string>> = {}, cpu = '500m') =>
  pendingPod({ name: 'second', requests: { cpu }, spec: { nodeSelector } });

test('a claim is filled when it is opened; Karpenter adds each pod to the claim with the fewest pods (B34)', () => {
  const pods = [
    ...pendingPods(2, { name: 'big', requests: { cpu: '5' } }),
    ...pendingPods(6, { name: 'small', requests: { cpu: '1' } }),
  ];
  expect(podsOfClaims(place(pods))).toEqual([
    ['big-1', 'small-1', 'small-2', 'small-3'],
    ['big-2', 'small-4', 'small-5', 'small-6'],
  ]);
});

describe('a pod joins an open claim if an offering remains that fits all of its pods', () => {
  test('compatible label requirements: the claim has both (B36)', () => {
    const schedule = place([first({ [ZONE]: B }), second({ [ARCH]: 'amd64' })]);
    expect(podsOfClaims(schedule)).toEqual([['first', 'second']]);
    expect(valuesOf(schedule, ZONE)).toEqual([[B]]);
    expect(valuesOf(schedule, ARCH)).toEqual([['amd64']]);
  });

  test('incompatible label requirements: two claims (B36)', () => {
    expect(podsOfClaims(place([first({ [ZONE]: A }), second({ [ZONE]: B })]))).toEqual([['first'], ['second']]);
  });

  test('a pod may require a well-known label that the pool does not define, but not a user-defined one (B36)', () => {
    expect(place([first({ 'karpenter.k8s.aws/instance-cpu': '2' })]).newClaims).toHaveLength(1);
    expect(refusalsOf(place([first({ team: 'a' })]))).toEqual([['Label']]);
    const nodePools = [aPoolView({ requirements: [asking('team', 'Exists')] })];
    expect(place([first({ team: 'a' })], { nodePools }).newClaims).toHaveLength(1);
  });

  test('no type satisfies both pods: two claims (B36)', () => {
    const types = [anInstanceType({ name: 'm5.large' }), anInstanceType({ name: 'm6g.large', arch: 'arm64' })];
    const pods = [first({ [ARCH]: 'amd64' }), second({ 'karpenter.k8s.aws/instance-family': 'm6g' })];
    expect(typesOf(place(pods, { nodePools: [aPoolView({ types })] }))).toEqual([['m5.large'], ['m6g.large']]);
  });

  test('the only type with room for both is not offered in the zone that one of them requires: two claims (B36)', () => {
    const types = [
      anInstanceType({ name: 'm5.large', zones: [A] }),
      anInstanceType({ name: 'm5.2xlarge', cpu: 8, zones: [B] }),
    ];
    const pods = [first({ [ZONE]: A }), second({}, '1500m')];
    const schedule = place(pods, { nodePools: [aPoolView({ types })] });
    expect(podsOfClaims(schedule)).toEqual([['second'], ['first']]);
    expect(valuesOf(schedule, ZONE)[1]).toEqual([A]);
  });

  test('pods and daemons fit on every remaining type (B21, B36)', () => {
    const containers = [{ name: 'main', resources: { requests: { cpu: '600m' } } }];
    const daemonSets = [aDaemonSet('logs', { containers, nodeSelector: { 'karpenter.k8s.aws/instance-cpu': '2' } })];
    expect(typesOf(place([first(), second()], { daemonSets }))).toEqual([['m5.xlarge', 'm5.2xlarge']]);
    expect(typesOf(place([first(), second()]))).toEqual([someTypes().map(({ name }) => name)]);
  });

  test('types on which daemons use the host port are excluded from the claim (B36, B58)', () => {
    const containers = [{ name: 'main', ports: [{ hostPort: 9_100 }] }];
    const daemonSets = [
      aDaemonSet('exporter', { containers, nodeSelector: { 'karpenter.k8s.aws/instance-cpu': '4' } }),
    ];
    const scraping = pendingPod({ name: 'scraping', containers });
    expect(typesOf(place([first(), scraping], { daemonSets }))).toEqual([['m5.large', 'm5.2xlarge']]);
  });
});
