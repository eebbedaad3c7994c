import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planOf } from '../parity/plan-of.ts';
import type { RawSnapshot } from '../parity/verifier/raw-documents.ts';
import { verifyPlan } from '../parity/verifier/verify-plan.ts';
import { samples } from '../samples.ts';
import { randomSnapshot } from './random/random-snapshot.ts';

const RESERVATION = 'karpenter.k8s.aws/capacity-reservation-id';
const RUN = { seed: 20_261_122, numRuns: samples(400) };

/** Random snapshots in which the first types also have offerings of reservations. */
const withReservations = fc
  .record({
    snapshot: randomSnapshot,
    reservations: fc.array(
      fc.record({ type: fc.nat(3), id: fc.constantFrom('cr-1', 'cr-2', 'cr-3'), zone: fc.constantFrom('a', 'b') }),
      { minLength: 1, maxLength: 4 },
    ),
    instances: fc.record({ 'cr-1': fc.nat(3), 'cr-2': fc.nat(3), 'cr-3': fc.nat(3) }),
  })
  .map(({ snapshot, reservations, instances }) => {
    const instanceTypes = (snapshot.instanceTypes ?? []).map((type, at) => ({
      ...type,
      requirements: withoutPlaces(type.requirements ?? {}),
      offerings: [
        ...type.offerings,
        ...reservations
          .filter((one) => one.type === at)
          .map(({ id, zone }) => ({
            capacityType: 'reserved',
            zone: `us-east-1${zone}`,
            price: 1e-8,
            reservationId: id,
            reservationCapacity: instances[id],
          })),
      ],
    }));
    const reserved: RawSnapshot = {
      ...snapshot,
      instanceTypes,
      nodePools: (snapshot.nodePools ?? []).map(withoutMinValues),
      options: { ...snapshot.options, reservedCapacity: true },
    };
    return { snapshot: reserved, instances: new Map(Object.entries(instances)) };
  });

/** Without minValues: a claim for reserved capacity meets them by types that its plan does not list (B24). */
function withoutMinValues(nodePool: RawNodePool): RawNodePool {
  const { template } = nodePool.spec;
  const requirements = template.spec.requirements?.map((one) => {
    const { minValues: _, ...kept } = one;
    return kept;
  });
  const spec = { ...template.spec, ...(requirements === undefined ? {} : { requirements }) };
  return { ...nodePool, spec: { ...nodePool.spec, template: { ...template, spec } } };
}

type RawNodePool = NonNullable<RawSnapshot['nodePools']>[number];

/** Requirements without the labels that the offerings decide. */
function withoutPlaces(requirements: Readonly<Record<string, readonly string[]>>): Record<string, readonly string[]> {
  const places = ['topology.kubernetes.io/zone', 'topology.k8s.aws/zone-id', 'karpenter.sh/capacity-type'];
  return Object.fromEntries(Object.entries(requirements).filter(([key]) => !places.includes(key)));
}

test('claims keep every rule, and no reservation is assigned to more claims than it has instances (B59)', () => {
  fc.assert(
    fc.property(withReservations, ({ snapshot, instances }) => {
      const plan = planOf(snapshot);
      expect(verifyPlan(snapshot, plan)).toEqual([]);
      for (const [id, most] of instances) {
        const holders = plan.newNodeClaims.filter(({ requirements }) =>
          (requirements[RESERVATION] ?? []).some(({ values = [] }) => values.includes(id)),
        );
        expect(holders.length).toBeLessThanOrEqual(most);
      }
    }),
    RUN,
  );
});

test('every claim is for reserved capacity alone or for no reserved capacity (B38)', () => {
  fc.assert(
    fc.property(withReservations, ({ snapshot }) => {
      for (const { requirements, cheapestOffering } of planOf(snapshot).newNodeClaims) {
        const isReserved = requirements[RESERVATION] !== undefined;
        expect(cheapestOffering?.capacityType === 'reserved').toBe(isReserved);
      }
    }),
    RUN,
  );
});
