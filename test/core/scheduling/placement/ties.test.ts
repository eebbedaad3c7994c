import { describe, expect, test } from 'vitest';
import type { ClusterSnapshot } from '../../../../lib/core/model/cluster-snapshot.ts';
import { newNodeClaim } from '../../../../lib/core/provisioning/new-node-claim.ts';
import { anInstanceType, anOffering } from '../../../builders/instance-types.ts';
import { aClaim } from '../../../builders/node-claims.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { aDaemonSet, aNode } from '../../../builders/nodes.ts';
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
import { place, placesOf, podsOfClaims, poolsOf, typesOf, valuesOf } from '../problems.ts';

const ZONE = 'topology.kubernetes.io/zone';
const [A, B, C] = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'] as const;
const labels = { app: 'web' };
const CONTEXT = { cluster: 'demo', decisionId: 'decision-1', nowMs: NOW_MS };

describe('ties are broken by name; in Karpenter they are random', () => {
  test('of types with equal price, the first by name is chosen, in any order of the list (B26, B41)', () => {
    const types = ['m7.large', 'm5.large', 'm6.large'].map((name) => anInstanceType({ name }));
    const [claim] = place([pendingPod()], { nodePools: [aPoolView({ types })] }).newClaims;
    expect(claim?.instanceTypes.map(({ name }) => name)).toEqual(['m5.large', 'm6.large', 'm7.large']);
    expect(claim?.cheapest.type.name).toBe('m5.large');
  });

  test('of offerings with equal price, the first zone is chosen, then the first capacity type (B41)', () => {
    const offerings = [
      anOffering(C, 'on-demand'),
      anOffering(B, 'on-demand'),
      { ...anOffering(B, 'spot'), priceUsdPerHour: 0.1 },
    ];
    const types = [anInstanceType({ offerings })];
    const [claim] = place([pendingPod()], { nodePools: [aPoolView({ types })] }).newClaims;
    expect(claim?.cheapest.offering).toMatchObject({ zone: B, capacityType: 'on-demand' });
  });

  test('of zones with equal counts, the first is chosen (B41)', () => {
    const zones = (count: number) =>
      valuesOf(
        place(pendingPods(count, { labels, requests: { cpu: '5' }, spec: { topologySpreadConstraints: [spread()] } })),
        ZONE,
      );
    expect([1, 2, 3].map((count) => zones(count).at(-1))).toEqual([[A], [B], [C]]);
  });

  test('a group with affinity to itself starts in the first zone (B41, B53)', () => {
    const group = pendingPods(2, { labels, requests: { cpu: '5' }, spec: { affinity: joining(affinityTerm()) } });
    expect(valuesOf(place(group), ZONE)).toEqual([[A], [A]]);
  });

  test('a user-defined label gets its first value (B14, B41)', () => {
    const nodePools = [aPoolView({ requirements: [asking('slot', 'In', 'z', 'b', 'a')] })];
    const [claim] = place([pendingPod()], { nodePools }).newClaims;
    expect(claim && newNodeClaim(claim, 0, CONTEXT).labels).toMatchObject({ slot: 'a' });
  });

  test('of equal pods of equal age, the first by uid is placed first (B28, B41)', () => {
    const nodes = [aNode({ allocatable: { cpu: '1', memory: '8Gi', pods: '9' } })];
    const pods = ['c', 'a', 'b'].map((name) => pendingPod({ name, requests: { cpu: '1' } }));
    expect(placesOf(place(pods, { nodes, nodePools: [] }))).toEqual({ a: 'node-1' });
  });

  test('of nodes that all fit, the first by name is chosen (B33, B41)', () => {
    const nodes = ['n3', 'n1', 'n2'].map((name) => aNode({ name }));
    expect(placesOf(place([pendingPod()], { nodes }))).toEqual({ 'web-1': 'n1' });
  });
});

test('the order in which the cluster is listed does not affect the result (B41)', () => {
  const pods = [
    ...pendingPods(5, { name: 'even', labels, spec: { topologySpreadConstraints: [spread()] } }),
    ...pendingPods(4, {
      name: 'apart',
      labels: { app: 'db' },
      spec: { affinity: avoiding(affinityTerm({ labelSelector: { matchLabels: { app: 'db' } } })) },
    }),
    ...pendingPods(6, { name: 'big', requests: { cpu: '3' } }),
  ];
  const types = ['m5.large', 'm6.large', 'c5.2xlarge', 'c6.2xlarge'].map((name) =>
    anInstanceType({ name, ...(name.includes('2x') ? { cpu: 8, memoryGib: 32 } : {}) }),
  );
  const cluster = {
    nodes: [aNode({ name: 'n1' }), aNode({ name: 'n2', zone: B })],
    pods: [runningPod('n1', { name: 'r1', labels }), runningPod('n2', { name: 'r2', labels: { app: 'db' } })],
    nodePools: [aPoolView({ name: 'a', types, limits: { cpu: '16' } }), aPoolView({ name: 'b', types })],
    daemonSets: [aDaemonSet('logs'), aDaemonSet('proxy')],
    nodeClaims: [aClaim({ name: 'a-1', nodePool: 'a' }), aClaim({ name: 'b-1', nodePool: 'b' })],
  } satisfies Partial<ClusterSnapshot>;
  const reversed = {
    nodes: cluster.nodes.toReversed(),
    pods: cluster.pods.toReversed(),
    nodePools: cluster.nodePools.toReversed().map((view) => ({
      ...view,
      instanceTypes: view.instanceTypes
        .toReversed()
        .map((type) => ({ ...type, offerings: type.offerings.toReversed() })),
    })),
    daemonSets: cluster.daemonSets.toReversed(),
    nodeClaims: cluster.nodeClaims.toReversed(),
  };
  const [one, other] = [place(pods, cluster), place(pods.toReversed(), reversed)];
  expect(one.newClaims.length).toBeGreaterThan(2);
  expect(podsOfClaims(other)).toEqual(podsOfClaims(one));
  expect(poolsOf(other)).toEqual(poolsOf(one));
  expect(typesOf(other)).toEqual(typesOf(one));
  expect(valuesOf(other, ZONE)).toEqual(valuesOf(one, ZONE));
  expect(placesOf(other)).toEqual(placesOf(one));
  expect(other.newClaims.map(({ cheapest }) => cheapest.offering)).toEqual(
    one.newClaims.map(({ cheapest }) => cheapest.offering),
  );
});
