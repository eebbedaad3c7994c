import { CAPACITY_TYPE, HOSTNAME, ZONE } from '../../apis/labels.ts';
import { compatibleOfferings } from '../instance-type/compatible-offerings.ts';
import type { InstanceType } from '../instance-type/instance-type.ts';
import { formatRequirement, intersects, type Requirements } from '../requirements/requirements.ts';
import { formatAmount, type Resources } from '../resources/resources.ts';
import { type Refusal, refusal } from './refusal.ts';
import type { NodeClaimTemplate } from './template.ts';

/** Says which step leaves no instance type for a claim with these requests, and by how much the best one falls short. */
export function whyNoInstanceType(
  template: NodeClaimTemplate,
  requirements: Requirements,
  requests: Resources,
): Refusal {
  if (template.instanceTypes.length === 0) {
    return refusal('NoInstanceTypes', 'no instance type that the pool allows is for sale in its zones');
  }
  const allowed = template.instanceTypes.filter((type) => intersects(type.requirements, requirements));
  if (allowed.length === 0)
    return refusal(
      'NoInstanceTypes',
      `no instance type of the pool meets ${differing(template.requirements, requirements)}`,
    );
  const short = shortage(allowed, template.overhead, requests);
  if (short !== undefined) return short;
  const offered = allowed.filter((type) => compatibleOfferings(type, requirements).length > 0);
  if (offered.length === 0) {
    const where = [ZONE, CAPACITY_TYPE].flatMap((key) => {
      const one = requirements.get(key);
      return one === undefined ? [] : [`${key} ${formatRequirement(one)}`];
    });
    return refusal(
      'NoOffering',
      `none of ${allowed.length} instance types is to be had with ${where.join(' and ') || 'any zone'}`,
      {
        instanceTypes: allowed.length,
      },
    );
  }
  const shortOffered = shortage(offered, template.overhead, requests);
  if (shortOffered !== undefined) return shortOffered;
  return refusal('NoInstanceTypes', `none of ${offered.length} instance types has the room and an offering`, {
    instanceTypes: offered.length,
  });
}

/** The resource that no type has enough of; where each has enough for some type, the types that come closest are named. */
function shortage(
  types: readonly InstanceType[],
  overhead: ReadonlyMap<string, Resources>,
  requests: Resources,
): Refusal | undefined {
  const left = (type: InstanceType, name: string): number =>
    (type.allocatable[name] ?? 0) - (overhead.get(type.name)?.[name] ?? 0);
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
