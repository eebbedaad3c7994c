import { type CapacityReservation, DescribeCapacityReservationsCommand, type Filter } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { MINUTE_MS } from '../../../apis/formats/time.ts';
import { optional } from '../../../apis/optional.ts';
import { compareText } from '../../../core/compare-text.ts';
import type { ResolvedCapacityReservation } from '../../../core/model/resolved-node-class.ts';
import { isUnknownReservation } from '../client/errors.ts';
import { allPages } from '../client/pages.ts';
import { found, type Part, type ResolveTools } from './resolution.ts';
import { tagFilters, unique } from './selector-terms.ts';

type ReservationTerm = NonNullable<EC2NodeClass['spec']['capacityReservationSelectorTerms']>[number];

/** C31: EC2 starts to terminate the instances of a capacity block half an hour before its end. */
const EXPIRING_MS = 40 * MINUTE_MS;

/** A3.8, C31. An empty result is not a problem: the NodeClass then launches without a reservation. */
export async function resolveReservations(tools: ResolveTools, { spec }: EC2NodeClass): Promise<Part> {
  const terms = spec.capacityReservationSelectorTerms;
  if (terms === undefined) return found({});
  const described = (await Promise.all(terms.map((term) => ofTerm(tools, term)))).flat();
  const nowMs = tools.clock.now();
  const capacityReservations = unique(described)
    .filter(({ endsAtMs }) => endsAtMs === undefined || endsAtMs > nowMs)
    .map((one): ResolvedCapacityReservation => ({ ...one, state: stateOf(one, nowMs) }))
    .toSorted((a, b) => compareText(a.id, b.id));
  return found({ capacityReservations });
}

function stateOf(
  { type, endsAtMs = Infinity }: Pick<ResolvedCapacityReservation, 'type' | 'endsAtMs'>,
  nowMs: number,
): ResolvedCapacityReservation['state'] {
  return type === 'capacity-block' && nowMs >= endsAtMs - EXPIRING_MS ? 'expiring' : 'active';
}

async function ofTerm(
  tools: ResolveTools,
  term: ReservationTerm,
): Promise<readonly Omit<ResolvedCapacityReservation, 'state'>[]> {
  const filters = filtersOf(term);
  // An empty term would match every reservation.
  if (term.id === undefined && filters.length === 0) return [];
  const question = { key: JSON.stringify([term.id, filters]), keepMs: tools.answers.keepMs.reservations };
  return await tools.answers.reservations.ask(question, async () => {
    const countedAtMs = tools.clock.now();
    return (await listReservations(tools, term.id, filters)).flatMap((one) => reservationOf(one, countedAtMs));
  });
}

function filtersOf(term: ReservationTerm): readonly Filter[] {
  const { ownerID, instanceMatchCriteria } = term;
  return [
    ...(ownerID === undefined ? [] : [{ Name: 'owner-id', Values: [ownerID] }]),
    ...(instanceMatchCriteria === undefined
      ? []
      : [{ Name: 'instance-match-criteria', Values: [instanceMatchCriteria] }]),
    ...tagFilters(term.tags),
  ];
}

/** This call has no filter by id, and an unknown id is an error. */
function listReservations(
  { client }: ResolveTools,
  id: string | undefined,
  filters: readonly Filter[],
): Promise<readonly CapacityReservation[]> {
  return allPages('describe capacity reservations', async (token) => {
    const command = new DescribeCapacityReservationsCommand({
      ...(id === undefined ? {} : { CapacityReservationIds: [id] }),
      Filters: [...filters, { Name: 'state', Values: ['active'] }],
      ...optional({ NextToken: token }),
    });
    try {
      const answer = await client.send(command);
      return { items: answer.CapacityReservations, next: answer.NextToken };
    } catch (thrown) {
      if (isUnknownReservation(thrown)) return { items: [], next: undefined };
      throw thrown;
    }
  });
}

function reservationOf(
  one: CapacityReservation,
  countedAtMs: number,
): readonly Omit<ResolvedCapacityReservation, 'state'>[] {
  const { CapacityReservationId: id, InstanceType: instanceType, AvailabilityZone: zone, EndDate } = one;
  if (id === undefined || instanceType === undefined || zone === undefined) return [];
  return [
    {
      id,
      instanceType,
      zone,
      ownerId: one.OwnerId ?? '',
      matchCriteria: one.InstanceMatchCriteria ?? 'open',
      type: one.ReservationType ?? 'default',
      interruptible: one.Interruptible ?? false,
      availableInstances: one.AvailableInstanceCount ?? 0,
      countedAtMs,
      ...(EndDate === undefined ? {} : { endsAtMs: EndDate.getTime() }),
    },
  ];
}
