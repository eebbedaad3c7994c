import { canonicalJson } from '../../canonical-json.ts';
import type { InstanceType, Offering } from '../../model/instance-type.ts';
import { smaller } from '../../resources/resources.ts';

/** B37: splits each type by the allocatable resources of its offerings. Most types have one value and stay whole. */
export function splitByRoom(types: readonly InstanceType[]): readonly InstanceType[] {
  return types.flatMap((type) => (type.offerings.some(hasRoomOfItsOwn) ? groupsOf(type) : [type]));
}

function hasRoomOfItsOwn({ allocatable }: Offering): boolean {
  return allocatable !== undefined;
}

function groupsOf(type: InstanceType): readonly InstanceType[] {
  const groups = Map.groupBy(type.offerings, ({ allocatable = type.allocatable }) => canonicalJson(allocatable));
  return [...groups.values()].map((offerings) => ({
    ...type,
    allocatable: offerings[0]?.allocatable ?? type.allocatable,
    offerings,
  }));
}

/** Joins the parts of each type: all their offerings, and the smallest allocatable resources. Keeps the order of first parts. */
export function joinedByName(parts: readonly InstanceType[]): readonly InstanceType[] {
  const byName = new Map<string, InstanceType>();
  for (const part of parts) {
    const known = byName.get(part.name);
    byName.set(part.name, known === undefined ? part : joined(known, part));
  }
  return byName.size === parts.length ? parts : [...byName.values()];
}

function joined(a: InstanceType, b: InstanceType): InstanceType {
  return { ...a, allocatable: smaller(a.allocatable, b.allocatable), offerings: [...a.offerings, ...b.offerings] };
}
