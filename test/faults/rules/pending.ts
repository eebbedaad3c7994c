import { MINUTE_MS, parseTime, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { type Pod, podKey } from '../../../lib/apis/kubernetes.ts';
import { selectsPod } from '../../../lib/core/cluster/pod-disruption-budgets.ts';
import { instanceOf, type NodeClaimRecord, providerIdOf } from '../../../lib/core/model/node-claim-record.ts';
import { isByHand, type RuleOf, type Watched } from '../rule.ts';
import { nodeOf } from './nodes.ts';
import { isKeptInPlace, needsNode } from './pods.ts';
import { type Duty, LIFECYCLE, PLACEMENT, progressOf } from './progress/duty.ts';
import { isFull } from './settled.ts';

/** A wake collects further wakes for up to 10 s, and a run that is busy is followed by another one. */
const SERVED_WITHIN_MS = 20 * SECOND_MS;
/** Another pod may take the place that was planned for a pod: the next tick plans again. */
const SERVED_AGAIN_WITHIN_MS = 75 * SECOND_MS;
/** The tick finds a pod whose wake was not sent. */
const BY_THE_TICK_MS = MINUTE_MS + SERVED_WITHIN_MS;
/** Capacity that was refused is tried again after minutes, and an old table may have no catalogue. */
const WITHOUT_CAPACITY: ReadonlySet<string> = new Set([
  'no-capacity',
  'spot-volley',
  'node-pool',
  'impaired',
  'restore-table',
]);

/** A pod for which no node is free, starting or leaving gets a NodeClaim within seconds: its wake is not lost (promise 7). */
export const pendingPodsAreServed: RuleOf = (watched) => {
  const { faults } = watched.story;
  if (faults.some(({ kind }) => WITHOUT_CAPACITY.has(kind))) return {};
  // A class that was edited launches nothing until its status is written.
  const isEdited = faults.some(({ kind }) => kind === 'node-class');
  const needs = isEdited ? [...PLACEMENT, 'cluster.patchNodeClass'] : PLACEMENT;
  const needsOfTicks = [...needs.filter((need) => need !== 'webhook'), ...LIFECYCLE, 'messages.'];
  return progressOf(watched, () =>
    pendingDuties(watched).flatMap(({ name, withinMs, further }) => [
      { name, withinMs, needs: [...needs, ...further] },
      { name: `${name} by the tick`, withinMs: BY_THE_TICK_MS, needs: [...needsOfTicks, ...further] },
    ]),
  );
};

interface PendingDuty extends Pick<Duty, 'name' | 'withinMs'> {
  /** What it needs because of its pod. */
  readonly further: readonly string[];
}

function pendingDuties(watched: Watched): readonly PendingDuty[] {
  const { simulation, records } = watched;
  const { state } = simulation();
  const general = state.nodePools.get('general');
  const claims = [...records.values()].filter(({ releasedAtMs }) => releasedAtMs === undefined);
  const leaving = new Set(
    [...state.nodes.values()].flatMap(({ metadata, spec }) =>
      metadata.deletionTimestamp === undefined ? [] : (spec?.providerID ?? []),
    ),
  );
  const staying = claims.filter((claim) => {
    const instance = instanceOf(claim);
    const isLeaving = instance !== undefined && leaving.has(providerIdOf(instance));
    return !isLeaving && (claim.deletion ?? claim.nodeLostAtMs) === undefined;
  });
  if (general === undefined || isFull(watched, staying)) return [];
  const pods = [...state.pods.values()];
  if (staying.length === 0) {
    // The end of a PodDisruptionBudget sends no wake: the next tick plans for the pods that it held.
    const wereHeld = isByHand(watched.story, 'hold-pods');
    const movedWithinMs = wereHeld ? SERVED_AGAIN_WITHIN_MS : SERVED_WITHIN_MS;
    return [
      ...pods.filter(isUnschedulable).map((pod) => dutyOf(pod, SERVED_WITHIN_MS)),
      ...movingPods(watched, claims).map((pod) => dutyOf(pod, movedWithinMs)),
    ];
  }
  // The pod may be meant for a node that starts, or for the place of a pod that leaves.
  const placeless = claims.filter((claim) => isPlaceless(watched, claim));
  if (staying.length + placeless.length < claims.length) return [];
  // A node that has just disappeared is still expected to take pods.
  if (staying.some((one) => one.initializedAtMs === undefined || nodeOf(watched, one) === undefined)) return [];
  if (pods.some(({ metadata }) => metadata.deletionTimestamp !== undefined)) return [];
  const lastMs = Math.max(0, ...claims.map(({ initializedAtMs = 0 }) => initializedAtMs));
  // A pod for which another node was launched waits for the tick if another pod has taken its place there.
  const planned = new Set(staying.flatMap((claim) => claim.pods));
  const unplaced = new Set(placeless.flatMap((claim) => claim.pods.filter((pod) => !planned.has(pod))));
  return pods.filter(isUnschedulable).map((pod) => {
    const isNew = parseTime(pod.metadata.creationTimestamp ?? '') > lastMs + SECOND_MS;
    return dutyOf(pod, isNew || unplaced.has(podKey(pod)) ? SERVED_WITHIN_MS : SERVED_AGAIN_WITHIN_MS);
  });
}

/** Whether no pod leaves the node of the claim, and none is planned for it: it has disappeared, or was deleted before it joined. */
function isPlaceless(watched: Watched, claim: NodeClaimRecord): boolean {
  const { deletion, nodeLostAtMs, registeredAtMs } = claim;
  if (deletion === undefined) return nodeLostAtMs !== undefined;
  return registeredAtMs === undefined && nodeOf(watched, claim) === undefined;
}

/** The zones of a pod with a volume are not known while the storage cannot be read. */
function dutyOf(pod: Pod, withinMs: number): PendingDuty {
  const hasVolume = pod.spec.volumes?.some(
    (one) => one.persistentVolumeClaim !== undefined || one.ephemeral !== undefined,
  );
  const further = hasVolume === true ? ['cluster.readStorage'] : [];
  return { name: `pod ${podKey(pod)} gets a node or a NodeClaim`, withinMs, further };
}

/** B7: the pods that will be evicted from nodes that are removed. Their next node is launched before. */
function movingPods({ simulation, startMs, nowMs }: Watched, claims: readonly NodeClaimRecord[]): readonly Pod[] {
  const { state } = simulation();
  const removed = new Set(claims.flatMap(({ deletion, nodeName }) => (deletion === undefined ? [] : (nodeName ?? []))));
  return [...state.pods.values()].filter(
    (pod) =>
      removed.has(pod.spec.nodeName ?? '') &&
      pod.metadata.namespace !== 'kube-system' &&
      needsNode(pod) &&
      !isKeptInPlace(pod, startMs() + nowMs()) &&
      !state.podDisruptionBudgets.some((one) => one.spec.maxUnavailable === 0 && selectsPod(one, pod)),
  );
}

function isUnschedulable({ metadata, spec, status }: Pod): boolean {
  const isRefused = status?.conditions?.some(
    ({ type, status: is, reason }) => type === 'PodScheduled' && is === 'False' && reason === 'Unschedulable',
  );
  return spec.nodeName === undefined && isRefused === true && metadata.namespace !== 'kube-system';
}
