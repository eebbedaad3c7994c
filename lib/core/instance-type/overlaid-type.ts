import type { ResourceList } from '../../apis/kubernetes.ts';
import { parseResources, type Resources } from '../resources/resources.ts';
import type { InstanceType, Offering } from './instance-type.ts';
import { changedPrice, type PriceChange } from './overlay-price.ts';

/** What the overlays of one pool make of one instance type: the heaviest one's word on each price and each resource (A4.7). */
export interface TypeChanges {
  readonly prices: ReadonlyMap<Offering, PriceChange>;
  readonly capacity: ResourceList;
}

/** The type with its changes; the very same one where there are none, and the same offerings where their prices stay. */
export function overlaidType(type: InstanceType, { prices, capacity }: TypeChanges): InstanceType {
  const offerings = prices.size === 0 ? type.offerings : type.offerings.map((one) => overlaidOffering(one, prices));
  const repriced = prices.size === 0 ? type : { ...type, offerings };
  return Object.keys(capacity).length === 0 ? repriced : withCapacity(repriced, parseResources(capacity));
}

function overlaidOffering(offering: Offering, prices: TypeChanges['prices']): Offering {
  const change = prices.get(offering);
  if (change === undefined) return offering;
  return { ...offering, priceUsdPerHour: changedPrice(offering.priceUsdPerHour, change), priceOverlaid: true };
}

/** A4.4: nothing of an extended resource is kept back for the system, so that pods get all of it. */
function withCapacity(type: InstanceType, added: Resources): InstanceType {
  const memory = Math.max(0, (type.allocatable['memory'] ?? 0) - hugePages(added) + hugePages(type.capacity, added));
  return {
    ...type,
    capacity: { ...type.capacity, ...added },
    allocatable: { ...type.allocatable, ...added, memory },
    capacityOverlaid: true,
  };
}

/** Bytes of huge pages, which are memory that other pods do not get; of `among` only, where it is given. */
function hugePages(resources: Resources, among: Resources = resources): number {
  return Object.keys(among)
    .filter((name) => name.startsWith('hugepages-'))
    .reduce((bytes, name) => bytes + (resources[name] ?? 0), 0);
}
