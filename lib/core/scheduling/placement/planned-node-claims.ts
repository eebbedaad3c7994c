import { joinedByName } from '../../instance-type/offerings/offering-groups.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import { add, type Resources, smaller } from '../../resources/resources.ts';
import { type Bitset, common, emptyBitset, has } from '../pools/bitset.ts';
import { inflexibility } from '../pools/min-values.ts';
import { holdLargest, holdLeast, leftFor, withinLimits } from '../pools/pool-limits.ts';
import { resourcesOf } from '../pools/resource-space.ts';
import { cheapestOf } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import type { PlannedNodeClaim } from '../schedule.ts';
import { aimAt, type OpenClaim, typesThatHold } from './open-claim.ts';
import { onlyReserved } from './reservations.ts';

/** What a run has planned. */
export interface PlannedFleet {
  /** USD an hour, each claim at its cheapest offering. */
  readonly priceUsdPerHour: number;
  /** The claims as they may be launched. Asked once, of the run that is kept: it changes what is left of limits. */
  nodeClaims(): readonly PlannedNodeClaim[];
}

/**
 * The run's claims as they may be launched: aimed at the cheapest offering that holds their pods, with every other type that
 * would do. Promise 2: what the claims of a limited pool may become, all at their largest, stays within its limits.
 */
export function plannedFleet(run: Run): PlannedFleet {
  const fitting = run.claims.map((claim) => rightSized(run, claim));
  return {
    priceUsdPerHour: run.claims.reduce((sum, claim) => sum + targetOf(claim).offering.priceUsdPerHour, 0),
    nodeClaims: () =>
      run.claims.map((claim, at) =>
        plannedNodeClaim(run, claim, { fitting: fitting[at] ?? emptyBitset(0), name: `planned-${at + 1}` }),
      ),
  };
}

/** Aims at the cheapest type that fits, as far as the limits go. *Shape:* the types that hold its pods. */
function rightSized(run: Run, claim: OpenClaim): Bitset {
  const { types, reservations } = claim;
  // B38: of the reservations those that it still holds.
  if (reservations !== undefined) claim.set = onlyReserved(run.sets, claim.set, reservations.ids) ?? claim.set;
  const { set } = claim;
  const selection = types.selectionFor(set);
  const fitting = typesThatHold(claim);
  const within = withinLimits(types, fitting, leftFor(run.limits, claim));
  const type = cheapestOf(within, selection.market) ?? claim.target.type;
  aimAt(claim, { type, cell: selection.market.bestCells[type] ?? claim.target.cell });
  holdLeast(run.limits, claim, within);
  return fitting;
}

function plannedNodeClaim(
  run: Run,
  claim: OpenClaim,
  { fitting, name }: { readonly fitting: Bitset; readonly name: string },
): PlannedNodeClaim {
  const { types, set } = claim;
  const { template } = types;
  const selection = types.selectionFor(set);
  const within = withinLimits(types, fitting, leftFor(run.limits, claim));
  holdLargest(run.limits, claim, within);
  const parts = selection.market.byPrice.flatMap((type) => (has(within, type) ? (types.types[type] ?? []) : []));
  const instanceTypes = types.isSplit ? joinedByName(parts) : parts;
  const overheads = new Set(instanceTypes.map((type) => template.daemons.get(type.name)?.requests));
  return {
    name,
    template,
    pods: claim.pods,
    requirements: set.requirements,
    instanceTypes,
    cheapest: cheapestOffering(claim, instanceTypes),
    requests: add(resourcesOf(run.space, claim.requests), leastOverhead(overheads)),
    minValuesRelaxed:
      claim.reservations === undefined &&
      inflexibility(template.minValues, types, common(selection.types, within)) !== undefined,
  };
}

function cheapestOffering(claim: OpenClaim, instanceTypes: readonly InstanceType[]): PlannedNodeClaim['cheapest'] {
  const { type, offering } = targetOf(claim);
  return { type: instanceTypes.find(({ name }) => name === type.name) ?? type, offering };
}

function targetOf({ types, target }: OpenClaim): PlannedNodeClaim['cheapest'] {
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
    throw new RangeError('a claim aims at an offering that its pool does not have');
  return { type, offering };
}

/** B38: what daemons take at the least, whichever of the types it becomes. */
function leastOverhead(overheads: ReadonlySet<Resources | undefined>): Resources {
  const [first, ...others] = overheads;
  return others.reduce<Resources>((least, one) => smaller(least, one ?? {}), first ?? {});
}
