import { compareText } from '../../compare-text.ts';
import { type OfferingPlace, placeFilter } from '../../instance-type/offerings/compatible-offerings.ts';
import { splitByRoom } from '../../instance-type/offerings/offering-groups.ts';
import { PLACE_LABELS } from '../../instance-type/suitable-types.ts';
import { typeRequirements } from '../../instance-type/type-requirements.ts';
import { once } from '../../kept-answers.ts';
import type { InstanceType, Reservation } from '../../model/instance-type.ts';
import { allowsAbsence, overlaps, type Requirement } from '../../requirements/requirement.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { Resources } from '../../resources/resources.ts';
import { conflictingPort, type HostPort } from '../pods/host-ports.ts';
import type { VolumeLimits } from '../volumes/volume-limits.ts';
import {
  addTo,
  type Bitset,
  common,
  emptyBitset,
  has,
  isEmptyBitset,
  keepCommon,
  membersOf,
  removeFrom,
} from './bitset.ts';
import type { RequirementSet, RequirementSets } from './requirement-sets.ts';
import { type ResourceSpace, roomVectorOf, type Vector, vectorOf } from './resource-space.ts';
import { type RoomIndex, roomIndex } from './room-index.ts';
import type { NodeClaimTemplate } from './template.ts';

/** The resources of the pods, and how many of their volumes a type attaches (B44). */
export interface TypeSpace extends ResourceSpace {
  readonly volumes: Pick<VolumeLimits, 'roomFor'>;
}

/** The place of an offering: a zone and a capacity type, or a reservation. */
export type Cell = OfferingPlace;

/** An offering of a reservation: the type and the cell, by number. */
export interface ReservedOffering {
  readonly type: number;
  readonly cell: number;
  readonly reservation: Reservation;
}

/** A market: the best price of each type among a set of cells. */
export interface PoolOffers {
  readonly id: number;
  /** By cell: 1 if it belongs to the market. */
  readonly cells: Uint8Array;
  /** By type: USD per hour of its cheapest offering; Infinity if none is available. */
  readonly prices: Float64Array;
  /** By type: the cell of that offering; ties by zone, then capacity type. */
  readonly bestCells: Int32Array;
  /** By type: USD per hour of its cheapest offering that EC2 probably has: neither it nor its family was refused there recently (C35). */
  readonly certainPrices: Float64Array;
  /** The available types, cheapest first, ties by name (B26). */
  readonly byPrice: readonly number[];
}

/** The types of a pool that satisfy a set of requirements. */
export interface Selection {
  /** The types with compatible labels that are available in the market. */
  readonly types: Bitset;
  readonly market: PoolOffers;
  /** The compatible reserved offerings, including those without free instances, which are not in the market. */
  readonly reserved: readonly ReservedOffering[];
}

/**
 * The instance types of a pool by number, with cached answers to frequent questions: which types have room for requests (B36),
 * which satisfy requirements, and their prices.
 */
export interface PoolTypeIndex extends RoomIndex {
  readonly template: NodeClaimTemplate;
  readonly set: RequirementSet;
  /** B37: a type whose offerings differ in allocatable resources is listed once for each amount, with these offerings. */
  readonly types: readonly InstanceType[];
  /** True if a type is listed more than once. */
  readonly isSplit: boolean;
  readonly cells: readonly Cell[];
  /** By type: the allocatable resources minus the requests of daemons (B21). */
  readonly rooms: readonly Vector[];
  /** All offerings of reservations (B59). */
  readonly reserved: readonly ReservedOffering[];
  selectionFor(set: RequirementSet): Selection;
  /** The types of the selection that are not dominated (see `undominated`). */
  frontierOf(selection: Selection): readonly number[];
  /** The host ports that daemons use on the type (B58). */
  portsOf(type: number): readonly HostPort[];
  /** The index as if no capacity were missing: this one if none is. *Cost:* that of an index, on first use. */
  usual(): PoolTypeIndex;
}

export function typeIndex(template: NodeClaimTemplate, sets: RequirementSets, space: TypeSpace): PoolTypeIndex {
  const types = splitByRoom(template.instanceTypes).toSorted((a, b) => compareText(a.name, b.name));
  const cells = cellsOf(types);
  const overheads = types.map((type) => template.daemons.get(type.name)?.requests ?? NONE);
  const rooms = types.map((type, at) => roomOf(type, overheads[at] ?? NONE, space));
  const usable = emptyBitset(types.length);
  types.forEach((type, at) => {
    if (!isOverfull(type.allocatable, overheads[at] ?? NONE)) addTo(usable, at);
  });
  const markets = marketsOf(types, cells, refusedFamilies(template));
  const reservedOfferings = reservedOf(types, cells);
  const meeting = typesMeeting(types);
  const selections: Selection[] = [];
  const select = ({ requirements }: RequirementSet): Selection => {
    const market = markets(requirements);
    const selected = usable.slice();
    for (const one of requirements.values()) {
      if (template.requirements.get(one.key) !== one && !PLACE_LABELS.has(one.key)) keepCommon(selected, meeting(one));
    }
    const reserved = reservedOfferings.filter(({ type, cell }) => has(selected, type) && market.cells[cell] === 1);
    keepCommon(selected, availableTypes(market, types.length));
    return { types: selected, market, reserved };
  };
  const frontiers = new WeakMap<Selection, readonly number[]>();
  const index: PoolTypeIndex = {
    template,
    set: sets.intern(template.requirements),
    types,
    isSplit: types.length > template.instanceTypes.length,
    cells,
    rooms,
    reserved: reservedOfferings,
    selectionFor(set) {
      const known = selections[set.id] ?? select(set);
      selections[set.id] = known;
      return known;
    },
    frontierOf(selection) {
      const known = frontiers.get(selection) ?? undominated(selection.types, index, selection.market);
      frontiers.set(selection, known);
      return known;
    },
    usual: once(() => {
      const { usual, ...others } = template;
      return usual === undefined ? index : typeIndex({ ...others, ...usual }, sets, space);
    }),
    portsOf: (type) => template.daemons.get(types[type]?.name ?? '')?.ports ?? [],
    ...roomIndex(rooms, space.names.length),
  };
  return index;
}

const NONE: Resources = {};

function roomOf(type: InstanceType, overhead: Resources, { volumes, ...space }: TypeSpace): Vector {
  const room = roomVectorOf(space, type.allocatable, (count) => volumes.roomFor(count, type));
  const taken = vectorOf(space, overhead);
  return room.map((amount, at) => amount - (taken[at] ?? 0));
}

/** B19: no pod fits on a type with a negative amount of a resource. */
function isOverfull(allocatable: Resources, overhead: Resources): boolean {
  for (const name in overhead) if ((allocatable[name] ?? 0) < (overhead[name] ?? 0)) return true;
  for (const name in allocatable) if ((allocatable[name] ?? 0) < 0) return true;
  return false;
}

function cellsOf(types: readonly InstanceType[]): readonly Cell[] {
  const cells = new Map<string, Cell>();
  for (const { offerings } of types) {
    for (const one of offerings) {
      const { zone, zoneId, capacityType, reservation } = one;
      cells.set(cellName(one), {
        zone,
        capacityType,
        ...(zoneId === undefined ? {} : { zoneId }),
        ...(reservation === undefined ? {} : { reservation }),
      });
    }
  }
  return [...cells].toSorted(([a], [b]) => compareText(a, b)).map(([, cell]) => cell);
}

function cellName({ zone, capacityType, reservation }: Cell): string {
  return reservation === undefined ? `${zone}/${capacityType}` : `${zone}/${capacityType}/${reservation.id}`;
}

function reservedOf(types: readonly InstanceType[], cells: readonly Cell[]): readonly ReservedOffering[] {
  const at = cellNumbers(cells);
  return types.flatMap(({ offerings }, type) =>
    offerings.flatMap((one) => {
      const { reservation } = one;
      return reservation === undefined || !one.available ? [] : [{ type, cell: at(one), reservation }];
    }),
  );
}

function cellNumbers(cells: readonly Cell[]): (of: Cell) => number {
  const at = new Map(cells.map((cell, number) => [cellName(cell), number]));
  return (of) => at.get(cellName(of)) ?? 0;
}

function typesMeeting(types: readonly InstanceType[]): (one: Requirement) => Bitset {
  const known = new WeakMap<Requirement, Bitset>();
  const requirements = types.map(typeRequirements);
  return (one) => {
    const found = known.get(one) ?? emptyBitset(types.length);
    if (!known.has(one)) {
      requirements.forEach((ofType, at) => {
        const own = ofType.get(one.key);
        if (own === undefined || overlaps(own, one) || (allowsAbsence(own) && allowsAbsence(one))) addTo(found, at);
      });
      known.set(one, found);
    }
    return found;
  };
}

function availableTypes({ byPrice }: PoolOffers, size: number): Bitset {
  const set = emptyBitset(size);
  for (const type of byPrice) addTo(set, type);
  return set;
}

/** One market for each set of cells that requirements allow. */
function marketsOf(
  types: readonly InstanceType[],
  cells: readonly Cell[],
  refused: ReadonlySet<string>,
): (requirements: Requirements) => PoolOffers {
  const at = cellNumbers(cells);
  const offered = types.map(({ name, offerings }) =>
    offerings
      .filter(({ available, reservation }) => available && reservation?.instances !== 0)
      .map((one) => ({
        cell: at(one),
        price: one.priceUsdPerHour,
        isDoubted: one.shortage === 'doubted',
        isCertain: one.shortage === undefined && !refused.has(familyIn(name, one)),
      })),
  );
  const byCells = new Map<string, PoolOffers>();
  return (requirements) => {
    const isOpen = placeFilter(requirements);
    const open = Uint8Array.from(cells, (cell) => (isOpen(cell) ? 1 : 0));
    const known = byCells.get(open.join('')) ?? newMarket(byCells.size, open, offered);
    byCells.set(open.join(''), known);
    return known;
  };
}

interface PlacedPrice {
  readonly cell: number;
  readonly price: number;
  /** C35: used only if the type has no other offering in the market. */
  readonly isDoubted: boolean;
  readonly isCertain: boolean;
}

/** The families of which EC2 refused a type recently, with zone and capacity type. Their other sizes are on the same hardware. */
function refusedFamilies({ knownTypes, usual }: NodeClaimTemplate): ReadonlySet<string> {
  if (usual === undefined) return new Set();
  return new Set(
    knownTypes.flatMap(({ name, offerings }) =>
      offerings.flatMap((one) => (one.shortage === 'missing' ? familyIn(name, one) : [])),
    ),
  );
}

function familyIn(type: string, { zone, capacityType }: Cell): string {
  return `${type.split('.')[0]} ${zone} ${capacityType}`;
}

function newMarket(id: number, cells: Uint8Array, offered: readonly (readonly PlacedPrice[])[]): PoolOffers {
  const prices = new Float64Array(offered.length).fill(Number.POSITIVE_INFINITY);
  const bestCells = new Int32Array(offered.length);
  const certainPrices = new Float64Array(offered.length).fill(Number.POSITIVE_INFINITY);
  offered.forEach((offerings, type) => {
    let isBestDoubted = true;
    for (const { cell, price, isDoubted, isCertain: isKnown } of offerings) {
      const best = prices[type] ?? 0;
      if (cells[cell] === 1 && isKnown) certainPrices[type] = Math.min(certainPrices[type] ?? 0, price);
      if (cells[cell] !== 1 || (isDoubted && !isBestDoubted)) continue;
      const isFirstCertain = isBestDoubted && !isDoubted;
      if (!isFirstCertain && (price > best || (price === best && cell > (bestCells[type] ?? 0)))) continue;
      prices[type] = price;
      bestCells[type] = cell;
      isBestDoubted = isDoubted;
    }
  });
  const byPrice = [...prices.keys()]
    .filter((type) => Number.isFinite(prices[type]))
    .toSorted((a, b) => (prices[a] ?? 0) - (prices[b] ?? 0) || a - b);
  return { id, cells, prices, bestCells, certainPrices, byPrice };
}

/** B58: the types on which no daemon uses one of the host ports. */
export function withFreePorts(index: PoolTypeIndex, among: Bitset, ports: readonly HostPort[]): Bitset {
  if (ports.length === 0) return among;
  const free = among.slice();
  for (const type of membersOf(among)) {
    if (conflictingPort(ports, index.portsOf(type)) !== undefined) removeFrom(free, type);
  }
  return free;
}

/** Whether any of these types is available with the requirements. */
export function isAvailable(index: PoolTypeIndex, set: RequirementSet, among: Bitset): boolean {
  return !isEmptyBitset(common(index.selectionFor(set).types, among));
}

/** The type with the cheapest offering; undefined if the set is empty. */
export function cheapestOf(types: Bitset, { byPrice }: PoolOffers): number | undefined {
  return byPrice.find((type) => has(types, type));
}

/** The lowest price of these types with the requirements. *Units:* USD per hour; Infinity if none is available. */
export function lowestPrice(index: PoolTypeIndex, set: RequirementSet, among: Bitset): number {
  const { types, market } = index.selectionFor(set);
  const cheapest = cheapestOf(common(among, types), market);
  return cheapest === undefined ? Number.POSITIVE_INFINITY : (market.prices[cheapest] ?? Number.POSITIVE_INFINITY);
}

/**
 * The types that are not dominated. A type is dominated by a type that costs no more and has at least as much of every resource.
 * *Shape:* the cheapest first. *Cost:* O(types × undominated types).
 */
export function undominated(types: Bitset, { rooms }: PoolTypeIndex, { byPrice }: PoolOffers): readonly number[] {
  const left: number[] = [];
  for (const type of byPrice) {
    if (!has(types, type)) continue;
    const room = rooms[type];
    if (room !== undefined && !left.some((other) => isAtLeast(rooms[other], room))) left.push(type);
  }
  return left;
}

function isAtLeast(a: Vector | undefined, b: Vector): boolean {
  if (a === undefined) return false;
  for (let at = 0; at < b.length; at += 1) if ((a[at] ?? 0) < (b[at] ?? 0)) return false;
  return true;
}

export function instanceTypesIn(types: Bitset, index: PoolTypeIndex): readonly InstanceType[] {
  return membersOf(types).flatMap((type) => index.types[type] ?? []);
}
