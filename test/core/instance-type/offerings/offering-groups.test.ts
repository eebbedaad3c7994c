import { describe, expect, test } from 'vitest';
import type { Offering } from '../../../../lib/core/model/instance-type.ts';
import { anInstanceType, anOffering } from '../../../builders/instance-types.ts';
import { aPoolView, asking } from '../../../builders/node-pools.ts';
import { pendingPod } from '../../../builders/pods.ts';
import { place, refusalsOf, typesOf } from '../../scheduling/problems.ts';

const GIB = 2 ** 30;
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

/** Has four CPUs where it is sold as spot, though the type has two. */
const WIDE_SPOT: Offering = {
  ...anOffering('eu-west-3a', 'spot', 0.5),
  allocatable: { cpu: 4_000, memory: 8 * GIB, pods: 29 },
};
const TYPE = anInstanceType({ offerings: [anOffering('eu-west-3a', 'on-demand'), WIDE_SPOT] });
const nodePools = [aPoolView({ types: [TYPE] })];

const soldAs = (schedule: ReturnType<typeof place>): readonly (readonly string[])[] =>
  schedule.newClaims.map(({ instanceTypes }) =>
    instanceTypes.flatMap(({ offerings }) => offerings.map(({ capacityType }) => capacityType)),
  );

describe('a type whose offerings differ in room (B37)', () => {
  test('fits where one of them has the room, and is launched as that one', () => {
    const schedule = place([pendingPod({ requests: { cpu: '3' } })], { nodePools });
    expect(soldAs(schedule)).toEqual([['spot']]);
    expect(schedule.newClaims[0]?.cheapest).toMatchObject({ type: { name: 'm5.large' }, offering: WIDE_SPOT });
  });

  test('does not fit where the one with the room may not be taken', () => {
    const pod = pendingPod({ requests: { cpu: '3' }, spec: { nodeSelector: { [CAPACITY_TYPE]: 'on-demand' } } });
    expect(place([pod], { nodePools }).newClaims).toEqual([]);
    expect(refusalsOf(place([pod], { nodePools }))).toHaveLength(1);
  });

  test('is named once where several have the room, and promises that of the smallest', () => {
    const schedule = place([pendingPod({ requests: { cpu: '1' } })], { nodePools });
    expect(typesOf(schedule)).toEqual([['m5.large']]);
    expect(soldAs(schedule)).toEqual([['on-demand', 'spot']]);
    expect(schedule.newClaims[0]?.instanceTypes[0]?.allocatable['cpu']).toBe(2_000);
  });

  test('counts once for minValues', () => {
    const requirements = [{ ...asking('node.kubernetes.io/instance-type', 'Exists'), minValues: 2 }];
    const rigid = [aPoolView({ types: [TYPE], requirements })];
    expect(refusalsOf(place([pendingPod()], { nodePools: rigid }))).toEqual([['MinValues']]);
  });
});
