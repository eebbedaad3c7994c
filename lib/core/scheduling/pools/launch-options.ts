import { compareText } from '../../compare-text.ts';
import { compatibleOfferings } from '../../instance-type/offerings/compatible-offerings.ts';
import { valuesOf } from '../../instance-type/type-requirements.ts';
import { lastFor, onceFor } from '../../kept-answers.ts';
import type { InstanceType, Offering } from '../../model/instance-type.ts';
import type { LaunchOption } from '../../model/node-claim-record.ts';
import type { Requirements } from '../../requirements/requirements.ts';
import type { NodeClaimTemplate } from './template.ts';

/** C42: the most instance types that one CreateFleet call takes. */
const MAX_TYPES = 60;

/**
 * The offerings that a claim may be launched as. *Shape:* cheapest first; ties by type, zone, capacity type, reservation. Empty if
 * no offering is available. *Source:* C39 excludes special hardware while other types remain. C40 excludes spot offerings that cost
 * more than on-demand. Pools with minValues keep both. Options above the maximum price are left out. C42: the 60 cheapest types, plus
 * more expensive types for minValues. *Cost:* claims with the same list of types and the same limits share the options.
 */
export function launchOptions(
  types: readonly InstanceType[],
  requirements: Requirements,
  { template: { minValues }, maxPriceUsdPerHour = Number.POSITIVE_INFINITY }: OptionLimits,
): readonly LaunchOption[] {
  return optionsAmong(types, { requirements, minValues, maxPriceUsdPerHour });
}

interface OptionChoice {
  readonly requirements: Requirements;
  readonly minValues: NodeClaimTemplate['minValues'];
  readonly maxPriceUsdPerHour: number;
}

const optionsAmong = lastFor((types: readonly InstanceType[], choice: OptionChoice): readonly LaunchOption[] => {
  const { requirements, minValues, maxPriceUsdPerHour } = choice;
  const isFlexible = minValues.length > 0;
  const all = (isFlexible ? types : typesWithoutSpecialHardware(types)).flatMap((type) =>
    compatibleOfferings(type, requirements).map((offering) => launchOption(type, offering)),
  );
  const eligible = (isFlexible ? all : withoutExpensiveSpot(all)).toSorted(byPrice);
  const byName = new Map(types.map((type) => [type.name, type]));
  const ascending = [...new Set(eligible.map((option) => option.instanceType))].flatMap(
    (name) => byName.get(name) ?? [],
  );
  const needed = typesForMinValues(ascending, minValues);
  const sent = typesToSend(ascending, needed);
  const neededNames = new Set([...needed].map(({ name }) => name));
  return eligible.filter(
    ({ instanceType, priceUsdPerHour }, at) =>
      sent.has(instanceType) &&
      (at === 0 || priceUsdPerHour <= maxPriceUsdPerHour + EPSILON || neededNames.has(instanceType)),
  );
});

/** What limits the options of a claim. The types that minValues needs may cost more than the maximum. */
export interface OptionLimits {
  readonly template: Pick<NodeClaimTemplate, 'minValues'>;
  /** @default any price */
  readonly maxPriceUsdPerHour?: number;
}

const EPSILON = 1e-9;

/** The types of these offerings, in the order of `types`. */
export function typesOfOptions(
  types: readonly InstanceType[],
  options: readonly LaunchOption[],
): readonly InstanceType[] {
  const names = new Set(options.map(({ instanceType }) => instanceType));
  return types.filter(({ name }) => names.has(name));
}

/** B25: includes the types that minValues needs. Karpenter refuses a claim whose cheapest types do not satisfy minValues. */
function typesToSend(ascending: readonly InstanceType[], needed: ReadonlySet<InstanceType>): ReadonlySet<string> {
  const first = [...ascending.filter((type) => needed.has(type)), ...ascending.filter((type) => !needed.has(type))];
  return new Set(first.slice(0, MAX_TYPES).map(({ name }) => name));
}

/** The cheapest types that have the required number of values, label by label. */
function typesForMinValues(
  ascending: readonly InstanceType[],
  minValues: NodeClaimTemplate['minValues'],
): ReadonlySet<InstanceType> {
  const needed = new Set<InstanceType>();
  for (const { key, count } of minValues) {
    const values = new Set([...needed].flatMap((type) => valuesOf(type, key)));
    for (const type of ascending) {
      if (values.size >= count) break;
      const own = valuesOf(type, key);
      if (own.every((value) => values.has(value))) continue;
      needed.add(type);
      for (const value of own) values.add(value);
    }
  }
  return needed;
}

function launchOption(type: InstanceType, offering: Offering): LaunchOption {
  const { zone, capacityType, priceUsdPerHour, reservation } = offering;
  const option = { instanceType: type.name, zone, capacityType, priceUsdPerHour };
  return reservation === undefined ? option : { ...option, reservationId: reservation.id };
}

/** C39: bare metal and accelerators only if no other types remain. */
function typesWithoutSpecialHardware(types: readonly InstanceType[]): readonly InstanceType[] {
  const plain = types.filter((type) => !hasSpecialHardware(type));
  return plain.length > 0 ? plain : types;
}

const hasSpecialHardware = onceFor((type: InstanceType): boolean => {
  const has = (label: string): boolean => valuesOf(type, `karpenter.k8s.aws/${label}`).length > 0;
  return has('instance-gpu-count') || has('instance-accelerator-count') || /\.metal(-|$)/.test(type.name);
});

/** C40: excludes spot options that cost more than the cheapest on-demand option. */
function withoutExpensiveSpot(options: readonly LaunchOption[]): readonly LaunchOption[] {
  const onDemand = options
    .filter((option) => option.capacityType === 'on-demand')
    .map((option) => option.priceUsdPerHour);
  if (onDemand.length === 0) return options;
  const cheapest = Math.min(...onDemand);
  return options.filter((option) => option.capacityType !== 'spot' || option.priceUsdPerHour <= cheapest);
}

function byPrice(a: LaunchOption, b: LaunchOption): number {
  return (
    a.priceUsdPerHour - b.priceUsdPerHour ||
    compareText(a.instanceType, b.instanceType) ||
    compareText(a.zone, b.zone) ||
    compareText(a.capacityType, b.capacityType) ||
    compareText(a.reservationId, b.reservationId)
  );
}
