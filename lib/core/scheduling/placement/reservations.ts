import { CAPACITY_TYPE, RESERVATION_ID } from '../../../apis/labels.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import { admits, inRequirement } from '../../requirements/requirement.ts';
import { type Requirements, requirementsFrom } from '../../requirements/requirements.ts';
import { type Bitset, common, has, isEmptyBitset } from '../pools/bitset.ts';
import type { RequirementSet, RequirementSets } from '../pools/requirement-sets.ts';
import type { PoolTypeIndex, ReservedOffering } from '../pools/type-index.ts';

/** The free instances of reservations during a run. */
export interface ReservationLedger {
  /** B59: whether a pod waits for reserved capacity that other claims hold, instead of using more expensive capacity. */
  readonly isStrict: boolean;
  left(id: string): number;
  /** Takes one instance of each. */
  hold(ids: ReadonlySet<string>): HeldReservations;
}

/** B59: a claim holds one instance of every reservation that it could still be launched into. */
export interface HeldReservations {
  readonly ids: ReadonlySet<string>;
  /** Releases all other reservations. */
  keep(ids: ReadonlySet<string>): void;
}

/**
 * The number of free instances of each reservation before a run. If offerings of one reservation have different counts, the
 * smallest applies. A claim that is not launched yet holds the instances in its record.
 */
export function freeReservations(
  pools: readonly PoolTypeIndex[],
  stateNodes: readonly StateNode[],
): ReadonlyMap<string, number> {
  const left = new Map<string, number>();
  for (const { reservation } of pools.flatMap(({ reserved }) => reserved)) {
    const { id, instances } = reservation;
    left.set(id, Math.min(left.get(id) ?? instances, instances));
  }
  if (left.size === 0) return left;
  for (const id of stateNodes.flatMap(promisedTo)) if (left.has(id)) left.set(id, (left.get(id) ?? 0) - 1);
  return left;
}

/** The ledger of one run. `free` does not change. */
export function reservationLedger(free: ReadonlyMap<string, number>, isStrict: boolean): ReservationLedger {
  const left = new Map(free);
  const change = (id: string, by: 1 | -1): void => void left.set(id, (left.get(id) ?? 0) + by);
  return {
    isStrict,
    left: (id) => Math.max(0, left.get(id) ?? 0),
    hold(wanted) {
      let ids = wanted;
      for (const id of ids) change(id, -1);
      return {
        get ids() {
          return ids;
        },
        keep(kept) {
          for (const id of ids.difference(kept)) change(id, 1);
          ids = ids.intersection(kept);
        },
      };
    },
  };
}

/** The reservations that a claim may be launched into. EC2 does not include the claim in their used instances yet. */
function promisedTo({ node, nodeClaim, planned }: StateNode): readonly string[] {
  if (nodeClaim === undefined || node !== undefined || (nodeClaim.launch.kind === 'launched' && planned !== true))
    return [];
  return reservationsIn(requirementsFrom(nodeClaim.spec.requirements));
}

/** The reservations that a claim with these requirements may be launched into. */
export function reservationsIn(requirements: Requirements): readonly string[] {
  const asked = requirements.get(RESERVATION_ID);
  return asked === undefined || asked.complement ? [] : [...asked.values];
}

/** Whether a new claim uses reservations. */
type ReservedAnswer =
  /** It may only be launched into these reservations. */
  | { readonly kind: 'reserved'; readonly set: RequirementSet; readonly ids: ReadonlySet<string> }
  /** No reservation fits. */
  | { readonly kind: 'unreserved'; readonly set: RequirementSet; readonly ids?: undefined }
  /** B59: reserved capacity fits, but other claims hold all of it. The pod waits. */
  | { readonly kind: 'deferred' }
  | { readonly kind: 'refused' };

/**
 * Whether a new claim with these requirements, launched as one of the candidates, uses reserved capacity. Has no side effects.
 * *Source:* B59. The pod does not wait for a reservation without instances if the pool has other offerings.
 */
export function reservedAnswer(
  { sets, reservations }: { readonly sets: RequirementSets; readonly reservations: ReservationLedger },
  types: PoolTypeIndex,
  asked: { readonly set: RequirementSet; readonly candidates: Bitset },
): ReservedAnswer {
  const { set, candidates } = asked;
  const { reserved } = types.selectionFor(set);
  if (reserved.length === 0) return { kind: 'unreserved', set };
  const possible = reserved.filter(({ type, reservation }) => reservation.instances > 0 && has(candidates, type));
  const ids = idsOf(possible.filter(({ reservation }) => reservations.left(reservation.id) > 0));
  const narrowed = ids.size === 0 ? undefined : onlyReserved(sets, set, ids);
  if (narrowed !== undefined) return { kind: 'reserved', set: narrowed, ids };
  if (reservations.isStrict && possible.length > 0) return { kind: 'deferred' };
  const others = neverReserved(sets, types, set);
  if (others !== undefined && !isEmptyBitset(common(candidates, types.selectionFor(others).types)))
    return { kind: 'unreserved', set: others };
  return { kind: 'refused' };
}

/** B59: whether reservations fit, although none has a free instance. The pod waits until an instance is free. */
export function isUsedUp(types: PoolTypeIndex, set: RequirementSet, roomy: Bitset): boolean {
  return types.selectionFor(set).reserved.some(({ type }) => has(roomy, type));
}

/** B59: the reservations that one of the types could be launched into. */
export function idsAmong(reserved: readonly ReservedOffering[], types: Bitset): ReadonlySet<string> {
  return idsOf(reserved.filter(({ type }) => has(types, type)));
}

function idsOf(reserved: readonly ReservedOffering[]): ReadonlySet<string> {
  return new Set(reserved.map(({ reservation }) => reservation.id));
}

/** B38: the set narrowed to reserved capacity of these reservations. */
export function onlyReserved(
  sets: RequirementSets,
  set: RequirementSet,
  ids: ReadonlySet<string>,
): RequirementSet | undefined {
  const reserved = new Map([
    [CAPACITY_TYPE, inRequirement(CAPACITY_TYPE, ['reserved'])],
    [RESERVATION_ID, inRequirement(RESERVATION_ID, [...ids].toSorted())],
  ]);
  return sets.join(set, sets.intern(reserved));
}

/** The set narrowed to other capacity than reserved; undefined if it allows none. */
export function neverReserved(
  sets: RequirementSets,
  { cells }: PoolTypeIndex,
  set: RequirementSet,
): RequirementSet | undefined {
  const asked = set.requirements.get(CAPACITY_TYPE);
  const sold = new Set(cells.map(({ capacityType }) => capacityType));
  const others = [...sold].filter((one) => one !== 'reserved' && (asked === undefined || admits(asked, one)));
  if (others.length === 0) return undefined;
  return sets.join(set, sets.intern(new Map([[CAPACITY_TYPE, inRequirement(CAPACITY_TYPE, others)]])));
}
