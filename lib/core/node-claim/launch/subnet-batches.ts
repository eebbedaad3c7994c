import { exhaustedSubnets } from '../../instance-type/offerings/unavailable.ts';
import type { LaunchRequest, NodeClaimRecord } from '../../model/node-claim-record.ts';
import type { ClaimVerdict } from '../claim-verdict.ts';
import type { LaunchMarket } from './fleet-lines.ts';
import { groupKey, type LaunchingClaim, MAX_MEMBERS, withRequest } from './launch-groups.ts';
import { type AddressesInFlight, addressesInFlight, addressesOf, roomiestSubnets } from './launch-subnets.ts';

/**
 * C45: chooses the subnets of claims that are planned together. Claims with equal requests get the same subnets, in batches that one
 * call can launch. Each batch gets those that have the most free addresses after the batches before it.
 * *Shape:* the same claims in the same order; requests that were sent before are unchanged. *Cost:* O(claims × size of a request).
 * @param claims planned with the same addresses in flight
 * @param others the other claims that are being launched
 */
export function withSubnets(
  claims: readonly LaunchingClaim[],
  market: LaunchMarket,
  others: Iterable<NodeClaimRecord>,
): readonly LaunchingClaim[] {
  const { resolved, unavailable } = market;
  const { first = [], repeated = [] } = Object.groupBy(claims, (one) => (isFirstSent(one) ? 'first' : 'repeated'));
  const taken = new Map(addressesInFlight([...others, ...repeated.map(({ verdict }) => verdict.record)]));
  const moved = new Map<LaunchingClaim, LaunchingClaim>();
  for (const alike of Map.groupBy(first, groupKey).values()) {
    const addresses = Math.max(...alike.map(({ record }) => addressesOf(record)));
    const left = [...alike];
    while (left.length > 0) {
      const subnets = roomiestSubnets(resolved.subnets, taken, unavailable);
      const batch = left.splice(0, batchSize(market, { taken, addresses, left: left.length }));
      for (const claim of batch) moved.set(claim, { ...claim, verdict: inSubnets(claim.verdict, subnets) });
      for (const { id } of subnets.values()) taken.set(id, (taken.get(id) ?? 0) + batch.length * addresses);
    }
  }
  return claims.map((claim) => moved.get(claim) ?? claim);
}

function isFirstSent({ record, verdict }: LaunchingClaim): boolean {
  return record.launch.kind !== 'requested' && verdict.record.launch.kind === 'requested';
}

/**
 * A batch ends when a subnet is full, if its zone has another one. If all subnets of the zone are full, they get equal parts of the claims that
 * are left: a claim often uses fewer addresses than it may.
 */
function batchSize(
  { resolved, unavailable }: LaunchMarket,
  { taken, addresses, left }: { readonly taken: AddressesInFlight; readonly addresses: number; readonly left: number },
): number {
  const exhausted = exhaustedSubnets(unavailable);
  const free = resolved.subnets.filter(({ id }) => !exhausted.has(id));
  const claims = [...Map.groupBy(free, ({ zone }) => zone).values()].flatMap((ofZone) => {
    const rooms = ofZone.map(({ id, freeAddresses }) => Math.floor((freeAddresses - (taken.get(id) ?? 0)) / addresses));
    const some = rooms.filter((room) => room > 0);
    if (ofZone.length === 1) return [];
    return some.length > 0 ? Math.max(...some) : Math.ceil(left / ofZone.length);
  });
  return Math.min(MAX_MEMBERS, ...claims);
}

function inSubnets(verdict: ClaimVerdict, subnets: ReturnType<typeof roomiestSubnets>): ClaimVerdict {
  const { launch } = verdict.record;
  if (launch.kind !== 'requested') return verdict;
  const { overrides, templates } = launch.request;
  const newIds = new Map(overrides.map(({ zone, subnetId }) => [subnetId, subnets.get(zone)?.id ?? subnetId]));
  const newId = (id: string): string => newIds.get(id) ?? id;
  const request: LaunchRequest = {
    ...launch.request,
    overrides: overrides.map((line) => ({ ...line, subnetId: newId(line.subnetId) })),
    templates: templates.map((one) => (one.subnetId === undefined ? one : { ...one, subnetId: newId(one.subnetId) })),
  };
  return withRequest(verdict, { ...launch, request });
}
