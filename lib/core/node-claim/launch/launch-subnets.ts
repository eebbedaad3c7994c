import { exhaustedSubnets } from '../../instance-type/offerings/unavailable.ts';
import type { UnavailableOffering } from '../../model/decision.ts';
import type { NodeClaimRecord } from '../../model/node-claim-record.ts';
import type { ResolvedSubnet } from '../../model/resolved-node-class.ts';

/** Free addresses that launches whose outcome is not known will take, by subnet. */
export type AddressesInFlight = ReadonlyMap<string, number>;

/**
 * C45: what these claims will take once they run: an address a pod of their smallest type, in every subnet that their
 * request names, since EC2 has not said yet which it is.
 */
export function addressesInFlight(records: Iterable<NodeClaimRecord>): AddressesInFlight {
  const taken = new Map<string, number>();
  for (const { launch, types } of records) {
    if (launch.kind !== 'requested') continue;
    const addresses = Math.min(...types.map(({ capacity }) => capacity['pods'] ?? 1));
    const subnets = new Set(launch.request.overrides.map(({ subnetId }) => subnetId));
    for (const id of subnets) taken.set(id, (taken.get(id) ?? 0) + (Number.isFinite(addresses) ? addresses : 1));
  }
  return taken;
}

/**
 * In each zone the subnet that will have the most free addresses (C45), ties by the order that they come in; C32: none that
 * lately had no address left.
 */
export function roomiestSubnets(
  subnets: readonly ResolvedSubnet[],
  inFlight: AddressesInFlight,
  unavailable: readonly UnavailableOffering[],
): ReadonlyMap<string, ResolvedSubnet> {
  const exhausted = exhaustedSubnets(unavailable);
  const left = ({ id, freeAddresses }: ResolvedSubnet): number => freeAddresses - (inFlight.get(id) ?? 0);
  const byZone = new Map<string, ResolvedSubnet>();
  for (const subnet of subnets) {
    const known = byZone.get(subnet.zone);
    if (exhausted.has(subnet.id) || (known !== undefined && left(known) >= left(subnet))) continue;
    byZone.set(subnet.zone, subnet);
  }
  return byZone;
}
