import { parseTime, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { type Pod, podKey } from '../../../lib/apis/kubernetes.ts';
import type { RuleOf, Watched } from '../rule.ts';
import { type Duty, progressOf } from './progress.ts';
import { isFull } from './settled.ts';

/** A wake collects further wakes for up to 10 s, and a run that is busy is followed by another one. */
const SERVED_WITHIN_MS = 20 * SECOND_MS;
/** Another pod may take the place that was planned for a pod: the next tick plans again. */
const SERVED_AGAIN_WITHIN_MS = 75 * SECOND_MS;
/** Capacity that was refused is tried again after minutes, and an old table may have no catalogue. */
const WITHOUT_CAPACITY: ReadonlySet<string> = new Set([
  'no-capacity',
  'spot-volley',
  'node-pool',
  'impaired',
  'restore-table',
]);
const NEEDS = [
  'store.',
  'leases.',
  'catalogue.',
  'cluster.list',
  'cluster.listPods',
  'cluster.listUnboundPods',
  'cluster.listNodes',
  'cluster.listNodePools',
  'cluster.listNodeClasses',
  'cluster.listPodDisruptionBudgets',
  'cloud.resolveNodeClass',
  'cloud.launch',
  'cloud.describeInstances',
  'cluster.patchNode',
  'messages.wake',
  'function:provisioning',
  'webhook',
  'world',
];

/** A pod for which no node is free, starting or leaving gets a NodeClaim within seconds: its wake is not lost (promise 7). */
export const pendingPodsAreServed: RuleOf = (watched) =>
  !watched.story.faults.some(({ kind }) => WITHOUT_CAPACITY.has(kind))
    ? progressOf(watched, () => pendingDuties(watched))
    : {};

function pendingDuties(watched: Watched): readonly Duty[] {
  const { simulation, records } = watched;
  const { state } = simulation();
  const general = state.nodePools.get('general');
  const claims = [...records.values()].filter(({ releasedAtMs }) => releasedAtMs === undefined);
  // The pod may be meant for a node that starts, or for the place of a pod that leaves.
  const isMoving = claims.some(
    ({ initializedAtMs, deletion, nodeLostAtMs }) =>
      initializedAtMs === undefined || deletion !== undefined || nodeLostAtMs !== undefined,
  );
  if (general === undefined || isMoving || isFull(watched)) return [];
  const pods = [...state.pods.values()];
  if (pods.some(({ metadata }) => metadata.deletionTimestamp !== undefined)) return [];
  const lastMs = Math.max(0, ...claims.map(({ initializedAtMs = 0 }) => initializedAtMs));
  return pods.filter(isUnschedulable).map((pod) => ({
    name: `pod ${podKey(pod)} gets a node or a NodeClaim`,
    withinMs:
      parseTime(pod.metadata.creationTimestamp ?? '') > lastMs + SECOND_MS ? SERVED_WITHIN_MS : SERVED_AGAIN_WITHIN_MS,
    needs: NEEDS,
  }));
}

function isUnschedulable({ metadata, spec, status }: Pod): boolean {
  const isRefused = status?.conditions?.some(
    ({ type, status: is, reason }) => type === 'PodScheduled' && is === 'False' && reason === 'Unschedulable',
  );
  return spec.nodeName === undefined && isRefused === true && metadata.namespace !== 'kube-system';
}
