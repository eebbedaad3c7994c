import type { Node, Pod } from '../../apis/kubernetes.ts';
import { canWait, isAtRest, runsNothingElse } from '../../core/cluster/at-rest.ts';
import { isDisrupted } from '../../core/cluster/state-node.ts';
import type { NodeClaimRecord } from '../../core/model/node-claim-record.ts';
import { readOr } from '../../core/observed.ts';
import type { SeenNodes } from '../run/fresh-state.ts';
import type { HasClock, HasSettings, ReadsClaims, ReadsCluster } from '../run/ports.ts';
import type { Readings } from './readings.ts';

type AtRestPorts = ReadsCluster & ReadsClaims & HasClock & HasSettings;

/** What the claims of one run share to find out whether their nodes are the last ones. */
export interface SeenRest extends SeenNodes {
  readonly readings: Readings;
  /** Whether only pods that can wait run in the cluster, and no claim is being launched: read when needed, and once. */
  rests?: Promise<boolean>;
}

/**
 * Whether the node is one of the last nodes of a cluster at rest. An earlier decision is checked again, because a pod may have
 * been bound to a node before it was cordoned.
 */
export async function goesLast(
  ports: AtRestPorts,
  { record, pods }: { readonly record: NodeClaimRecord; readonly pods: readonly Pod[] },
  world: SeenRest,
): Promise<boolean> {
  const hasPlace = world.nodes.kind === 'unread' || world.nodes.value.some(acceptsPods);
  if (record.deletion?.atRest !== true && hasPlace) return false;
  const { ignoreAtZero } = ports.settings;
  const nowMs = ports.clock.now();
  if (!pods.some((pod) => canWait(pod, ignoreAtZero, nowMs))) return false;
  if (!runsNothingElse({ pods, ignoreAtZero }, nowMs)) return false;
  world.rests ??= world.readings
    .observe('whether the cluster is at rest', async () => observeRest(ports, record.cluster))
    .then((rests) => readOr(rests, false));
  return await world.rests;
}

async function observeRest({ cluster: api, store, settings, clock }: AtRestPorts, cluster: string): Promise<boolean> {
  const [pods, records] = await Promise.all([api.listPods(), store.listNodeClaims(cluster)]);
  const isLaunching = records.some(({ deletion, initializedAtMs }) => (deletion ?? initializedAtMs) === undefined);
  return !isLaunching && isAtRest({ pods, ignoreAtZero: settings.ignoreAtZero }, clock.now());
}

function acceptsPods(node: Node): boolean {
  return node.metadata.deletionTimestamp === undefined && node.spec?.unschedulable !== true && !isDisrupted(node);
}
