import { compareText } from '../../compare-text.ts';
import { compatibleOfferings } from '../../instance-type/offerings/compatible-offerings.ts';
import { PLACE_LABELS } from '../../instance-type/suitable-types.ts';
import type { InstanceType, Offering } from '../../model/instance-type.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { formatRequirement, type Requirements } from '../../requirements/requirements.ts';
import { typesInWords } from '../amounts-in-words.ts';

/** Why none of the types that are large enough can be had with these requirements: sold elsewhere, or sold out. */
export function whyNotForSale(
  allowed: readonly InstanceType[],
  requirements: Requirements,
  roomy: readonly InstanceType[],
): Refusal {
  const numbers = { instanceTypes: roomy.length, allowed: allowed.length };
  const of = `${typesInWords(roomy.length)} would do`;
  const offerings = roomy.flatMap((type) => type.offerings);
  if (offerings.length === 0) return refusal('NoOffering', `${of}, and none of them is for sale anywhere`, numbers);
  const where = [...PLACE_LABELS].flatMap((key) => {
    const one = requirements.get(key);
    return one === undefined ? [] : [`${key} ${formatRequirement(one)}`];
  });
  const asked = where.length === 0 ? '' : ` with ${where.join(' and ')}`;
  const soldOut = roomy.flatMap((type) =>
    compatibleOfferings({ ...type, offerings: type.offerings.map(onSale) }, requirements),
  );
  const message =
    soldOut.length > 0
      ? `${of}, and none of their ${soldOut.length} offerings${asked} can be had just now`
      : `${of}, and none of them is sold${asked}; they are sold ${places(offerings)}`;
  return refusal('NoOffering', message, numbers);
}

function onSale(offering: Offering): Offering {
  return { ...offering, available: true };
}

const MAX_ZONES = 6;

/** `on-demand in us-east-1a, us-east-1b, and spot in us-east-1a`. */
function places(offerings: readonly Offering[]): string {
  const byCapacity = Map.groupBy(offerings, ({ capacityType }) => capacityType);
  const each = [...byCapacity]
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([capacityType, sold]) => {
      const zones = [...new Set(sold.map(({ zone }) => zone))].toSorted();
      const more = zones.length > MAX_ZONES ? ` and ${zones.length - MAX_ZONES} more` : '';
      return `${capacityType} in ${zones.slice(0, MAX_ZONES).join(', ')}${more}`;
    });
  return each.join(', and ');
}
