import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { canWait, runsNothingElse } from '../cluster/at-rest.ts';
import { nomination } from '../cluster/nomination.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import {
  type Action,
  type Blocked,
  type Due,
  type ExistingNodesRefusal,
  requeueAt,
  type Verdict,
} from '../model/decision.ts';
import type { Refusal } from '../model/refusal.ts';
import { formatSubject, namespacedSubject, type Subject } from '../model/subject.ts';
import type { PlannedNodeClaim, Schedule, Unplaced } from '../scheduling/schedule.ts';
import { bufferSubject, isBufferPod } from './buffer-pods.ts';
import { capacityPause } from './capacity-pause.ts';
import { type NewNodeClaimContext, newNodeClaim } from './new-node-claim.ts';
import { schedulePods } from './schedule-pods.ts';

export interface ProvisionContext {
  readonly decisionId: string;
  readonly nowMs: number;
}

/** What provisioning decides, with the schedule that its actions and refusals were made from. */
export interface ProvisioningVerdict extends Verdict {
  /** New claims are those that are created, in the order of the actions; a pod that has to wait is unplaced, with the reason. */
  readonly schedule: Schedule;
}

/**
 * Which NodeClaims to create for the pods that have no place, and which nodes are promised to pods.
 * *Shape:* one `create-node-claim` a new node, one `nominate-node` an existing one, one `blocked` for every pod and pool
 * that refused it. A CapacityBuffer is told of once, not once for each of its pods, and no node is promised to it (B65).
 */
export function provision(snapshot: ClusterSnapshot, context: ProvisionContext): ProvisioningVerdict {
  const { nowMs } = context;
  const found = atZero(schedulePods(snapshot, nowMs), snapshot, nowMs);
  const { schedule, dueAtMs } = paused(found, snapshot, nowMs);
  const onExistingNodes = refusalsOfNodes(schedule.unplaced);
  return {
    actions: [
      ...creations(schedule.newClaims, { cluster: snapshot.cluster, ...context }),
      ...nominations(schedule, context),
    ],
    blocked: [...onceABuffer(schedule.unplaced.flatMap(blockedBy)), ...(snapshot.ignoredObjects ?? [])],
    ...(onExistingNodes.length === 0 ? {} : { onExistingNodes }),
    due: [...dueAtMs.map(requeueAt), ...(found.unplaced.length === 0 ? [] : nextCapacity(snapshot))],
    schedule,
  };
}

/** The schedule without anything in it where only pods that can wait need a place, and nothing else runs. */
function atZero(schedule: Schedule, snapshot: ClusterSnapshot, nowMs: number): Schedule {
  if (!isForThoseThatWait(schedule, snapshot, nowMs)) return schedule;
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
  message: 'it is among ignoreAtZero, and nothing else runs or waits for a node: it comes with the first that does',
  numbers: {},
};

/** The schedule without the claims that are not made just now, for which capacity was missing a moment ago (C35). */
function paused(
  schedule: Schedule,
  { unavailable }: ClusterSnapshot,
  nowMs: number,
): { readonly schedule: Schedule; readonly dueAtMs: readonly number[] } {
  const newClaims: PlannedNodeClaim[] = [];
  const delayed: Unplaced[] = [];
  const dueAtMs: number[] = [];
  for (const claim of schedule.newClaims) {
    const pause = capacityPause(claim, unavailable, nowMs);
    if (pause === undefined) {
      newClaims.push(claim);
      continue;
    }
    const { untilMs, ...refusal } = pause;
    const refusals = [{ nodePool: claim.template.nodePool.metadata.name, refusal }];
    delayed.push(...claim.pods.map((pod) => ({ pod, refusals })));
    dueAtMs.push(untilMs);
  }
  if (delayed.length === 0) return { schedule, dueAtMs };
  return { schedule: { ...schedule, newClaims, unplaced: [...delayed, ...schedule.unplaced] }, dueAtMs };
}

/** Whether nothing runs and nothing has a place to come but pods that hold no node: the cluster stays as it is, or goes to zero. */
function isForThoseThatWait({ newClaims, existing }: Schedule, snapshot: ClusterSnapshot, nowMs: number): boolean {
  const { ignoreAtZero = [] } = snapshot;
  const placed = [...newClaims, ...existing].flatMap(({ pods }) => pods);
  return placed.every((pod) => canWait(pod, ignoreAtZero, nowMs)) && runsNothingElse(snapshot, nowMs);
}

/** Pods that found no place may find one when an offering is tried again. */
function nextCapacity({ unavailable }: ClusterSnapshot): readonly Due[] {
  return unavailable.length === 0 ? [] : [requeueAt(Math.min(...unavailable.map(({ untilMs }) => untilMs)))];
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

/** Why no existing node takes the pods, once for all that were refused alike: a decision must not grow with each of them. */
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
    ...(nodePool === undefined ? {} : { nodePool }),
    ...refusal,
  }));
}

/** Of a pod that no NodePool was asked for. */
export const NO_NODE_POOL: Refusal = {
  reason: 'NoNodePool',
  message: 'there is no NodePool that could launch a node for it',
  numbers: {},
};
