import { HOSTNAME } from '../../../apis/labels.ts';
import type { InstanceType } from '../../instance-type/instance-type.ts';
import { PLACE_LABELS, suitableTypes } from '../../instance-type/suitable-types.ts';
import { formatRequirement, type Requirements } from '../../requirements/requirements.ts';
import { formatAmount, type Resources } from '../../resources/resources.ts';
import { type Refusal, refusal } from '../refusal.ts';
import type { NodeClaimTemplate } from './template.ts';

/** Says which step leaves no instance type for a claim with these requests, and by how much the best one falls short. */
export function whyNoInstanceType(
  template: NodeClaimTemplate,
  requirements: Requirements,
  requests: Resources,
): Refusal {
  const { knownTypes, daemons } = template;
  const possible = suitableTypes(knownTypes, template.requirements);
  if (possible.length === 0) return whyPoolHasNone(template);
  const allowed = suitableTypes(possible, requirements);
  if (allowed.length === 0) {
    return refusal(
      'NoInstanceTypes',
      `no instance type of the pool meets ${differing(template.requirements, requirements)}`,
    );
  }
  const short = shortage(allowed, daemons, requests);
  if (short !== undefined) return short;
  const where = [...PLACE_LABELS].flatMap((key) => {
    const one = requirements.get(key);
    return one === undefined ? [] : [`${key} ${formatRequirement(one)}`];
  });
  return refusal(
    'NoOffering',
    `${allowed.length} instance types would do, and none with the room is to be had just now with ${where.join(' and ') || 'any zone'}`,
    { instanceTypes: allowed.length },
  );
}

/** The requirement of the pool that no type meets, if one alone is to blame. */
function whyPoolHasNone({ knownTypes, requirements }: NodeClaimTemplate): Refusal {
  const alone = [...requirements.values()].find(
    (one) => !PLACE_LABELS.has(one.key) && suitableTypes(knownTypes, new Map([[one.key, one]])).length === 0,
  );
  const numbers = { instanceTypes: knownTypes.length };
  if (alone === undefined) {
    return refusal(
      'NoInstanceTypes',
      `none of ${knownTypes.length} instance types meets all requirements of the pool together`,
      numbers,
    );
  }
  const message = `none of ${knownTypes.length} instance types has ${alone.key} ${formatRequirement(alone)}, which the pool requires`;
  return refusal('NoInstanceTypes', message, numbers);
}

/** The resource that no type has enough of; where each has enough for some type, the types that come closest are named. */
function shortage(
  types: readonly InstanceType[],
  daemons: NodeClaimTemplate['daemons'],
  requests: Resources,
): Refusal | undefined {
  const left = (type: InstanceType, name: string): number =>
    (type.allocatable[name] ?? 0) - (daemons.get(type.name)?.requests[name] ?? 0);
  for (const [name, needed] of Object.entries(requests)) {
    const most = Math.max(...types.map((type) => left(type, name)));
    if (needed > most) {
      return refusal(
        'InsufficientResources',
        `needs ${formatAmount(name, needed)} ${name}, the largest compatible instance type offers ${formatAmount(name, Math.max(most, 0))}`,
        { requested: needed, largest: most },
      );
    }
  }
  const whole = types.some((type) => Object.entries(requests).every(([name, needed]) => needed <= left(type, name)));
  if (whole) return undefined;
  const asked = Object.entries(requests).map(([name, amount]) => `${formatAmount(name, amount)} ${name}`);
  return refusal(
    'InsufficientResources',
    `no single instance type of ${types.length} has ${asked.join(' and ')} together`,
    {
      instanceTypes: types.length,
    },
  );
}

function differing(pool: Requirements, asked: Requirements): string {
  const added = [...asked].filter(([key, one]) => key !== HOSTNAME && pool.get(key) !== one);
  return (
    added.map(([key, one]) => `${key} ${formatRequirement(one)}`).join(' and ') ||
    'the requirements of the pool together'
  );
}
