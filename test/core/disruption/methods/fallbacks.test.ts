import { describe, expect, test } from 'vitest';
import { ALL_METHODS } from '../../../../lib/core/disruption/methods/all-methods.ts';
import { planDisruption } from '../../../../lib/core/disruption/plan-disruption.ts';
import type { InstanceType, Offering } from '../../../../lib/core/model/instance-type.ts';
import type { SchedulingOptions } from '../../../../lib/core/model/scheduling-options.ts';
import { anInstanceType, anOffering } from '../../../builders/instance-types.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { runningPod } from '../../../builders/pods.ts';
import { initializedNode, snapshotOf } from '../../../builders/snapshots.ts';
import { NOW_MS } from '../../../builders/times.ts';

const [A, B] = ['eu-west-3a', 'eu-west-3b'];

interface Fallback {
  readonly types: readonly InstanceType[];
  /** What was launched when nothing cheaper had capacity. */
  readonly node: { readonly type: string; readonly zone?: string; readonly capacityType?: 'spot' | 'on-demand' };
  readonly options?: SchedulingOptions;
}

/** What replaces the only node of a cluster, whose pod needs most of 2 CPUs. */
function replacedBy({ types, node: { type, zone = A, capacityType = 'on-demand' }, options }: Fallback) {
  const node = initializedNode({
    name: 'fallback',
    zone,
    allocatable: { cpu: '4', memory: '16Gi', pods: '29' },
    labels: { 'node.kubernetes.io/instance-type': type, 'karpenter.sh/capacity-type': capacityType },
  });
  const requirements = [asking('karpenter.sh/capacity-type', 'In', 'spot', 'on-demand')];
  const snapshot = snapshotOf([node], {
    nodePools: [aPoolView({ types, requirements, disruption: { budgets: [{ nodes: '100%' }] } })],
    pods: [runningPod('fallback', { name: 'web', requests: { cpu: '1500m', memory: '1Gi' } })],
    ...(options && { options }),
  });
  return planDisruption(ALL_METHODS, snapshot, NOW_MS).commands.flatMap(({ replacements }) =>
    replacements.map(({ cheapest: { type: of, offering } }) => `${of.name} ${offering.capacityType} ${offering.zone}`),
  );
}

function typeOf(name: string, cpu: number, offerings: readonly Offering[]): InstanceType {
  return anInstanceType({ name, cpu, offerings });
}

describe.each([
  { mode: 'several new nodes', fleetConsolidation: true },
  { mode: "Karpenter's rules", fleetConsolidation: false },
])('a fallback is replaced when what was preferred has capacity again: $mode', ({ fleetConsolidation }) => {
  const options = { fleetConsolidation };

  test('E23: an on-demand node by a spot node of the same type', () => {
    const [spot, onDemand] = [anOffering(A, 'spot', 0.1), anOffering(A, 'on-demand', 0.1)];
    const withSpot = (available: boolean) => [typeOf('m5.large', 2, [{ ...spot, available }, onDemand])];
    expect(replacedBy({ types: withSpot(false), node: { type: 'm5.large' }, options })).toEqual([]);
    expect(replacedBy({ types: withSpot(true), node: { type: 'm5.large' }, options })).toEqual([`m5.large spot ${A}`]);
  });

  test('E22: a node of a larger type by one of the type that had no capacity', () => {
    const larger = typeOf('m5.xlarge', 4, [anOffering(A, 'on-demand', 0.2)]);
    const withSmall = (available: boolean) => [
      typeOf('m5.large', 2, [{ ...anOffering(A, 'on-demand', 0.1), available }]),
      larger,
    ];
    expect(replacedBy({ types: withSmall(false), node: { type: 'm5.xlarge' }, options })).toEqual([]);
    expect(replacedBy({ types: withSmall(true), node: { type: 'm5.xlarge' }, options })).toEqual([
      `m5.large on-demand ${A}`,
    ]);
  });

  test('E22: a node in a zone with a higher price by a type that costs less in each zone', () => {
    const types = [
      typeOf('m5.large', 2, [anOffering(A, 'on-demand', 0.1), anOffering(B, 'on-demand', 0.2)]),
      typeOf('m6g.large', 2, [anOffering(A, 'on-demand', 0.11), anOffering(B, 'on-demand', 0.15)]),
    ];
    expect(replacedBy({ types, node: { type: 'm5.large', zone: B }, options })).toEqual([`m6g.large on-demand ${A}`]);
    // E22: a node of the only type could be launched in the zone with the higher price again.
    expect(replacedBy({ types: types.slice(0, 1), node: { type: 'm5.large', zone: B }, options })).toEqual([]);
  });

  test('E24: a spot node of a larger type by a spot node, if the option allows it', () => {
    const small = Array.from({ length: 15 }, (_, at) => typeOf(`m${at}.large`, 2, [anOffering(A, 'spot', 0.1)]));
    const types = [typeOf('m5.xlarge', 4, [anOffering(A, 'spot', 0.2)]), ...small];
    const fallback = { types, node: { type: 'm5.xlarge', capacityType: 'spot' } } as const;
    expect(replacedBy({ ...fallback, options })).toEqual([]);
    const allowed = { ...options, spotToSpotConsolidation: true };
    expect(replacedBy({ ...fallback, options: allowed })).toEqual([`m0.large spot ${A}`]);
  });
});
