import { MINUTE_MS, parseTime, SECOND_MS, timeIn } from '../../../../lib/apis/formats/time.ts';
import type { Pod } from '../../../../lib/apis/kubernetes.ts';
import { DISRUPTED_TAINT, sameTaint } from '../../../../lib/apis/taints.ts';
import { selectsPod } from '../../../../lib/core/cluster/pod-disruption-budgets.ts';
import { instanceOf, type NodeClaimRecord } from '../../../../lib/core/model/node-claim-record.ts';
import { isActiveAt } from '../../../../lib/simulator/faults/fault.ts';
import { budgetStatus } from '../../../../lib/simulator/kubernetes/disruptions-allowed.ts';
import type { Watched } from '../../rule.ts';
import { mayHavePods, nodeOf } from '../nodes.ts';
import { isDrainable, isKeptInPlace, isTerminating, tierOf } from '../pods.ts';
import type { HeldDrains } from '../removals/held-drains.ts';
import { type Duty, methodsFor, TERMINATION } from './duty.ts';

export interface WatchedDrains extends Watched {
  readonly held: HeldDrains;
}

const EVICTION = [...methodsFor('drain'), 'function:termination', 'world'];
/** The end of an instance without pods. */
const END = [
  ...methodsFor('termination'),
  'store.readNodeClaim',
  'store.updateNodeClaim',
  'cluster.listNodes',
  'function:termination',
  'world',
];

/** D25: an instance whose drain evicted pods with volumes waits for these volumes. */
function endNeeds({ deletion }: NodeClaimRecord): readonly string[] {
  return deletion?.volumes === true
    ? [...END, 'cluster.listVolumeAttachments', 'cluster.listPersistentVolumeClaims']
    : END;
}

function hasEnded(watched: Watched, instanceId: string): boolean {
  return endOf(watched, instanceId) !== undefined;
}

/** When EC2 began to shut the instance down. *Shape:* undefined while it runs. */
export function endOf({ simulation }: Watched, instanceId: string): number | undefined {
  const { ec2 } = simulation();
  return ec2.instances().find(({ id }) => id === instanceId)?.endedAtMs;
}

/** What removes a NodeClaim that is deleted: its drain, the end of its instance and its release. */
export function removalDuties(watched: WatchedDrains, record: NodeClaimRecord): readonly Duty[] {
  const { name, deletion } = record;
  const instance = instanceOf(record);
  if (deletion === undefined) return [];
  const needs = [
    ...TERMINATION,
    'messages.wake',
    'cluster.patchNode',
    'cluster.removeNodeClaim',
    'cluster.deleteNode',
    'cloud.terminate',
    'world',
  ];
  const isOver = instance === undefined || hasEnded(watched, instance.id);
  if (isOver) return [{ name: `NodeClaim ${name} is released`, withinMs: releaseMs(watched, record), needs }];
  const node = nodeOf(watched, record);
  if (node === undefined || !mayHavePods(record, node))
    return [
      {
        name: `the instance of NodeClaim ${name} ends`,
        withinMs: 15 * SECOND_MS + refusedForMs(watched, record) + unlistedMs(watched, record),
        needs: endNeeds(record),
      },
    ];
  const isCordoned = node.spec?.taints?.some((taint) => sameTaint(taint, DISRUPTED_TAINT)) === true;
  return [
    ...(isCordoned ? [] : [{ name: `node ${node.metadata.name} is cordoned`, withinMs: 8 * SECOND_MS, needs }]),
    ...evictionDuties(watched, record, node.metadata.name),
  ];
}

/** EC2 takes up to 25 s to shut an instance down. A new instance that EC2 does not list is gone only 3 minutes after its launch. */
function releaseMs({ startMs, nowMs }: Watched, { launch }: NodeClaimRecord): number {
  const untilListedMs = launch.kind === 'launched' ? launch.atMs + 3 * MINUTE_MS - startMs() - nowMs() : 0;
  return Math.max(untilListedMs, 0) + 45 * SECOND_MS;
}

/** An instance that EC2 does not list yet may not have begun, so termination looks again at the next tick. A list that fails does not matter. */
function unlistedMs({ story, startMs }: Watched, { launch }: NodeClaimRecord): number {
  if (launch.kind !== 'launched') return 0;
  const atMs = launch.atMs - startMs();
  const isUnlisted = story.faults.some(
    (one) => one.kind === 'listed-late' && one.fromMs < atMs + one.lagMs && atMs < one.fromMs + one.forMs,
  );
  return isUnlisted ? MINUTE_MS : 0;
}

/** A refused termination is tried again after a pause that is as long as EC2 has refused it, at most 5 minutes. */
export function refusedForMs({ startMs, nowMs }: Watched, { deletion }: NodeClaimRecord): number {
  return Math.max(0, (deletion?.terminationRefused?.retryAtMs ?? 0) - startMs() - nowMs());
}

function evictionDuties(watched: WatchedDrains, record: NodeClaimRecord, node: string): readonly Duty[] {
  const { simulation, startMs, nowMs, held } = watched;
  const { state } = simulation();
  const now = startMs() + nowMs();
  const pods = [...state.pods.values()].filter(({ spec }) => spec.nodeName === node).filter(isDrainable);
  const pauseMs = held.pauseMs(record, now);
  if (pods.length === 0)
    return [
      {
        name: `the instance of NodeClaim ${record.name} ends`,
        withinMs: 20 * SECOND_MS + pauseMs + refusedForMs(watched, record),
        needs: endNeeds(record),
      },
    ];
  const deadlineMs = record.deletion?.deadlineMs;
  const late = deadlineMs === undefined ? [] : pods.filter((pod) => endsAfter(pod, deadlineMs, now));
  if (late.length > 0)
    return late.map(({ metadata }) => ({
      name: `pod ${metadata.name}, which takes longer than node ${node} has, is deleted with a shorter grace period`,
      withinMs: 12 * SECOND_MS,
      // D24: most deadlines come from what happens to an instance, so this waits for no calm world. The deletion wakes termination.
      needs: [...EVICTION.filter((need) => need !== 'world'), 'cluster.deletePod', 'messages.wake'],
    }));
  if (deadlineMs !== undefined && now > deadlineMs) {
    const left = pods.filter((pod) => !isTerminating(pod));
    return left.map(({ metadata }) => ({
      name: `pod ${metadata.name} is deleted at the deadline of node ${node}`,
      withinMs: 12 * SECOND_MS,
      needs: [...EVICTION, 'cluster.deletePod'],
    }));
  }
  // D20: a tier starts after the previous one is gone.
  const tier = Math.min(...pods.map(tierOf));
  const evictable = pods
    .filter((pod) => tierOf(pod) === tier && !isTerminating(pod) && !isKeptInPlace(pod, now))
    .filter((pod) =>
      state.podDisruptionBudgets.every(
        (one) => !selectsPod(one, pod) || budgetStatus(one, state).disruptionsAllowed > 0,
      ),
    );
  // D23: a drain whose pods are all held or refused is polled less often. If a refused pod goes away, the others wait for the next poll.
  const waitsFor = evictable.every((pod) => isRefused(watched, pod)) ? 'leave' : 'nothing';
  held.note(record, pods.some(isTerminating) ? 'end-of-pod' : waitsFor, now);
  const instance = instanceOf(record)?.id ?? '';
  return evictable.map(({ metadata }) => ({
    name: `pod ${metadata.name} of node ${node}, which may be evicted, is evicted`,
    withinMs: 7 * SECOND_MS + pauseMs,
    needs: [
      ...EVICTION,
      // Near the deadline, the pod is deleted without an eviction (D24).
      ...(deadlineMs === undefined ? [] : ['cluster.deletePod']),
      // A node that cannot be cordoned gets pods during its drain. Its polls, which become rarer without a pod that ends, find them (D23).
      ...((timeIn(metadata.creationTimestamp) ?? 0) > (record.deletion?.drainStartedAtMs ?? Infinity)
        ? ['cluster.patchNode']
        : []),
    ],
    about: () => [record.name, instance, node, metadata.name],
  }));
}

/** Whether the API server refuses each eviction of the pod now. */
function isRefused({ story, objectOf, nowMs }: Watched, { metadata }: Pod): boolean {
  return story.faults.some(
    (fault) =>
      fault.kind === 'object-refused' &&
      fault.call === 'cluster.evictPod' &&
      isActiveAt(fault, nowMs()) &&
      objectOf(fault) === metadata.name,
  );
}

/** D24: whether the pod has no more time than its grace period, and was not deleted, or with a longer grace period. */
function endsAfter({ metadata, spec }: Pod, deadlineMs: number, nowMs: number): boolean {
  const { deletionTimestamp } = metadata;
  const graceMs = (spec.terminationGracePeriodSeconds ?? 30) * SECOND_MS;
  if (nowMs < deadlineMs - graceMs) return false;
  if (deletionTimestamp === undefined) return nowMs < deadlineMs;
  return parseTime(deletionTimestamp) > Math.max(deadlineMs, nowMs) + 2 * SECOND_MS;
}
