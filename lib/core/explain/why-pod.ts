import { counted, firstNames } from '../../apis/counted.ts';
import { formatTime } from '../../apis/formats/time.ts';
import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { DO_NOT_DISRUPT } from '../../apis/labels.ts';
import { holds, selectsPod } from '../cluster/pod-disruption-budgets.ts';
import {
  isKeptInPlace,
  isOwnedByDaemonSet,
  isProvisionable,
  isReschedulable,
  isTerminal,
  isTerminating,
  keptUntilMs,
} from '../cluster/pods.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { type Refusal, refusal } from '../model/refusal.ts';
import { namespacedSubject } from '../model/subject.ts';
import { whyNeverEvicted } from '../node-claim/never-evicted.ts';
import { drainTier, isDrained } from '../node-claim/pods-to-drain.ts';
import { type PodRefusal, refusalsOf } from '../provisioning/pod-refusals.ts';
import { provision } from '../provisioning/provision.ts';
import { passedOver } from '../provisioning/schedule-pods.ts';
import { podRequests } from '../resources/pod-requests.ts';
import { formatResources } from '../resources/resources.ts';
import type { PlannedNodeClaim } from '../scheduling/schedule.ts';
import { usdPerHour } from '../usd-per-hour.ts';
import type { Explanation } from './explanation.ts';

type Told = Pick<Explanation, 'state' | 'summary'> & { readonly reasons?: readonly PodRefusal[] };

/** Why the pod is where it is, or why it has no node, by the decision of provisioning. *Cost:* that of `provision` if it needs a place. */
export function whyPod(snapshot: ClusterSnapshot, pod: Pod, nowMs: number): Explanation {
  const told = tell(snapshot, pod, nowMs);
  return {
    subject: namespacedSubject('Pod', pod),
    state: told.state,
    summary: told.summary,
    reasons: told.reasons ?? [],
    facts: podFacts(snapshot, pod),
  };
}

function podFacts({ podDisruptionBudgets }: ClusterSnapshot, pod: Pod): Explanation['facts'] {
  const requests = Object.entries(formatResources(podRequests(pod))).filter(([name]) => name !== 'pods');
  const budgets = podDisruptionBudgets.filter((budget) => selectsPod(budget, pod));
  return [
    ['requests', requests.length === 0 ? 'none' : requests.map(([name, amount]) => `${amount} ${name}`).join(', ')],
    ...(pod.spec.nodeName === undefined ? [] : [['node', pod.spec.nodeName] as const]),
    ...budgets.map(
      ({ metadata, status }) =>
        [
          'PodDisruptionBudget',
          `${metadata.name}: allows ${counted(status?.disruptionsAllowed ?? 0, 'disruption')}`,
        ] as const,
    ),
  ];
}

function tell(snapshot: ClusterSnapshot, pod: Pod, nowMs: number): Told {
  if (isTerminal(pod)) return { state: 'Ended', summary: `it has ended (${pod.status?.phase ?? 'unknown'})` };
  const { nodeName } = pod.spec;
  const on = stateNodes(snapshot).find(({ node }) => nodeName !== undefined && node?.metadata.name === nodeName);
  if (isTerminating(pod)) return { state: 'Terminating', summary: 'it is being deleted and ends' };
  if (nodeName !== undefined) return on?.deleting === true ? draining(snapshot, { pod, on }, nowMs) : bound(pod, nowMs);
  const why = whyNotPending(pod);
  return why ?? placed(pod, snapshot, nowMs);
}

function bound(pod: Pod, nowMs: number): Told {
  const reasons = isKeptInPlace(pod, nowMs)
    ? [refusal('DoNotDisrupt', `its annotation ${DO_NOT_DISRUPT} keeps it and its node`)]
    : [];
  return { state: 'Bound', summary: 'it has a node, which stays', reasons };
}

/** B7, D21: its node is being removed, so it needs another one and is evicted. */
function draining(
  snapshot: ClusterSnapshot,
  { pod, on }: { readonly pod: Pod; readonly on: StateNode },
  nowMs: number,
): Told {
  const deletion = on.nodeClaim?.deletion;
  const why = deletion === undefined ? 'its node is being replaced' : `its node is being removed (${deletion.message})`;
  if (!isReschedulable(pod)) return { state: 'Draining', summary: `${why}, and it ends with the node` };
  const earlier = evictedBefore({ pod, on }, nowMs);
  const held = whyHeld(snapshot, pod, nowMs) ?? whyLater(snapshot, earlier, nowMs);
  const place = placed(pod, snapshot, nowMs);
  const next = held === undefined ? whenEvicted(earlier) : 'it is not evicted now';
  return {
    state: 'Draining',
    summary: `${why}: ${next}; ${place.summary}`,
    reasons: [...(held ? [held] : []), ...(place.reasons ?? [])],
  };
}

/** Why the pod is not evicted now. */
function whyHeld({ podDisruptionBudgets }: ClusterSnapshot, pod: Pod, nowMs: number): Refusal | undefined {
  const keptMs = keptUntilMs(pod);
  if (nowMs < keptMs) {
    const until = Number.isFinite(keptMs) ? `${formatTime(keptMs)} or ` : '';
    const message = `it has the annotation ${DO_NOT_DISRUPT}, so it stays until ${until}the deadline of its node, if there is one`;
    return refusal('DoNotDisrupt', message);
  }
  const never = whyNeverEvicted(pod, podDisruptionBudgets);
  if (never !== undefined) return never;
  const spent = podDisruptionBudgets.find((budget) => holds(budget, pod));
  return (
    spent &&
    refusal('PDB', `PodDisruptionBudget ${spent.metadata.name} allows no disruption`, { disruptionsAllowed: 0 })
  );
}

/** D20: the pods of the node that are gone before the drain evicts this one. */
function evictedBefore({ pod, on }: { readonly pod: Pod; readonly on: StateNode }, nowMs: number): readonly Pod[] {
  if (!isDrained(pod, nowMs)) return [];
  return on.pods.filter((one) => isDrained(one, nowMs) && drainTier(one) < drainTier(pod));
}

function whenEvicted(earlier: readonly Pod[]): string {
  if (earlier.length === 0) return 'it is evicted';
  const names = firstNames(earlier.map(podKey), MAX_NAMES);
  return `it is critical or of a DaemonSet, and is evicted after other pods of the node have gone (${names})`;
}

const MAX_NAMES = 3;

/** A pod that the drain evicts earlier is not evicted now. */
function whyLater(snapshot: ClusterSnapshot, earlier: readonly Pod[], nowMs: number): Refusal | undefined {
  for (const one of earlier.filter((pod) => !isTerminating(pod))) {
    const held = whyHeld(snapshot, one, nowMs);
    if (held !== undefined)
      return refusal(held.reason, `it is evicted after pod ${podKey(one)}: ${held.message}`, held.numbers);
  }
  return undefined;
}

/** B6, B8: why Kerf does not act for a pod without a node. */
function whyNotPending(pod: Pod): Told | undefined {
  if (isProvisionable(pod)) return undefined;
  if (isOwnedByDaemonSet(pod))
    return {
      state: 'Ignored',
      summary: 'it belongs to a DaemonSet: it runs on nodes that exist, and no node is launched for it',
    };
  const gates = pod.spec.schedulingGates ?? [];
  if (gates.length > 0)
    return {
      state: 'NotPending',
      summary: `its scheduling gates are not removed yet: ${gates.map(({ name }) => name).join(', ')}`,
    };
  const nominated = pod.status?.nominatedNodeName ?? '';
  if (nominated !== '')
    return { state: 'NotPending', summary: `the kube-scheduler ends other pods on node ${nominated} for it` };
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return { state: 'Ignored', summary: 'it excludes all nodes of NodePools, or belongs to one node' };
  const found =
    scheduled === undefined
      ? 'has no condition PodScheduled'
      : `has PodScheduled=${scheduled.status} (${scheduled.reason ?? 'no reason'})`;
  return {
    state: 'NotPending',
    summary: `the kube-scheduler has not marked it as unschedulable: it ${found}, so Kerf launches no node for it yet`,
  };
}

function placed(pod: Pod, snapshot: ClusterSnapshot, nowMs: number): Told {
  const { newClaims, existing, unplaced } = provision(snapshot, { decisionId: 'why', nowMs }).schedule;
  const key = podKey(pod);
  const isIt = (one: Pod): boolean => podKey(one) === key;
  const on = existing.find(({ pods }) => pods.some(isIt));
  if (on !== undefined) return { state: 'HasPlace', summary: onExisting(on.stateNode) };
  const claim = newClaims.find(({ pods }) => pods.some(isIt));
  if (claim !== undefined)
    return { state: 'NeedsNode', summary: onNew(claim), reasons: passedOver([claim], snapshot, nowMs) };
  const without = unplaced.find((one) => isIt(one.pod));
  if (without === undefined) return { state: 'NotPending', summary: 'it needs no other node' };
  return {
    state: 'Unschedulable',
    summary: 'no NodePool can launch a node for it, and no existing node takes it',
    reasons: refusalsOf(without),
  };
}

function onExisting({ name, node, nodeClaim, initialized }: StateNode): string {
  if (node === undefined) {
    const { launch } = nodeClaim ?? {};
    if (launch?.kind === 'refused')
      return `it has a place on NodeClaim ${name}, whose launch was refused: ${launch.message}`;
    return `it has a place on NodeClaim ${name}, which is being launched`;
  }
  return initialized ? `it has room on node ${name}` : `it has a place on node ${name}, which is starting`;
}

function onNew({ pods, template, cheapest }: PlannedNodeClaim): string {
  const { type, offering } = cheapest;
  const others = pods.length === 1 ? 'it alone' : `it and ${counted(pods.length - 1, 'other pod')}`;
  return `a node would be launched for ${others}: ${type.name} (${offering.capacityType}, ${offering.zone}) of NodePool ${template.nodePool.metadata.name} at ${usdPerHour(offering.priceUsdPerHour)}`;
}
