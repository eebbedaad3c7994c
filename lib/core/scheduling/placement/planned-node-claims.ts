import { joinedByName } from '../../instance-type/offerings/offering-groups.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import { add, type Resources, smaller } from '../../resources/resources.ts';
import { type Bitset, common, emptyBitset, has } from '../pools/bitset.ts';
import { inflexibility } from '../pools/min-values.ts';
import { holdLargest, holdMinimum, leftFor, withinLimits } from '../pools/pool-limits.ts';
import { resourcesOf } from '../pools/resource-space.ts';
import { cheapestOf } from '../pools/type-index.ts';
import type { Run } from '../run.ts';
import type { PlannedNodeClaim } from '../schedule.ts';
import { type OpenClaim, retarget, typesWithRoom } from './open-claim.ts';
import { onlyReserved } from './reservations.ts';

/** The claims that a run has planned. */
export interface PlannedFleet {
  /** USD per hour, each claim at its cheapest offering. */
  readonly priceUsdPerHour: number;
  /** The claims with all types that they may be launched as. Called once, for the run that is kept: it changes the limits. */
  nodeClaims(): readonly PlannedNodeClaim[];
}

/**
 * The claims of the run. Each targets the cheapest offering on which its pods fit, and lists all other types that fit.
 * Promise 2: the claims of a pool stay within its limits, even if each is launched as its largest type.
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
    throw new RangeError('the target of a claim is not an offering of its pool');
  return { type, offering };
}

/** B38: the smallest daemon overhead of its types. */
function leastOverhead(overheads: ReadonlySet<Resources | undefined>): Resources {
  const [first, ...others] = overheads;
  return others.reduce<Resources>((least, one) => smaller(least, one ?? {}), first ?? {});
}
