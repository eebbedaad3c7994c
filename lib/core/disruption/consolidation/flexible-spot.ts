import { counted } from '../../../apis/counted.ts';
import { CAPACITY_TYPE } from '../../../apis/labels.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { launchOptions } from '../../scheduling/pools/launch-options.ts';
import type { PlannedNodeClaim } from '../../scheduling/schedule.ts';
import type { Candidate } from '../candidates.ts';
import { typesForMinValues, withFirstTypes, withTypesNamed } from './cheaper-claim.ts';

export function isSpot({ stateNode }: Candidate): boolean {
  return stateNode.labels[CAPACITY_TYPE] === 'spot';
}

/** E24: with fewer types, spot nodes would be replaced again and again, and each time by a type that is interrupted more often. */
const MIN_SPOT_TYPES = 15;

/**
 * E24: the spot node that replaces one spot node. *Shape:* with its cheapest types, or the refusal if too few cost less. Only types that
 * would be launched count: none above the maximum price of the claim (C43).
 */
export function flexibleSpot(claim: PlannedNodeClaim): PlannedNodeClaim | Refusal {
  const options = launchOptions(claim.instanceTypes, claim.requirements, claim);
  const names = options.map(({ instanceType }) => instanceType);
  const launched = withTypesNamed(claim, names) ?? claim;
  const types = launched.instanceTypes.length;
  if (types < MIN_SPOT_TYPES)
    return refusal(
      'SpotToSpotNeedsTypes',
      `${counted(types, 'instance type')} that may be launched would cost less, and a spot node is replaced by a spot node only if ${MIN_SPOT_TYPES} do`,
      { instanceTypes: types, required: MIN_SPOT_TYPES },
    );
  return withFirstTypes(launched, Math.max(MIN_SPOT_TYPES, typesForMinValues(launched)));
}
