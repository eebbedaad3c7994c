import { describe, expect, test } from 'vitest';
import type { ClusterSnapshot } from '../../../lib/core/model/cluster-snapshot.ts';
import type { InstanceType, Offering } from '../../../lib/core/model/instance-type.ts';
import { provision } from '../../../lib/core/provisioning/provision.ts';
import { anInstanceType, anOffering } from '../../builders/instance-types.ts';
import { aClaim, claimSpec } from '../../builders/node-claims.ts';
import { aPoolView, asking, type NodePoolViewOptions } from '../../builders/node-pools.ts';
import { pendingPods } from '../../builders/pods.ts';
import { aSnapshot } from '../../builders/snapshots.ts';
import { NOW_MS } from '../../builders/times.ts';

const RESERVATION = 'karpenter.k8s.aws/capacity-reservation-id';
const ON_DEMAND = anOffering('eu-west-3a', 'on-demand');

function reserved(id: string, instances: number): Offering {
  return { ...anOffering('eu-west-3a', 'reserved', 1e-8), reservation: { id, instances } };
}

function missing(offering: Offering): Offering {
  return { ...offering, available: false, shortage: 'missing' };
}

function large(...offerings: readonly Offering[]): InstanceType {
  return anInstanceType({ offerings });
}

function aCluster(pool: NodePoolViewOptions, over: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return aSnapshot({ nodePools: [aPoolView({ replicas: 3, ...pool })], options: { staticCapacity: true }, ...over });
}

/** The created claims of static NodePools, by their capacity types and reservations; and the refusals. */
function decide(snapshot: ClusterSnapshot) {
  const { actions, blocked } = provision(snapshot, { decisionId: 'decision-1', nowMs: NOW_MS });
  const claims = actions.flatMap((one) =>
    one.kind === 'create-node-claim' && one.nodeClaim.pods.length === 0 ? [one.nodeClaim] : [],
  );
  return {
    claims,
    from: claims.map(({ options }) => options.map((one) => one.reservationId ?? one.capacityType).join(' ')),
    blocked: blocked.map(({ reason, message }) => `${reason}: ${message}`),
  };
}

describe('B59, D31: claims of a static NodePool for reserved capacity', () => {
  const HELD =
    'ReservationExhausted: reserved capacity fits, but other claims use all of it (2 instances of cr-1): the new node waits for the next run';

  test('are as many as a reservation has free instances', () => {
    const { claims, from, blocked } = decide(aCluster({ types: [large(reserved('cr-1', 2))] }));
    expect(from).toEqual(['cr-1', 'cr-1']);
    expect(claims[0]?.spec.requirements).toContainEqual({ key: RESERVATION, operator: 'In', values: ['cr-1'] });
    expect(blocked).toEqual([HELD]);
  });

  test('wait if it has none', () => {
    for (const offerings of [[reserved('cr-1', 0)], [reserved('cr-1', 0), missing(ON_DEMAND)]])
      expect(decide(aCluster({ types: [large(...offerings)] }))).toMatchObject({
        claims: [],
        blocked: [
          'ReservationExhausted: only reserved capacity fits, and it has no free instance (cr-1): the new node waits for one',
        ],
      });
  });

  test('are followed by claims for other capacity when the reservation is used up', () => {
    const withFree = (instances: number, reservedFallback = false) =>
      decide(
        aCluster(
          { types: [large(reserved('cr-1', instances), ON_DEMAND)] },
          { options: { staticCapacity: true, reservedFallback } },
        ),
      );
    expect(withFree(2)).toMatchObject({ from: ['cr-1', 'cr-1'], blocked: [HELD] });
    expect(withFree(2, true)).toMatchObject({ from: ['cr-1', 'cr-1', 'on-demand'], blocked: [] });
    expect(withFree(0)).toMatchObject({ from: ['on-demand', 'on-demand', 'on-demand'], blocked: [] });
  });

  test('use several reservations one after the other', () => {
    expect(decide(aCluster({ types: [large(reserved('cr-1', 1), reserved('cr-2', 3))] })).from).toEqual([
      'cr-1',
      'cr-2',
      'cr-2',
    ]);
  });

  test('do not use the instances of claims that are not launched yet, of other static NodePools and of pods', () => {
    const types = [large(reserved('cr-1', 2))];
    const requirements = [{ key: RESERVATION, operator: 'In' as const, values: ['cr-1'] }];
    const nodeClaims = [aClaim({ nodePool: 'other', spec: claimSpec({ requirements }) })];
    expect(decide(aCluster({ types }, { nodeClaims })).from).toEqual(['cr-1']);
    const both = ['a', 'b'].map((name) => aPoolView({ name, types, replicas: name === 'a' ? 1 : 2 }));
    expect(decide(aCluster({}, { nodePools: both })).claims.map(({ nodePool }) => nodePool)).toEqual(['a', 'b']);
    const ofPods = [aPoolView({ name: 'pods', types }), aPoolView({ types, replicas: 3 })];
    const pods = pendingPods(1, { requests: { cpu: '1500m' } });
    expect(decide(aCluster({}, { nodePools: ofPods, pods })).from).toEqual(['cr-1']);
  });
});

describe('B24: minValues of a static NodePool', () => {
  const families = { ...asking('karpenter.k8s.aws/instance-family', 'Exists'), minValues: 2 };
  const m5 = anInstanceType();
  const c5 = anInstanceType({ name: 'c5.large', offerings: [missing(ON_DEMAND)] });

  test('are a reason to create no claim', () => {
    expect(decide(aCluster({ types: [m5], requirements: [families] }))).toMatchObject({
      claims: [],
      blocked: [
        'MinValues: minValues requires 2 values of karpenter.k8s.aws/instance-family, but 1 would remain: lower minValues, or allow more instance types',
      ],
    });
    expect(decide(aCluster({ types: [m5, c5], requirements: [families] })).blocked).toEqual([
      'MinValues: minValues requires 2 values of karpenter.k8s.aws/instance-family, but only 1 of 2 have capacity now',
    ]);
    const types = [m5, anInstanceType({ name: 'c5.large' })];
    expect(decide(aCluster({ types, requirements: [families] })).claims).toHaveLength(3);
  });

  test('are lowered by the policy BestEffort', () => {
    const options = { staticCapacity: true, minValuesPolicy: 'BestEffort' } as const;
    const [claim] = decide(aCluster({ types: [m5], requirements: [families] }, { options })).claims;
    expect(claim?.annotations).toMatchObject({ 'karpenter.sh/nodeclaim-min-values-relaxed': 'true' });
    expect(claim?.spec.requirements).toContainEqual(
      expect.objectContaining({ key: 'karpenter.k8s.aws/instance-family', minValues: 1 }),
    );
  });

  test('apply to the types without the reservation, for a claim for reserved capacity', () => {
    const withReservation = large(reserved('cr-1', 3), ON_DEMAND);
    expect(decide(aCluster({ types: [withReservation], requirements: [families] })).claims).toEqual([]);
    const types = [withReservation, anInstanceType({ name: 'c5.large' })];
    expect(decide(aCluster({ types, requirements: [families] })).from).toEqual(['cr-1', 'cr-1', 'cr-1']);
  });
});

test.each([0, 2])('the price guard limits nodes beside a reservation with %s free instances', (instances) => {
  const dear = anInstanceType({ name: 'm5.8xlarge', offerings: [anOffering('eu-west-3a', 'on-demand', 1)] });
  const types = [large(reserved('cr-1', instances), missing(ON_DEMAND)), dear];
  const options = { staticCapacity: true, reservedFallback: true };
  const { claims, from, blocked } = decide(aCluster({ types }, { options }));
  expect(from).toEqual(Array.from({ length: instances }, () => 'cr-1'));
  expect(claims.every(({ options: [, ...others] }) => others.length === 0)).toBe(true);
  expect(blocked).toEqual([
    'PriceTooHigh: the cheapest node with capacity costs $1/h, more than 3 times the $0.1/h of the cheapest compatible one, which has no capacity now: wait, or raise kerf.dev/max-price-factor of NodePool general',
  ]);
});
