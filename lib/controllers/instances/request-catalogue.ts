import { nodeOfClaim } from '../../core/node-claim/registration.ts';
import { readOr } from '../../core/observed.ts';
import { lacksInstanceLabels } from '../observe/observe-joining.ts';
import { sendWakes } from '../run/wake-up.ts';
import type { ClusterWork } from './instance-work.ts';

/**
 * Wakes the catalogue function if there is no catalogue, as after the table was restored, and a node waits for the labels of its
 * instance type. *Cost:* no read, because lifecycle has read the catalogue for this node.
 */
export async function requestCatalogue({ ports, cluster, records, world }: ClusterWork): Promise<readonly Error[]> {
  const nodes = readOr(world.nodes, []);
  const isAwaited = records.some((record) => {
    const node = nodeOfClaim(nodes, record);
    return node !== undefined && lacksInstanceLabels(node);
  });
  if (!isAwaited) return [];
  const catalogue = await world.catalogue();
  if (catalogue.kind === 'unread' || catalogue.value !== undefined) return [];
  return sendWakes(ports, [['catalogue', { cluster, reason: 'missing' }]]);
}
