import { HOSTNAME } from '../../../apis/labels.ts';
import { PLACE_LABELS, suitableTypes } from '../../instance-type/suitable-types.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { admitsNothing, type Requirement } from '../../requirements/requirement.ts';
import { formatRequirement, type Requirements } from '../../requirements/requirements.ts';
import type { Resources } from '../../resources/resources.ts';
import { amountInWords, amountsInWords, typesInWords } from '../amounts-in-words.ts';
import type { NodeClaimTemplate } from './template.ts';
import { whyNoOffering } from './why-no-offering.ts';

/** Why no instance type fits a claim with these requests: the step that excludes all types, and the numbers. */
export function whyNoInstanceType(
  template: NodeClaimTemplate,
  requirements: Requirements,
  requests: Resources,
): Refusal {
  const { knownTypes, daemons } = template;
  const possible = suitableTypes(knownTypes, template.requirements);
  if (possible.length === 0) return whyPoolHasNone(template);
  const contradiction = [...template.requirements.values()].find(isContradiction);
  if (contradiction !== undefined) return whyContradictory(contradiction);
  const allowed = suitableTypes(possible, requirements);
  if (allowed.length === 0) {
    return refusal(
      'NoInstanceTypes',
      `none of ${typesInWords(possible.length)} of the pool meets ${differing(template.requirements, requirements)}`,
      { instanceTypes: possible.length },
    );
  }
  return (
    shortage(allowed, daemons, requests) ?? whyNoOffering(allowed, requirements, fitting(allowed, daemons, requests))
  );
}

/** A requirement without a possible value. */
function isContradiction(one: Requirement): boolean {
  return admitsNothing(one) && one.mustExist;
}

function whyContradictory({ key }: Requirement): Refusal {
  return refusal('ContradictoryRequirements', `the pool's own requirements for ${key} leave no value`);
}

/** Names the requirement of the pool that no type satisfies, if a single requirement excludes all types. */
function whyPoolHasNone({ knownTypes, requirements }: NodeClaimTemplate): Refusal {
  const numbers = { instanceTypes: knownTypes.length };
  if (knownTypes.length === 0) return refusal('NoCompatibleInstanceTypes', 'the pool has no instance types', numbers);
  const alone = [...requirements.values()].find(
    (one) => !PLACE_LABELS.has(one.key) && suitableTypes(knownTypes, new Map([[one.key, one]])).length === 0,
  );
  const of = `none of ${typesInWords(knownTypes.length)}`;
  if (alone === undefined)
    return refusal('NoCompatibleInstanceTypes', `${of} meets all requirements of the pool together`, numbers);
  if (isContradiction(alone)) return whyContradictory(alone);
  const message = `${of} has ${alone.key} ${formatRequirement(alone)}, which the pool requires`;
  return refusal('NoCompatibleInstanceTypes', message, numbers);
}

type Daemons = NodeClaimTemplate['daemons'];

function left(type: InstanceType, daemons: Daemons, name: string): number {
  return (type.allocatable[name] ?? 0) - (daemons.get(type.name)?.requests[name] ?? 0);
}

/** The types that have room for the requests beside their daemons. */
export function fitting(
  types: readonly InstanceType[],
  daemons: Daemons,
  requests: Resources,
): readonly InstanceType[] {
  return types.filter(
    (type) =>
      overfull(type, daemons) === undefined &&
      Object.entries(requests).every(([name, needed]) => needed <= left(type, daemons, name)),
  );
}

/** B19: the first resource of which reserved amounts and daemons use more than the type has. */
function overfull(type: InstanceType, daemons: Daemons): string | undefined {
  const names = [...Object.keys(type.allocatable), ...Object.keys(daemons.get(type.name)?.requests ?? {})];
  return names.find((name) => left(type, daemons, name) < 0);
}

/** The first resource of which no type has enough, else all requests together; undefined if a type fits. */
function shortage(types: readonly InstanceType[], daemons: Daemons, requests: Resources): Refusal | undefined {
  for (const [name, needed] of Object.entries(requests)) {
    const [first, ...more] = types;
    if (first === undefined) return undefined;
    const largest = more.reduce((a, b) => (left(b, daemons, name) > left(a, daemons, name) ? b : a), first);
    const largestAmount = left(largest, daemons, name);
    if (needed > largestAmount)
      return tooSmall(name, { needed, largestAmount, daemons: daemons.get(largest.name)?.requests[name] ?? 0 });
  }
  if (fitting(types, daemons, requests).length > 0) return undefined;
  const numbers = { instanceTypes: types.length };
  const [full] = types.flatMap((type) => overfull(type, daemons) ?? []);
  if (full !== undefined && types.every((type) => overfull(type, daemons) !== undefined)) {
    const message = `reserved resources and DaemonSets use more ${full} than any of ${typesInWords(types.length)} has`;
    return refusal('InsufficientResources', message, numbers);
  }
  const asked = Object.entries(requests).map(([name, amount]) => `${amountInWords(name, amount)} ${name}`);
  const message = `none of ${typesInWords(types.length)} has ${asked.join(' and ')} together`;
  return refusal('InsufficientResources', message, numbers);
}

function tooSmall(
  name: string,
  {
    needed,
    largestAmount,
    daemons,
  }: { readonly needed: number; readonly largestAmount: number; readonly daemons: number },
): Refusal {
  const [asked, available] = amountsInWords(name, needed, Math.max(largestAmount, 0));
  const overhead = daemons > 0 ? ` after ${amountInWords(name, daemons)} for DaemonSets` : '';
  const message = `needs ${asked} ${name}, but the largest compatible instance type offers ${available} ${name}${overhead}`;
  return refusal('InsufficientResources', message, { requested: needed, largest: largestAmount });
}

function differing(pool: Requirements, asked: Requirements): string {
  const added = [...asked].filter(([key, one]) => key !== HOSTNAME && pool.get(key) !== one);
  return (
    added.map(([key, one]) => `${key} ${formatRequirement(one)}`).join(' and ') ||
    'the requirements of the pool together'
  );
}
