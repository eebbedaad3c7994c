import { exhaustedSubnets } from '../../instance-type/offerings/unavailable.ts';
import type { UnavailableOffering } from '../../model/decision.ts';
import type { NodeClaimRecord } from '../../model/node-claim-record.ts';
import type { ResolvedSubnet } from '../../model/resolved-node-class.ts';

/** The free addresses that launches with unknown outcome will use, by subnet. */
export type AddressesInFlight = ReadonlyMap<string, number>;

/**
 * C45: the addresses that these claims will use. They count in every subnet of the request, because the subnet that EC2 selects is
 * not known yet.
 */
export function addressesInFlight(records: Iterable<NodeClaimRecord>): AddressesInFlight {
  const taken = new Map<string, number>();
  for (const record of records) {
    const { launch } = record;
    if (launch.kind !== 'requested') continue;
    const subnets = new Set(launch.request.overrides.map(({ subnetId }) => subnetId));
    for (const id of subnets) taken.set(id, (taken.get(id) ?? 0) + addressesOf(record));
  }
  return taken;
}

/** The addresses that a claim will use: one for each pod that its smallest type can run. */
export function addressesOf({ types }: NodeClaimRecord): number {
  const addresses = Math.min(...types.map(({ capacity }) => capacity['pods'] ?? 1));
  return Number.isFinite(addresses) ? addresses : 1;
}

/**
 * For each zone, the subnet that will have the most free addresses (C45); the first in case of ties. C32: subnets that
 * recently had no free address are excluded.
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
