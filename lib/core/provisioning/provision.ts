import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { SECOND_MS } from '../../apis/time.ts';
import { type Action, type Blocked, type Due, settling, type Verdict } from '../action.ts';
import { canWait, runsNothingElse } from '../cluster/at-rest.ts';
import { nomination } from '../cluster/nomination.ts';
import type { ClusterSnapshot } from '../cluster/snapshot.ts';
import { formatSubject, namespacedSubject, type Subject } from '../model/subject.ts';
import type { PlannedNodeClaim, Schedule, Unplaced } from '../scheduling/schedule.ts';
import { bufferSubject, isBufferPod } from './buffer-pods.ts';
import { type CapacityPause, capacityPause } from './capacity-pause.ts';
import { type NewNodeClaimContext, newNodeClaim } from './new-node-claim.ts';
import { schedulePods } from './schedule-pods.ts';

/** A decision must fit an item of the table; what is left is decided a moment later, with these claims in flight. */
const MOST_CLAIMS = 50;

export interface ProvisionContext {
  readonly decisionId: string;
  readonly nowMs: number;
}

/**
 * Which NodeClaims to create for the pods that have no place, and which nodes are promised to pods.
 * *Shape:* one `create-node-claim` a new node, one `nominate-node` an existing one, one `blocked` for every pod and pool
 * that refused it. A CapacityBuffer is told of once, not once for each of its pods, and no node is promised to it (B65).
 */
export function provision(snapshot: ClusterSnapshot, context: ProvisionContext): Verdict {
  const found = schedulePods(snapshot, context.nowMs);
  const rests = isForThoseThatWait(found, snapshot, context.nowMs);
  const schedule: Schedule = rests ? { ...found, newClaims: [], existing: [] } : found;
  const waiting = rests ? found.newClaims.flatMap(({ pods }) => pods) : [];
  const planned = schedule.newClaims.map((claim) => ({
    claim,
    pause: capacityPause(claim, snapshot.unavailable, context.nowMs),
  }));
  const ready = planned.flatMap(({ claim, pause }) => (pause === undefined ? [claim] : []));
  const paused = planned.flatMap(({ claim, pause }) => (pause === undefined ? [] : [{ claim, pause }]));
  const claims = ready.slice(0, MOST_CLAIMS);
  const due: readonly Due[] = [
    ...(claims.length < ready.length ? [settling(context.nowMs + SECOND_MS)] : []),
    ...paused.map(({ pause }) => settling(pause.untilMs)),
    ...(schedule.unplaced.length === 0 ? [] : nextCapacity(snapshot)),
  ];
  return {
    actions: [...creations(claims, { cluster: snapshot.cluster, ...context }), ...nominations(schedule, context)],
    blocked: [
      ...waiting.map(blockedAtZero),
      ...onceABuffer([...paused.flatMap(blockedByPause), ...schedule.unplaced.flatMap(blockedBy)]),
      ...(snapshot.unheeded ?? []),
    ],
    due,
  };
}

/** Whether nothing runs and nothing has a place to come but pods that hold no node: the cluster stays as it is, or goes to zero. */
function isForThoseThatWait({ newClaims, existing }: Schedule, snapshot: ClusterSnapshot, nowMs: number): boolean {
  const { ignoreAtZero = [] } = snapshot;
  const placed = [...newClaims, ...existing].flatMap(({ pods }) => pods);
  return placed.every((pod) => canWait(pod, ignoreAtZero, nowMs)) && runsNothingElse(snapshot, nowMs);
}

function blockedAtZero(pod: Pod): Blocked {
  const message =
    'it is among ignoreAtZero, and nothing else runs or waits for a node: it comes with the first that does';
  return { subject: subjectOf(pod), reason: 'WaitsAtZero', message, numbers: {} };
}

/** Pods that found no place may find one when an offering is tried again. */
function nextCapacity({ unavailable }: ClusterSnapshot): readonly Due[] {
  return unavailable.length === 0 ? [] : [settling(Math.min(...unavailable.map(({ untilMs }) => untilMs)))];
}

function creations(claims: readonly PlannedNodeClaim[], context: NewNodeClaimContext): readonly Action[] {
  return claims.map((claim, index) => ({ kind: 'create-node-claim', nodeClaim: newNodeClaim(claim, index, context) }));
}

function nominations(schedule: Schedule, { nowMs }: ProvisionContext): readonly Action[] {
  return schedule.existing.flatMap(({ stateNode, pods }) => {
    const real = pods.filter((pod) => !isBufferPod(pod));
    return stateNode.node === undefined || real.length === 0
      ? []
      : [nomination(stateNode.name, real.map(podKey), nowMs)];
  });
}

/** The pods of one buffer are alike: what the first is refused for stands for all. */
function onceABuffer(blocked: readonly Blocked[]): readonly Blocked[] {
  const told = new Set<string>();
  return blocked.filter(({ subject, nodePool = '', reason }) => {
    if (subject.kind === 'Pod') return true;
    const key = JSON.stringify([formatSubject(subject), nodePool, reason]);
    const isNew = !told.has(key);
    told.add(key);
    return isNew;
  });
}

function subjectOf(pod: Pod): Subject {
  return isBufferPod(pod) ? bufferSubject(pod) : namespacedSubject('Pod', pod);
}

function blockedByPause({
  claim,
  pause,
}: {
  readonly claim: PlannedNodeClaim;
  readonly pause: CapacityPause;
}): readonly Blocked[] {
  const { reason, message, numbers } = pause;
  const nodePool = claim.template.nodePool.metadata.name;
  return claim.pods.map((pod) => ({ subject: subjectOf(pod), nodePool, reason, message, numbers }));
}

function blockedBy({ pod, refusals }: Unplaced): readonly Blocked[] {
  const subject = subjectOf(pod);
  if (refusals.length === 0) {
    return [
      { subject, reason: 'NoNodePool', message: 'there is no NodePool that could launch a node for it', numbers: {} },
    ];
  }
  return refusals.map(({ nodePool, refusal }) => ({
    subject,
    ...(nodePool === undefined ? {} : { nodePool }),
    ...refusal,
  }));
}
