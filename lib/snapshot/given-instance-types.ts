import { optional } from '../apis/optional.ts';
import type { NodePoolView } from '../core/model/cluster-snapshot.ts';
import type { InstanceType, Offering } from '../core/model/instance-type.ts';
import { formatResources } from '../core/resources/resources.ts';
import type { GivenInstanceType, GivenOffering } from './instance-type-schema.ts';

/**
 * The instance types of all NodePools, each once. *Shape:* a type that differs between NodePools has one entry for each variant,
 * with the names of its NodePools; entries are in the order of the lists of the NodePools. *Cost:* O(types × labels) for each
 * distinct list.
 */
export function givenInstanceTypes(views: readonly NodePoolView[]): readonly GivenInstanceType[] {
  const texts = new Map<InstanceType, string>();
  const seenBy = new Map<string, { readonly type: InstanceType; readonly nodePools: string[] }>();
  const names: string[] = [];
  const known = new Set<string>();
  for (const { nodePool, instanceTypes } of views) {
    let at = 0;
    for (const type of instanceTypes) {
      const text = texts.get(type) ?? JSON.stringify(givenInstanceType(type));
      texts.set(type, text);
      const entry = seenBy.get(text) ?? { type, nodePools: [] };
      entry.nodePools.push(nodePool.metadata.name);
      seenBy.set(text, entry);
      at = known.has(type.name) ? Math.max(at, names.indexOf(type.name, at) + 1) : at;
      if (known.has(type.name)) continue;
      // After the entry that precedes it in its own list.
      names.splice(at, 0, type.name);
      known.add(type.name);
      at += 1;
    }
  }
  const byName = Map.groupBy(seenBy.values(), ({ type }) => type.name);
  return names.flatMap((name) =>
    (byName.get(name) ?? []).map(({ type, nodePools }) => ({
      ...givenInstanceType(type),
      ...(nodePools.length === views.length ? {} : { nodePools }),
    })),
  );
}

function givenInstanceType(type: InstanceType): GivenInstanceType {
  const { name, capacity, allocatable, requirements, offerings, ebsVolumes, capacityOverlaid, launch } = type;
  return {
    name,
    capacity: formatResources(capacity),
    allocatable: formatResources(allocatable),
    requirements,
    offerings: offerings.map(givenOffering),
    ...optional({ ebsVolumes, capacityOverlaid, launch }),
  };
}

function givenOffering({ priceUsdPerHour: price, reservation, allocatable, ...offering }: Offering): GivenOffering {
  return {
    ...offering,
    price,
    ...(allocatable === undefined ? {} : { allocatable: formatResources(allocatable) }),
    ...(reservation === undefined ? {} : { reservationId: reservation.id, reservationCapacity: reservation.instances }),
    ...(reservation?.kind === undefined ? {} : { reservationKind: reservation.kind }),
  };
}
