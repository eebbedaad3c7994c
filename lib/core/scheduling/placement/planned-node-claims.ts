import { optional } from '../../../apis/optional.ts';
import { joinedByName } from '../../instance-type/offerings/offering-groups.ts';
import { onceFor } from '../../kept-answers.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import { add, type Resources, smaller } from '../../resources/resources.ts';
import { type Bitset, common, emptyBitset, has } from '../pools/bitset.ts';
import { inflexibility, lowered, withMinValues } from '../pools/min-values.ts';
import { holdLargest, holdMinimum, leftFor, withinLimits } from '../pools/pool-limits.ts';
import { resourcesOf } from '../pools/resource-space.ts';
import { cheapestOf, type PoolTypeIndex, type Selection } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import type { PlannedNodeClaim, Unplaced } from '../schedule.ts';
import { type OpenClaim, retarget, typesWithRoom } from './open-claim.ts';
import { maxPriceOf, whyTooExpensive } from './price-guard.ts';
import { onlyReserved } from './reservations.ts';

/** The claims that a run has planned. */
export interface PlannedFleet {
  /** USD per hour, each claim at its cheapest offering. */
  readonly priceUsdPerHour: number;
  /** The pods of claims that became too expensive, because fewer pods joined them than planned. These claims are left out. */
  readonly refused: readonly Unplaced[];
  /** The claims with all types that they may be launched as. Called once, for the run that is kept: it changes the limits. */
  nodeClaims(): readonly PlannedNodeClaim[];
}

/**
 * The claims of the run. Each targets the cheapest offering on which its pods fit, and lists all other types that fit.
 * Promise 2: the claims of a pool stay within its limits, even if each is launched as its largest type.
 */
export function plannedFleet(run: Run): PlannedFleet {
  const fitting = new Map(run.claims.map((claim) => [claim, rightSized(run, claim)]));
  const refused = run.claims.flatMap((claim) => refusedByGuard(run, claim));
  const isRefused = new Set(refused.map(({ pod }) => pod));
  const claims = run.claims.filter(({ pods }) => !pods.some((pod) => isRefused.has(pod)));
  return {
    priceUsdPerHour: claims.reduce((sum, claim) => sum + offeringOf(claim).offering.priceUsdPerHour, 0),
    refused,
    nodeClaims: () => {
      const typesIn = sharedTypes();
      return claims.map((claim, at) =>
        plannedNodeClaim(run, claim, {
          fitting: fitting.get(claim) ?? emptyBitset(0),
          name: `planned-${at + 1}`,
          typesIn,
        }),
      );
    },
  };
}

function refusedByGuard(run: Run, claim: OpenClaim): readonly Unplaced[] {
  const { types, reservations, pods } = claim;
  if (reservations !== undefined) return [];
  const { priceUsdPerHour } = offeringOf(claim).offering;
  const why = whyTooExpensive(run, types, { ...claim, priceUsdPerHour });
  if (why === undefined) return [];
  const refusals = [{ nodePool: types.template.nodePool.metadata.name, refusal: why }];
  return pods.map((pod) => ({ pod, refusals }));
}

/** Targets the cheapest type that fits, within the limits. *Shape:* the types on which its pods fit. */
function rightSized(run: Run, claim: OpenClaim): Bitset {
  const { types, reservations } = claim;
  // B38: only the reservations that it still holds.
  if (reservations !== undefined) claim.set = onlyReserved(run.sets, claim.set, reservations.ids) ?? claim.set;
  const { set } = claim;
  const selection = types.selectionFor(set);
  const fitting = typesWithRoom(claim);
  const within = withinLimits(types, fitting, leftFor(run.limits, claim));
  const type = cheapestOf(within, selection.market) ?? claim.target.type;
  retarget(claim, { type, cell: selection.market.bestCells[type] ?? claim.target.cell });
  holdMinimum(run.limits, claim, within);
  return fitting;
}

function plannedNodeClaim(
  run: Run,
  claim: OpenClaim,
  { fitting, name, typesIn }: { readonly fitting: Bitset; readonly name: string; readonly typesIn: TypesIn },
): PlannedNodeClaim {
  const { types, set } = claim;
  const { template } = types;
  const selection = types.selectionFor(set);
  const within = withinLimits(types, fitting, leftFor(run.limits, claim));
  holdLargest(run.limits, claim, within);
  const instanceTypes = typesIn(types, selection, within);
  const overheads = new Set(instanceTypes.map((type) => template.daemons.get(type.name)?.requests));
  const among = common(selection.types, within);
  const isRelaxed = claim.reservations === undefined && inflexibility(template.minValues, types, among) !== undefined;
  const maxPriceUsdPerHour = maxPriceOf(run, claim, offeringOf(claim).offering.priceUsdPerHour);
  return {
    name,
    template,
    pods: claim.pods,
    ...optional({ maxPriceUsdPerHour }),
    requirements: isRelaxed
      ? withMinValues(set.requirements, lowered(template.minValues, types, among))
      : set.requirements,
    instanceTypes,
    cheapest: cheapestOffering(claim, instanceTypes),
    requests: add(resourcesOf(run.space, claim.requests), leastOverhead(overheads)),
    minValuesRelaxed: isRelaxed,
  };
}

type TypesIn = (index: PoolTypeIndex, selection: Selection, within: Bitset) => readonly InstanceType[];

/** The types by price. Claims with the same types share one list: what is computed for the list is computed once for all of them. */
function sharedTypes(): TypesIn {
  const listsOf = onceFor((_selection: Selection) => new Map<string, readonly InstanceType[]>());
  return (types, selection, within) => {
    const lists = listsOf(selection);
    const key = within.join();
    const known = lists.get(key);
    if (known !== undefined) return known;
    const list = typesByPrice(types, selection, within);
    lists.set(key, list);
    return list;
  };
}

/** @param within some of its types. @default all */
export function typesByPrice(
  { types, isSplit }: PoolTypeIndex,
  selection: Selection,
  within: Bitset = selection.types,
): readonly InstanceType[] {
  const parts = selection.market.byPrice.flatMap((type) => (has(within, type) ? (types[type] ?? []) : []));
  return isSplit ? joinedByName(parts) : parts;
}

function cheapestOffering(claim: OpenClaim, instanceTypes: readonly InstanceType[]): PlannedNodeClaim['cheapest'] {
  const { type, offering } = offeringOf(claim);
  return { type: instanceTypes.find(({ name }) => name === type.name) ?? type, offering };
}

/** The type and the offering at which a claim aims. */
export function offeringOf({ types, target }: Pick<OpenClaim, 'types' | 'target'>): PlannedNodeClaim['cheapest'] {
  const type = types.types[target.type];
  const cell = types.cells[target.cell];
  const offering = type?.offerings.find(
    (one) =>
      one.available &&
      one.zone === cell?.zone &&
      one.capacityType === cell.capacityType &&
      one.reservation?.id === cell.reservation?.id,
  );
  if (type === undefined || offering === undefined)
    throw new RangeError('the target of a claim is not an offering of its pool');
  return { type, offering };
}

/** B38: the smallest daemon overhead of its types. */
function leastOverhead(overheads: ReadonlySet<Resources | undefined>): Resources {
  const [first, ...others] = overheads;
  return others.reduce<Resources>((least, one) => smaller(least, one ?? {}), first ?? {});
}
