import { HOSTNAME } from '../../../apis/labels.ts';
import { PLACE_LABELS, suitableTypes } from '../../instance-type/suitable-types.ts';
import type { InstanceType } from '../../model/instance-type.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { admitsNothing, type Requirement } from '../../requirements/requirement.ts';
import { formatRequirement, type Requirements } from '../../requirements/requirements.ts';
import type { Resources } from '../../resources/resources.ts';
import { amountInWords, amountsInWords, typesInWords } from '../amounts-in-words.ts';
import type { NodeClaimTemplate } from './template.ts';
import { whyNotForSale } from './why-not-for-sale.ts';

/** Says which step leaves no instance type for a claim with these requests, and by how much the best one falls short. */
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
    shortage(allowed, daemons, requests) ?? whyNotForSale(allowed, requirements, fitting(allowed, daemons, requests))
  );
}

/** Requirements of one label that leave no value to it. */
function isContradiction(one: Requirement): boolean {
  return admitsNothing(one) && one.mustExist;
}

function whyContradictory({ key }: Requirement): Refusal {
  return refusal(
    'ContradictoryRequirements',
    `what the pool itself requires of ${key} contradicts itself: no value is left`,
  );
}

/** The requirement of the pool that no type meets, if one alone is to blame. */
function whyPoolHasNone({ knownTypes, requirements }: NodeClaimTemplate): Refusal {
  const numbers = { instanceTypes: knownTypes.length };
  if (knownTypes.length === 0)
    return refusal('NoInstanceTypes', 'the pool has no instance types to choose from', numbers);
  const alone = [...requirements.values()].find(
    (one) => !PLACE_LABELS.has(one.key) && suitableTypes(knownTypes, new Map([[one.key, one]])).length === 0,
  );
  const of = `none of ${typesInWords(knownTypes.length)}`;
  if (alone === undefined)
    return refusal('NoInstanceTypes', `${of} meets all requirements of the pool together`, numbers);
  if (isContradiction(alone)) return whyContradictory(alone);
  const message = `${of} has ${alone.key} ${formatRequirement(alone)}, which the pool requires`;
  return refusal('NoInstanceTypes', message, numbers);
}

type Daemons = NodeClaimTemplate['daemons'];

function left(type: InstanceType, daemons: Daemons, name: string): number {
  return (type.allocatable[name] ?? 0) - (daemons.get(type.name)?.requests[name] ?? 0);
}

function fitting(types: readonly InstanceType[], daemons: Daemons, requests: Resources): readonly InstanceType[] {
  return types.filter(
    (type) =>
      overfull(type, daemons) === undefined &&
      Object.entries(requests).every(([name, needed]) => needed <= left(type, daemons, name)),
  );
}

/** B19: a resource of which daemons and what is reserved leave less than nothing. */
function overfull(type: InstanceType, daemons: Daemons): string | undefined {
  const names = [...Object.keys(type.allocatable), ...Object.keys(daemons.get(type.name)?.requests ?? {})];
  return names.find((name) => left(type, daemons, name) < 0);
}

/** The resource that no type has enough of, else what no type has enough of together; undefined where some type has it all. */
function shortage(types: readonly InstanceType[], daemons: Daemons, requests: Resources): Refusal | undefined {
  for (const [name, needed] of Object.entries(requests)) {
    const [first, ...more] = types;
    if (first === undefined) return undefined;
    const largest = more.reduce((a, b) => (left(b, daemons, name) > left(a, daemons, name) ? b : a), first);
    const most = left(largest, daemons, name);
    if (needed > most) return tooSmall(name, { needed, most, daemons: daemons.get(largest.name)?.requests[name] ?? 0 });
  }
  if (fitting(types, daemons, requests).length > 0) return undefined;
  const numbers = { instanceTypes: types.length };
  const [full] = types.flatMap((type) => overfull(type, daemons) ?? []);
  if (full !== undefined && types.every((type) => overfull(type, daemons) !== undefined)) {
    const message = `what is reserved and daemons take more ${full} than any of ${typesInWords(types.length)} has`;
    return refusal('InsufficientResources', message, numbers);
  }
  const asked = Object.entries(requests).map(([name, amount]) => `${amountInWords(name, amount)} ${name}`);
  const message = `no single instance type of ${types.length} has ${asked.join(' and ')} together`;
  return refusal('InsufficientResources', message, numbers);
}

function tooSmall(
  name: string,
  { needed, most, daemons }: { readonly needed: number; readonly most: number; readonly daemons: number },
): Refusal {
  const [asked, there] = amountsInWords(name, needed, Math.max(most, 0));
  const beside = daemons > 0 ? ` beside ${amountInWords(name, daemons)} for daemons` : '';
  const message = `needs ${asked} ${name}, the largest compatible instance type offers ${there}${beside}`;
  return refusal('InsufficientResources', message, { requested: needed, largest: most });
}

function differing(pool: Requirements, asked: Requirements): string {
  const added = [...asked].filter(([key, one]) => key !== HOSTNAME && pool.get(key) !== one);
  return (
    added.map(([key, one]) => `${key} ${formatRequirement(one)}`).join(' and ') ||
    'the requirements of the pool together'
  );
}
