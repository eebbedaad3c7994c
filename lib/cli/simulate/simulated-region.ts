import type { NodePool } from '../../apis/node-pool.ts';
import type { Scenario } from '../../apis/scenario/scenario.ts';
import { chooseRegion, type RegionChoice } from '../../catalogue/choose-region.ts';
import { checkRegion, type ShippedCatalogue, shippedCatalogue } from '../../catalogue/figures.ts';

export interface SimulatedRegion {
  readonly catalogue: ShippedCatalogue;
  /** A region that was requested and is not used, and figures of another region: one sentence for each. */
  readonly gaps: readonly string[];
}

interface Requests {
  readonly nodePools: readonly NodePool[];
  readonly scenario: Scenario | undefined;
  /** The value of `--region`. */
  readonly flag: string | undefined;
}

/** The region of a simulation and its figures. *Errors:* BadInputError for a region that is not known, even if it is not used. */
export function simulatedRegion({ nodePools, scenario, flag }: Requests): SimulatedRegion {
  const requested = requestedRegion(scenario, flag);
  if (requested !== undefined) checkRegion(requested);
  const choice = chooseRegion(nodePools, requested);
  const catalogue = shippedCatalogue(choice);
  const isUsed = requested === undefined || requested.region === choice.region;
  const notUsed = isUsed
    ? []
    : [
        `${requested.because} ${requested.region} is not used: the region is ${choice.region}, that of ${choice.because}`,
      ];
  return { catalogue, gaps: [...notUsed, ...(catalogue.standIn === undefined ? [] : [catalogue.standIn])] };
}

function requestedRegion(scenario: Scenario | undefined, flag: string | undefined): RegionChoice | undefined {
  if (flag !== undefined) return { region: flag, because: '--region' };
  return scenario?.region === undefined
    ? undefined
    : { region: scenario.region, because: `spec.region of Scenario/${scenario.name}` };
}
