import type { ResourceList } from '../../../apis/kubernetes.ts';
import type { InstanceType, Offering } from '../../model/instance-type.ts';
import { parseResources, type Resources } from '../../resources/resources.ts';
import { changedPrice, type PriceChange } from './overlay-price.ts';

/** The changes to one instance type by the overlays of one pool: for each price and resource, those of the heaviest overlay (A4.7). */
export interface TypeChanges {
  readonly prices: ReadonlyMap<Offering, PriceChange>;
  readonly capacity: ResourceList;
}

/** The type with its changes. *Shape:* `type` itself if there are no changes; unchanged offerings are the same objects. */
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

/** A4.4: nothing of an extended resource is reserved for the system, so all of it is allocatable. */
function withCapacity(type: InstanceType, added: Resources): InstanceType {
  const memory = Math.max(0, (type.allocatable['memory'] ?? 0) - hugePages(added) + hugePages(type.capacity, added));
  return {
    ...type,
    capacity: { ...type.capacity, ...added },
    allocatable: { ...type.allocatable, ...added, memory },
    capacityOverlaid: true,
  };
}

/** The bytes of huge pages, which reduce the memory for other pods; only of the sizes in `among` if it is given. */
function hugePages(resources: Resources, among: Resources = resources): number {
  return Object.keys(among)
    .filter((name) => name.startsWith('hugepages-'))
    .reduce((bytes, name) => bytes + (resources[name] ?? 0), 0);
}
