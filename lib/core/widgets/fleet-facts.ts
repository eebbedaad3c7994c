import { compareText } from '../compare-text.ts';
import { instanceOf, type NodeClaimRecord } from '../model/node-claim-record.ts';
import type { NodeUsage, UsageHour } from '../usage/usage-hour.ts';

/** A node as it is drawn. */
export interface FleetNode
  extends Pick<NodeUsage, 'name' | 'nodePool' | 'instanceType' | 'zone' | 'capacityType' | 'usdPerHour'> {
  /** Its instance starts, it takes pods, or it is being removed. */
  readonly state: 'starting' | 'ready' | 'removed';
  /** @default it was launched after the last look at what pods request */
  readonly usage?: Pick<NodeUsage, 'cpuMillicores' | 'memoryMib' | 'pods' | 'requestedUsdPerHour'>;
}

/** The nodes of the table now, with what was last seen of their pods. *Shape:* by NodePool, then by price, the highest first. */
export function fleetNodes(claims: readonly NodeClaimRecord[], hour: UsageHour | undefined): readonly FleetNode[] {
  const seen = new Map(hour?.nodes.slice(0, hour.nodesNow).map((node) => [node.name, node]));
  return claims
    .flatMap((claim): readonly FleetNode[] => {
      const instance = instanceOf(claim);
      if (instance === undefined || claim.releasedAtMs !== undefined) return [];
      const name = claim.nodeName ?? claim.name;
      const usage = seen.get(name);
      const { instanceType, zone, capacityType, priceUsdPerHour: usdPerHour } = instance;
      const { nodePool } = claim;
      const place = { nodePool, instanceType, zone, capacityType, usdPerHour };
      return [{ name, ...place, state: stateOf(claim), ...(usage !== undefined && { usage }) }];
    })
    .toSorted(
      (a, b) => compareText(a.nodePool, b.nodePool) || b.usdPerHour - a.usdPerHour || compareText(a.name, b.name),
    );
}

function stateOf({ deletion, initializedAtMs }: NodeClaimRecord): FleetNode['state'] {
  if (deletion !== undefined) return 'removed';
  return initializedAtMs === undefined ? 'starting' : 'ready';
}
