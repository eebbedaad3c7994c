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

test('a claim is filled as it is opened, where Karpenter gives each pod to the claim with the fewest (B34)', () => {
  const pods = [
    ...pendingPods(2, { name: 'big', requests: { cpu: '5' } }),
    ...pendingPods(6, { name: 'small', requests: { cpu: '1' } }),
  ];
  expect(podsOfClaims(place(pods))).toEqual([
    ['big-1', 'small-1', 'small-2', 'small-3'],
    ['big-2', 'small-4', 'small-5', 'small-6'],
  ]);
});

describe('a pod joins an open claim as long as something is left that the claim could become', () => {
  test('both ask for labels that agree: the claim has both (B36)', () => {
    const schedule = place([first({ [ZONE]: B }), second({ [ARCH]: 'amd64' })]);
    expect(podsOfClaims(schedule)).toEqual([['first', 'second']]);
    expect(valuesOf(schedule, ZONE)).toEqual([[B]]);
    expect(valuesOf(schedule, ARCH)).toEqual([['amd64']]);
  });

  test('they ask for labels that do not: two claims (B36)', () => {
    expect(podsOfClaims(place([first({ [ZONE]: A }), second({ [ZONE]: B })]))).toEqual([['first'], ['second']]);
  });

  test('a label that is well known may be asked for though the pool says nothing of it, one of the user’s own not (B36)', () => {
    expect(place([first({ 'karpenter.k8s.aws/instance-cpu': '2' })]).newClaims).toHaveLength(1);
    expect(refusalsOf(place([first({ team: 'a' })]))).toEqual([['Label']]);
    const nodePools = [aPoolView({ requirements: [asking('team', 'Exists')] })];
    expect(place([first({ team: 'a' })], { nodePools }).newClaims).toHaveLength(1);
  });

  test('no type suits both, though each has its own: two claims (B36)', () => {
    const types = [anInstanceType({ name: 'm5.large' }), anInstanceType({ name: 'm6g.large', arch: 'arm64' })];
    const pods = [first({ [ARCH]: 'amd64' }), second({ 'karpenter.k8s.aws/instance-family': 'm6g' })];
    expect(typesOf(place(pods, { nodePools: [aPoolView({ types })] }))).toEqual([['m5.large'], ['m6g.large']]);
  });

  test('the only type with room for both is not for sale where one of them must be: two claims (B36)', () => {
    const types = [
      anInstanceType({ name: 'm5.large', zones: [A] }),
      anInstanceType({ name: 'm5.2xlarge', cpu: 8, zones: [B] }),
    ];
    const pods = [first({ [ZONE]: A }), second({}, '1500m')];
    const schedule = place(pods, { nodePools: [aPoolView({ types })] });
    expect(podsOfClaims(schedule)).toEqual([['second'], ['first']]);
    expect(valuesOf(schedule, ZONE)[1]).toEqual([A]);
  });

  test('every type that is left holds the pods and the daemons that come with it (B21, B36)', () => {
    const containers = [{ name: 'main', resources: { requests: { cpu: '600m' } } }];
    const daemonSets = [aDaemonSet('logs', { containers, nodeSelector: { 'karpenter.k8s.aws/instance-cpu': '2' } })];
    expect(typesOf(place([first(), second()], { daemonSets }))).toEqual([['m5.xlarge', 'm5.2xlarge']]);
    expect(typesOf(place([first(), second()]))).toEqual([someTypes().map(({ name }) => name)]);
  });

  test('a host port that daemons take on some of its types rules those out for the claim (B36, B58)', () => {
    const containers = [{ name: 'main', ports: [{ hostPort: 9_100 }] }];
    const daemonSets = [
      aDaemonSet('exporter', { containers, nodeSelector: { 'karpenter.k8s.aws/instance-cpu': '4' } }),
    ];
    const scraping = pendingPod({ name: 'scraping', containers });
    expect(typesOf(place([first(), scraping], { daemonSets }))).toEqual([['m5.large', 'm5.2xlarge']]);
  });
});
