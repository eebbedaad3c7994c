import { counted } from '../../../apis/counted.ts';
import { compareText } from '../../compare-text.ts';
import { compatibleOfferings } from '../../instance-type/offerings/compatible-offerings.ts';
import { PLACE_LABELS } from '../../instance-type/suitable-types.ts';
import type { InstanceType, Offering } from '../../model/instance-type.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { admitsNothing } from '../../requirements/requirement.ts';
import { formatRequirement, type Requirements } from '../../requirements/requirements.ts';
import { typesInWords } from '../amounts-in-words.ts';

/** Why none of the types that are large enough is available with these requirements: no offering there, or no capacity. */
export function whyNoOffering(
  allowed: readonly InstanceType[],
  requirements: Requirements,
  roomy: readonly InstanceType[],
): Refusal {
  const numbers = { instanceTypes: roomy.length, allowed: allowed.length };
  const of = `${typesInWords(roomy.length)} ${roomy.length === 1 ? 'fits' : 'fit'}`;
  const none = roomy.length === 1 ? 'it has no offering' : 'none has an offering';
  const offerings = roomy.flatMap((type) => type.offerings);
  if (offerings.length === 0) return refusal('NoOffering', `${of}, but ${none}`, numbers);
  const contradicted = [...PLACE_LABELS].find((key) => {
    const one = requirements.get(key);
    return one !== undefined && admitsNothing(one);
  });
  if (contradicted !== undefined)
    return refusal('NoOffering', `its requirements for ${contradicted} leave no value`, numbers);
  const conditions = [...PLACE_LABELS].flatMap((key) => {
    const one = requirements.get(key);
    return one === undefined ? [] : [`${key} ${formatRequirement(one)}`];
  });
  const condition = conditions.length === 0 ? '' : ` with ${conditions.join(' and ')}`;
  const withoutCapacity = roomy.flatMap((type) =>
    compatibleOfferings({ ...type, offerings: type.offerings.map(asAvailable) }, requirements),
  );
  const message =
    withoutCapacity.length > 0
      ? `${of}, but none of ${counted(withoutCapacity.length, 'offering')}${condition} has capacity`
      : `${of}, but ${none}${condition}; offerings exist for ${places(offerings)}`;
  return refusal('NoOffering', message, numbers);
}

function asAvailable(offering: Offering): Offering {
  return { ...offering, available: true };
}

const MAX_ZONES = 6;

/** `on-demand in us-east-1a, us-east-1b, and spot in us-east-1a`. */
function places(offerings: readonly Offering[]): string {
  const byCapacity = Map.groupBy(offerings, ({ capacityType }) => capacityType);
  const each = [...byCapacity]
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([capacityType, offered]) => {
      const zones = [...new Set(offered.map(({ zone }) => zone))].toSorted();
      const more = zones.length > MAX_ZONES ? ` and ${zones.length - MAX_ZONES} more` : '';
      return `${capacityType} in ${zones.slice(0, MAX_ZONES).join(', ')}${more}`;
    });
  return each.join(', and ');
}
