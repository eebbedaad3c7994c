import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../lib/apis/kubernetes.ts';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import { type DecisionPrice, gapPercent } from '../../../lib/core/model/decision.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { anInstanceType, anOffering } from '../../builders/instance-types.ts';
import { aPoolView, asking } from '../../builders/node-pools.ts';
import { pendingPod, pendingPods } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

function priceOf(pods: readonly Pod[], over: Partial<ClusterSnapshot> = {}): DecisionPrice | undefined {
  return provision(aSnapshot({ pods, ...over }), { decisionId: 'd', nowMs: NOW_MS }).price;
}

describe('the lower bound of a decision', () => {
  // Spot costs 40 % of the price.
  const offerings = [anOffering('eu-west-3a', 'spot'), anOffering('eu-west-3a', 'on-demand')];
  const pool = aPoolView({ types: [anInstanceType({ cpu: 2, memoryGib: 512, pods: 500, offerings })] });

  test('is the price if the pods fill their nodes', () => {
    const price = priceOf(pendingPods(6, { requests: { cpu: '1' } }), { nodePools: [pool] });
    expect(price).toEqual({ usdPerHour: 0.12, lowerBoundUsdPerHour: 0.12, gapPercent: 0 });
    expect(gapPercent({ usdPerHour: 0, lowerBoundUsdPerHour: 0, ...price })).toBe(0);
  });

  test('counts whole nodes for few pods', () => {
    const price = priceOf(pendingPods(3, { requests: { cpu: '1' } }), { nodePools: [pool] });
    expect(price).toEqual({ usdPerHour: 0.08, lowerBoundUsdPerHour: 0.08, gapPercent: 0 });
  });

  test('allows fractions of nodes for 100 pods or more', () => {
    const price = priceOf(pendingPods(101, { requests: { cpu: '1' } }), { nodePools: [pool] });
    expect(price).toEqual({ usdPerHour: 2.04, lowerBoundUsdPerHour: 2.02, gapPercent: 0.99 });
    expect(gapPercent({ usdPerHour: 0, lowerBoundUsdPerHour: 0, ...price })).toBe(0.99);
  });

  test('is the price of the cheapest type that holds all pods, if more nodes are not cheaper', () => {
    const small = anInstanceType({ name: 'm5.large', cpu: 2, memoryGib: 4, pods: 500, offerings });
    const large = anInstanceType({ name: 'm5.xlarge', cpu: 4, memoryGib: 8, pods: 500, offerings });
    const pods = [
      pendingPod({ name: 'a', requests: { cpu: '1500m', memory: '1Gi' } }),
      pendingPod({ name: 'b', requests: { cpu: '1', memory: '1Gi' } }),
    ];
    const price = priceOf(pods, { nodePools: [aPoolView({ types: [small, large] })] });
    expect(price?.gapPercent).toBe(0);
  });

  test('counts how many large pods fit on a node', () => {
    const nodePools = [aPoolView({ types: [anInstanceType({ cpu: 5, memoryGib: 512, pods: 500, offerings })] })];
    // Each node of 5 cpu holds two of the pods.
    const price = priceOf(pendingPods(4, { requests: { cpu: '2' } }), { nodePools });
    expect(price).toEqual({ usdPerHour: 0.08, lowerBoundUsdPerHour: 0.08, gapPercent: 0 });
  });

  test('counts large pods by all of their resources', () => {
    const nodePools = [aPoolView({ types: [anInstanceType({ cpu: 8, memoryGib: 20, pods: 500, offerings })] })];
    const requests = { cpu: '3', memory: '7Gi' };
    // Two fit by cpu and by memory.
    const price = priceOf(pendingPods(6, { requests }), { nodePools });
    expect(price?.lowerBoundUsdPerHour).toBe(price?.usdPerHour);
  });

  test('has the prices of the offerings that each pod may use', () => {
    const onDemand = { nodeSelector: { 'karpenter.sh/capacity-type': 'on-demand' } };
    const pods = [
      pendingPod({ name: 'a', requests: { cpu: '2' } }),
      pendingPod({ name: 'b', requests: { cpu: '2' }, spec: onDemand }),
    ];
    expect(priceOf(pods, { nodePools: [pool] })).toEqual({
      usdPerHour: 0.14,
      lowerBoundUsdPerHour: 0.14,
      gapPercent: 0,
    });
  });

  test('counts one node for each pod that shares no node with the others', () => {
    const labelSelector = { matchLabels: { app: 'web' } };
    const apart = [{ topologyKey: 'kubernetes.io/hostname', labelSelector }];
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: apart } };
    const pods = pendingPods(5, { labels: { app: 'web' }, requests: { cpu: '100m' }, spec: { affinity } });
    expect(priceOf(pods, { nodePools: [pool] })).toEqual({ usdPerHour: 0.2, lowerBoundUsdPerHour: 0.2, gapPercent: 0 });
  });

  test('allows every alternative of required node affinity', () => {
    const terms = (['In', 'NotIn'] as const).map((operator) => ({
      matchExpressions: [asking('topology.kubernetes.io/zone', operator, 'eu-west-3a')],
    }));
    const required = { nodeSelectorTerms: terms };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    const far = anInstanceType({ name: 'm6.large', cpu: 2, offerings: [anOffering('eu-west-3b', 'spot', 1)] });
    const nodePools = [aPoolView({ types: [...pool.instanceTypes, far] })];
    const price = priceOf(pendingPods(2, { requests: { cpu: '1' }, spec: { affinity } }), { nodePools });
    expect(price).toEqual({ usdPerHour: 0.04, lowerBoundUsdPerHour: 0.04, gapPercent: 0 });
  });

  test('pods that are counted for the anti-affinity of another pod may share a node', () => {
    const apart = [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } }];
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: apart } };
    const labels = { app: 'web' };
    const pods = [
      pendingPod({ name: 'alone', labels, requests: { cpu: '100m' }, spec: { affinity } }),
      ...pendingPods(4, { labels, requests: { cpu: '500m' } }),
    ];
    const price = priceOf(pods, { nodePools: [pool] });
    expect(price?.usdPerHour).toBe(0.08);
    expect(price?.lowerBoundUsdPerHour).toBeLessThanOrEqual(0.08);
  });

  test('is absent if no node is created', () => {
    expect(priceOf([], { nodePools: [pool] })).toBeUndefined();
  });
});
