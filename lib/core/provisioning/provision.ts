import { SECOND_MS } from '../../apis/formats/time.ts';
import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import { canWait, runsNothingElse } from '../cluster/at-rest.ts';
import { isBufferPod } from '../cluster/buffer-pod.ts';
import type { PodNomination } from '../cluster/nominated-node.ts';
import { nomination } from '../cluster/nomination.ts';
import { isReschedulable, keptUntilMs } from '../cluster/pods.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import {
  type Action,
  type Blocked,
  type DecisionPrice,
  type Due,
  type ExistingNodesRefusal,
  gapPercent,
  requeueAt,
  type Verdict,
} from '../model/decision.ts';
import { realPods } from '../model/node-claim-record.ts';
import type { Refusal } from '../model/refusal.ts';
import { formatSubject, namespacedSubject, type Subject } from '../model/subject.ts';
import { launchRefusal } from '../node-claim/launch/launch-refusal.ts';
import { cheapestUsd, type PlannedNodeClaim, type Schedule, type Unplaced } from '../scheduling/schedule.ts';
import type { BoundedSchedule } from '../scheduling/solve.ts';
import { toMicros } from '../usd-per-hour.ts';
import { bufferSubject } from './buffer-pods.ts';
import { capacityPause } from './capacity-pause.ts';
import { plannedNodes, podNominations } from './follow-plan/pod-nominations.ts';
import { startTurns } from './follow-plan/start-together.ts';
import { type LaunchBrake, launchBrake } from './launch-brake.ts';
import { podsReachedLater } from './moved-pods/reached-later.ts';
import { type NewNodeClaimContext, newNodeClaim } from './new-node-claim.ts';
import { NO_NODE_POOL } from './pod-refusals.ts';
import { passedOver, schedulePodsWithBound } from './schedule-pods.ts';
import { planStatic } from './static-capacity.ts';

export interface ProvisionContext {
  readonly decisionId: string;
  readonly nowMs: number;
}

/** The result of provisioning, with the schedule from which its actions and refusals were derived. */
export interface ProvisioningVerdict extends Verdict {
  /** New claims are those that are created, in the order of the actions. A pod that must wait is unplaced, with the reason. */
  readonly schedule: Schedule;
  /** B66: hints for the kube-scheduler, which are written after the actions and are not recorded. */
  readonly podNominations: readonly PodNomination[];
}

/**
 * Decides which NodeClaims to create for unschedulable pods, and which existing nodes to nominate for pods.
 * *Shape:* one `create-node-claim` for each new node, one `nominate-node` for each existing node that is not nominated yet, one `blocked` for each pod
 * and NodePool that cannot provide a node for it. A CapacityBuffer has one `blocked` for all of its pods, and no nomination
 * (B65).
 */
export function provision(snapshot: ClusterSnapshot, context: ProvisionContext): ProvisioningVerdict {
  const { nowMs } = context;
  const brake = launchBrake(snapshot, nowMs);
  const solved = schedulePodsWithBound(snapshot, nowMs, brake.waitOf);
  const ofPods = atZero(solved.schedule, snapshot, nowMs);
  const ofPools = planStatic(snapshot, ofPods.newClaims);
  const found = { ...ofPods, newClaims: [...ofPods.newClaims, ...ofPools.claims] };
  const { schedule, dueAtMs, blocked: delayed } = paused(found, snapshot, nowMs);
  const onExistingNodes = refusalsOfNodes(schedule.unplaced);
  return {
    actions: [
      ...creations(schedule.newClaims, { cluster: snapshot.cluster, ...context }),
      ...nominations(schedule, snapshot, nowMs),
    ],
    blocked: [
      ...oncePerSubject([...schedule.unplaced.flatMap(blockedBy), ...delayed]),
      ...schedule.existing.flatMap(whyNotLaunched),
      ...ofPools.blocked,
      ...passedOver(schedule.newClaims, snapshot, nowMs).map((why) => ({
        subject: { kind: 'Cluster' as const, name: snapshot.cluster },
        ...why,
      })),
      ...(snapshot.ignoredObjects ?? []),
    ],
    ...(onExistingNodes.length === 0 ? {} : { onExistingNodes }),
    ...optional({ price: priceOf(schedule.newClaims, solved.boundOf) }),
    due: [
      ...dueAtMs.map(requeueAt),
      ...launchedLater(schedule.unplaced, brake),
      ...movableLater(snapshot, nowMs),
      ...(found.unplaced.length === 0 ? [] : [...nextCapacity(snapshot), ...nextCatalogue(snapshot, nowMs)]),
    ],
    ...optional({ unusedLaunches: brake.counted }),
    schedule,
    podNominations: podNominations(snapshot.pods, plannedNodes(schedule)),
  };
}

/** B70: when the next node is launched for a pod that waits. */
function launchedLater(unplaced: readonly Unplaced[], { waitOf }: LaunchBrake): readonly Due[] {
  const untilMs = unplaced.flatMap(({ pod }) => waitOf(pod)?.untilMs ?? []);
  return untilMs.length === 0 ? [] : [requeueAt(Math.min(...untilMs))];
}

/** *Shape:* undefined if no node is created for pods. Nodes of static NodePools do not count. */
function priceOf(
  newClaims: readonly PlannedNodeClaim[],
  boundOf: BoundedSchedule['boundOf'],
): DecisionPrice | undefined {
  const claims = newClaims.filter(({ pods }) => pods.length > 0);
  if (claims.length === 0) return undefined;
  const [usdPerHour, bound] = [toMicros(cheapestUsd(claims)), boundOf(claims)];
  if (bound === undefined) return { usdPerHour };
  const price = { usdPerHour, lowerBoundUsdPerHour: toMicros(bound) };
  return { ...price, gapPercent: gapPercent(price) };
}

/** B7: when pods of nodes that are being deleted may be evicted, because their annotation do-not-disrupt ends. */
function movableLater({ nodeClaims, pods }: ClusterSnapshot, nowMs: number): readonly Due[] {
  const leaving = new Set(
    nodeClaims.flatMap(({ deletion, nodeName }) => (deletion === undefined ? [] : (nodeName ?? []))),
  );
  const untilMs = pods.filter(({ spec }) => leaving.has(spec.nodeName ?? '')).map(keptUntilMs);
  return untilMs.filter((atMs) => nowMs < atMs && atMs < Infinity).map(requeueAt);
}

/** An empty schedule if all pods match ignoreAtZero and no other pods run. */
function atZero(schedule: Schedule, snapshot: ClusterSnapshot, nowMs: number): Schedule {
  if (!onlyIgnoredAtZero(schedule, snapshot, nowMs)) return schedule;
  const waiting = schedule.newClaims.flatMap(({ pods }) => pods);
  const refusals = [{ refusal: WAITS_AT_ZERO }];
  return {
    newClaims: [],
    existing: [],
    unplaced: [...waiting.map((pod) => ({ pod, refusals })), ...schedule.unplaced],
  };
}

const WAITS_AT_ZERO: Refusal = {
  reason: 'WaitsAtZero',
  message:
    'it matches ignoreAtZero, and no other pods run or are pending: it stays pending until another pod needs a node',
  numbers: {},
};

/**
 * The schedule without claims that must wait, because capacity for them was unavailable recently (C35). *Shape:* refusals only for claims
 * without pods, which are those of static NodePools.
 */
function paused(
  schedule: Schedule,
  { cluster, unavailable }: ClusterSnapshot,
  nowMs: number,
): { readonly schedule: Schedule; readonly dueAtMs: readonly number[]; readonly blocked: readonly Blocked[] } {
  const newClaims: PlannedNodeClaim[] = [];
  const delayed: Unplaced[] = [];
  const blocked: Blocked[] = [];
  const dueAtMs: number[] = [];
  for (const claim of schedule.newClaims) {
    const pause = capacityPause(claim, unavailable, nowMs);
    if (pause === undefined) {
      newClaims.push(claim);
      continue;
    }
    const { untilMs, ...refusal } = pause;
    const nodePool = claim.template.nodePool.metadata.name;
    const refusals = [{ nodePool, refusal }];
    delayed.push(...claim.pods.map((pod) => ({ pod, refusals })));
    if (claim.pods.length === 0) blocked.push({ subject: { kind: 'Cluster', name: cluster }, nodePool, ...refusal });
    dueAtMs.push(untilMs);
  }
  if (dueAtMs.length === 0) return { schedule, dueAtMs, blocked };
  return { schedule: { ...schedule, newClaims, unplaced: [...delayed, ...schedule.unplaced] }, dueAtMs, blocked };
}

/** Whether all placed pods and all running pods match ignoreAtZero. */
function onlyIgnoredAtZero({ newClaims, existing }: Schedule, snapshot: ClusterSnapshot, nowMs: number): boolean {
  const { ignoreAtZero = [] } = snapshot;
  const placed = [...newClaims, ...existing].flatMap(({ pods }) => pods);
  return placed.every((pod) => canWait(pod, ignoreAtZero, nowMs)) && runsNothingElse(snapshot, nowMs);
}

/** The first catalogue is written a few seconds after it was requested. Until then the tick would be the next run. */
const CATALOGUE_POLL_MS = 10 * SECOND_MS;

function nextCatalogue(snapshot: ClusterSnapshot, nowMs: number): readonly Due[] {
  return lacksCatalogue(snapshot) ? [requeueAt(nowMs + CATALOGUE_POLL_MS)] : [];
}

/** Whether pods wait for the first catalogue of the region. */
export function lacksCatalogue({ nodePools }: Pick<ClusterSnapshot, 'nodePools'>): boolean {
  return nodePools.some(({ unusable }) => unusable?.reason === 'NoCatalogue');
}

/** When a marked offering can be tried again, unplaced pods may fit. */
function nextCapacity({ unavailable }: ClusterSnapshot): readonly Due[] {
  return unavailable.length === 0 ? [] : [requeueAt(Math.min(...unavailable.map(({ untilMs }) => untilMs)))];
}

function creations(claims: readonly PlannedNodeClaim[], context: NewNodeClaimContext): readonly Action[] {
  const ofAll = { ...context, startTurns: startTurns(claims) };
  return claims.map((claim, index) => ({ kind: 'create-node-claim', nodeClaim: newNodeClaim(claim, index, ofAll) }));
}

/**
 * B5. A node that is nominated already is not nominated again in each run. One that starts is nominated for the pods of its claim when it
 * is initialized, and no method disrupts it before. A node with pods of its own is not nominated for pods that no drain reaches now: it
 * would be kept from drift and consolidation for as long, and what replaces it has room for these pods too (B7).
 */
function nominations(schedule: Schedule, snapshot: ClusterSnapshot, nowMs: number): readonly Action[] {
  const known = new Set(snapshot.nominated);
  const later = podsReachedLater(snapshot, nowMs);
  return schedule.existing.flatMap(({ stateNode: { name, node, nodeClaim, initialized, pods: own }, pods }) => {
    if (node === undefined || known.has(name)) return [];
    if (!initialized && nodeClaim !== undefined && realPods(nodeClaim).length > 0) return [];
    const real = pods.filter((pod) => !isBufferPod(pod));
    if (real.length === 0 || (own.some(isReschedulable) && real.every((pod) => later.has(podKey(pod))))) return [];
    return [nomination(name, real.map(podKey), nowMs)];
  });
}

/** One refusal for each reason of a buffer and of a static NodePool, because their pods or claims are identical. */
function oncePerSubject(blocked: readonly Blocked[]): readonly Blocked[] {
  const seen = new Set<string>();
  return blocked.filter(({ subject, nodePool = '', reason }) => {
    if (subject.kind === 'Pod') return true;
    const key = JSON.stringify([formatSubject(subject), nodePool, reason]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function subjectOf(pod: Pod): Subject {
  return isBufferPod(pod) ? bufferSubject(pod) : namespacedSubject('Pod', pod);
}

/** Why pods do not fit existing nodes. Pods with the same refusal are grouped, to limit the size of a decision. */
function refusalsOfNodes(unplaced: readonly Unplaced[]): readonly ExistingNodesRefusal[] {
  const refused = unplaced.flatMap(({ pod, onNodes }) =>
    onNodes === undefined || isBufferPod(pod) ? [] : [{ pod: podKey(pod), refusal: onNodes }],
  );
  return [...Map.groupBy(refused, ({ refusal }) => JSON.stringify(refusal)).values()].flatMap((alike) => {
    const [first] = alike;
    return first === undefined ? [] : [{ pods: alike.map(({ pod }) => pod), refusal: first.refusal }];
  });
}

function blockedBy({ pod, refusals }: Unplaced): readonly Blocked[] {
  const subject = subjectOf(pod);
  if (refusals.length === 0) {
    return [{ subject, ...NO_NODE_POOL }];
  }
  return refusals.map(({ nodePool, refusal }) => ({
    subject,
    ...optional({ nodePool }),
    ...refusal,
  }));
}

/** Why the claim of a pod is not launched yet: EC2 refuses it, and capacity is not the cause, so it may be refused for ever (D3). */
function whyNotLaunched({ stateNode, pods }: Schedule['existing'][number]): readonly Blocked[] {
  const { node, nodeClaim } = stateNode;
  const refused = node === undefined && nodeClaim !== undefined ? launchRefusal(nodeClaim) : undefined;
  if (nodeClaim === undefined || refused === undefined) return [];
  const { nodePool } = nodeClaim;
  return pods.filter((pod) => !isBufferPod(pod)).map((pod) => ({ subject: subjectOf(pod), nodePool, ...refused }));
}
