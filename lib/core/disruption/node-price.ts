import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../apis/labels.ts';
import type { StateNode } from '../cluster/state-node.ts';
import { firstBy } from '../first-by.ts';
import { placeFilter } from '../instance-type/offerings/compatible-offerings.ts';
import { onceFor } from '../kept-answers.ts';
import type { NodePoolView } from '../model/cluster-snapshot.ts';
import type { InstanceType } from '../model/instance-type.ts';
import { instanceOf } from '../model/node-claim-record.ts';

/**
 * The price of a node for the next hour: that of the offering with its instance type, zone and capacity type, with NodeOverlays. If
 * the instance types have no such offering, the price at which it was launched. *Shape:* 0 if neither is known. *Units:* USD per
 * hour. *Cost:* O(offerings of the type) once for each node, after O(types) once for each list of types. *Source:* E18.
 */
export function nodePrice(stateNode: StateNode, nodePools: readonly NodePoolView[]): number {
  return pricesIn(nodePools)(stateNode);
}

const pricesIn = onceFor((nodePools: readonly NodePoolView[]) =>
  onceFor((stateNode: StateNode) => priceIn(nodePools, stateNode)),
);

function priceIn(
  nodePools: readonly NodePoolView[],
  { labels, nodeClaim, requirements, nodePool: of }: StateNode,
): number {
  const pool = nodeClaim?.nodePool ?? of;
  const view = nodePools.find(({ nodePool }) => nodePool.metadata.name === pool);
  const type = typeNamed(view?.instanceTypes ?? [], labels[INSTANCE_TYPE]);
  const places = labels[ZONE] === undefined || labels[CAPACITY_TYPE] === undefined ? [] : (type?.offerings ?? []);
  const prices = places.filter(placeFilter(requirements)).map(({ priceUsdPerHour }) => priceUsdPerHour);
  if (prices.length > 0) return Math.min(...prices);
  return (nodeClaim === undefined ? undefined : instanceOf(nodeClaim)?.priceUsdPerHour) ?? 0;
}

const typeNamed = firstBy<InstanceType>(({ name }) => name);
