import { counted } from '../../apis/counted.ts';
import { formatDuration } from '../../apis/formats/duration.ts';
import { podKey } from '../../apis/kubernetes.ts';
import { isReschedulable } from '../cluster/pods.ts';
import type { StateNode } from '../cluster/state-node.ts';
import { priceOf } from '../disruption/cost.ts';
import type { DisruptionPlan } from '../disruption/plan-disruption.ts';
import type { PlannedCommand } from '../disruption/play-out.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { type DisruptionCommand, isReplacing } from '../model/disruption-command.ts';
import type { Deletion, NodeClaimRecord } from '../model/node-claim-record.ts';
import { type Refusal, refusal } from '../model/refusal.ts';
import { whyNeverEvicted } from '../node-claim/never-evicted.ts';
import { isDrained } from '../node-claim/pods-to-drain.ts';
import { notReleased } from '../problems/claim-problems.ts';
import { cheapestUsd } from '../scheduling/schedule.ts';
import { usdPerHour } from '../usd-per-hour.ts';
import type { Explanation } from './explanation.ts';
import { nodeFacts } from './node-facts.ts';

/** The cluster, and the plan of disruption for it. */
export interface PlannedCluster {
  readonly snapshot: ClusterSnapshot;
  readonly plan: DisruptionPlan;
  readonly nowMs: number;
}

type Told = Pick<Explanation, 'state' | 'summary'> & { readonly reasons?: readonly Refusal[] };

/** Why a node or a NodeClaim stays, starts or is removed. */
export function whyNode(stateNode: StateNode, cluster: PlannedCluster): Explanation {
  const { node, nodeClaim, name } = stateNode;
  const { state, summary, reasons = [] } = tell(stateNode, cluster);
  return {
    subject: node === undefined ? { kind: 'NodeClaim', name: nodeClaim?.name ?? name } : { kind: 'Node', name },
    state,
    summary,
    reasons,
    facts: nodeFacts(stateNode, cluster.snapshot, cluster.nowMs),
  };
}

function tell(stateNode: StateNode, cluster: PlannedCluster): Told {
  const { nodeClaim, name } = stateNode;
  if (nodeClaim === undefined)
    return { state: 'NotManaged', summary: 'it has no NodeClaim of Kerf, so Kerf never removes it' };
  if (nodeClaim.deletion !== undefined)
    return beingRemoved(stateNode, { nodeClaim, deletion: nodeClaim.deletion }, cluster);
  const starting = whyStarting(stateNode, nodeClaim, cluster.nowMs);
  if (starting !== undefined) return starting;
  const { commands } = cluster.snapshot;
  const command = commands.find(({ candidates }) => candidates.some((one) => one.nodeClaim === nodeClaim.name));
  if (command !== undefined) return inCommand(command, cluster.nowMs);
  const surplus = cluster.plan.surplus.find((one) => one.nodeClaim === nodeClaim.name);
  if (surplus !== undefined)
    return { state: 'WouldBeRemoved', summary: `it is deleted without regard to budgets: ${surplus.message}` };
  const at = cluster.plan.commands.findIndex(({ candidates }) => candidates.some((one) => one.stateNode.name === name));
  const planned = cluster.plan.commands[at];
  if (planned !== undefined) return wouldBeRemoved(planned, at);
  return stays(stateNode, cluster);
}

function beingRemoved(
  stateNode: StateNode,
  { nodeClaim, deletion }: { readonly nodeClaim: NodeClaimRecord; readonly deletion: Deletion },
  { snapshot, nowMs }: PlannedCluster,
): Told {
  const { reason, message, requestedAtMs, deadlineMs, terminateRequestedAtMs, terminationRefused } = deletion;
  const { releaseFailed } = deletion;
  const since = formatDuration(Math.max(0, nowMs - requestedAtMs));
  const why = `it is being removed (${reason}: ${message}), for ${since}`;
  if (releaseFailed !== undefined)
    return {
      state: 'BeingRemoved',
      summary: `${why}; ${notReleased(nodeClaim)} for ${formatDuration(Math.max(0, nowMs - releaseFailed.sinceMs))}`,
      reasons: [refusal('ActionRefused', releaseFailed.message)],
    };
  if (terminationRefused !== undefined)
    return {
      state: 'BeingRemoved',
      summary: `${why}; its instance cannot be terminated`,
      reasons: [refusal(terminationRefused.reason ?? 'TerminationRefused', terminationRefused.message)],
    };
  if (terminateRequestedAtMs !== undefined)
    return { state: 'BeingRemoved', summary: `${why}; EC2 terminates its instance` };
  const left = stateNode.pods.filter((pod) => isReschedulable(pod) && isDrained(pod, nowMs));
  const held = left.flatMap((pod) => {
    const never = whyNeverEvicted(pod, snapshot.podDisruptionBudgets);
    return never === undefined ? [] : [{ ...never, message: `pod ${podKey(pod)}: ${never.message}` }];
  });
  const by =
    deadlineMs === undefined
      ? 'there is no deadline'
      : `the deadline is in ${formatDuration(Math.max(0, deadlineMs - nowMs))}`;
  const waits =
    left.length === 0 ? 'no pods are left to evict' : `${counted(left.length, 'pod')} must leave first, and ${by}`;
  return { state: 'BeingRemoved', summary: `${why}; ${waits}`, reasons: held };
}

function whyStarting({ node, initialized }: StateNode, nodeClaim: NodeClaimRecord, nowMs: number): Told | undefined {
  const { launch } = nodeClaim;
  if (launch.kind === 'planned') return { state: 'Launching', summary: 'its instance is not requested yet' };
  const since = formatDuration(Math.max(0, nowMs - launch.atMs));
  if (launch.kind === 'requested')
    return { state: 'Launching', summary: `its instance was requested ${since} ago (attempt ${launch.attempt})` };
  if (launch.kind === 'refused' && launch.throttled === true) {
    const summary = `EC2 throttled attempt ${launch.attempt} to launch it ${since} ago: the account launches too much at once, and it waits for its turn`;
    return { state: 'Launching', summary };
  }
  if (launch.kind === 'refused')
    return {
      state: 'Launching',
      summary: `EC2 refused attempt ${launch.attempt} to launch it ${since} ago`,
      reasons: [refusal('LaunchFailed', launch.message, { attempt: launch.attempt })],
    };
  const { finding } = nodeClaim.consistency ?? {};
  const reasons = finding === undefined ? [] : [refusal(finding.reason, finding.message)];
  if (node === undefined)
    return { state: 'Starting', summary: `its instance was launched ${since} ago, and no node has joined`, reasons };
  if (initialized) return undefined;
  return {
    state: 'Starting',
    summary: `its instance was launched ${since} ago, and the node is not initialized`,
    reasons,
  };
}

function inCommand(command: DisruptionCommand, nowMs: number): Told {
  const { method, candidates, replacements, decidedAtMs } = command;
  const since = formatDuration(Math.max(0, nowMs - decidedAtMs));
  const next = isReplacing(command)
    ? `it is removed when ${counted(replacements.length, 'replacement')} ${replacements.length === 1 ? 'is' : 'are'} initialized`
    : 'the command is validated before anything changes';
  return {
    state: 'BeingReplaced',
    summary: `a command of ${method} for ${counted(candidates.length, 'node')} was decided ${since} ago; ${next}`,
  };
}

function wouldBeRemoved({ method, candidates, replacements, waitsFor }: PlannedCommand, at: number): Told {
  const by = replacements.length === 0 ? 'without a new node' : `by ${counted(replacements.length, 'new node')}`;
  const saved = priceOf(candidates) - cheapestUsd(replacements);
  const what = replacements.length === 0 ? 'deletes' : 'replaces';
  return {
    state: 'WouldBeRemoved',
    summary: `command ${at + 1} of the plan (${method}) ${what} ${counted(candidates.length, 'node')} ${by}, which saves ${usdPerHour(saved)}`,
    reasons: waitsFor === undefined ? [] : [waitsFor],
  };
}

function stays(stateNode: StateNode, { plan, snapshot }: PlannedCluster): Told {
  const refusals = plan.blocked.filter(({ subject }) => subject.kind === 'Node' && subject.name === stateNode.name);
  const reasons = [
    ...new Map(refusals.map(({ reason, message, numbers }) => [message, { reason, message, numbers }])).values(),
  ];
  if (reasons.length > 0)
    return { state: 'Stays', summary: `it stays, for ${counted(reasons.length, 'reason')}`, reasons };
  const busy = new Set(snapshot.commands.flatMap(({ candidates }) => candidates.map(({ nodeClaim }) => nodeClaim)));
  return { state: 'Stays', summary: `it stays: ${whyUnaffected(stateNode, busy)}` };
}

/** Why no method has a refusal for the node. @param busy the NodeClaims of commands that are in progress */
export function whyUnaffected(
  { nodeClaim, node, initialized, deleting, pods }: StateNode,
  busy: ReadonlySet<string>,
): string {
  if (deleting) return 'already being deleted';
  if (nodeClaim === undefined) return 'not managed by Kerf';
  if (node === undefined || !initialized) return 'not initialized yet';
  if (busy.has(nodeClaim.name)) return 'in a disruption command that is in progress';
  return pods.some(isReschedulable) ? 'needed by running pods' : 'consolidateAfter of the NodePool has not passed';
}
