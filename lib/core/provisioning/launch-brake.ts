import { formatTime, MINUTE_MS, SECOND_MS, timeIn } from '../../apis/formats/time.ts';
import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { isProvisionable } from '../cluster/pods.ts';
import { compareText } from '../compare-text.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { type NodeClaimRecord, realPods } from '../model/node-claim-record.ts';
import { countsUntilMs, type UnusedLaunches } from '../model/provisioning/unused-launches.ts';
import { type Refusal, refusal } from '../model/refusal.ts';

/** The launches for a pod that need no wait. */
const FREE_LAUNCHES = 3;
const MAX_WAIT_MS = 60 * MINUTE_MS;
/** The kube-scheduler binds a pod within a second or two, and tries a pod that it has refused often again within ten seconds. */
const BINDS_WITHIN_MS = 10 * SECOND_MS;
/** The item of the table stays below 20 kB. */
const MAX_PODS = 500;

/** Why a pod gets no new node now, and until when. */
export interface LaunchWait {
  readonly refusal: Refusal;
  readonly untilMs: number;
}

export interface LaunchBrake {
  /** What later runs read. *Shape:* undefined if nothing has changed. */
  readonly counted: readonly UnusedLaunches[] | undefined;
  /** *Shape:* undefined if a node can be launched for the pod now. */
  readonly waitOf: (pod: Pod) => LaunchWait | undefined;
}

/**
 * The brake on launches for pods that the kube-scheduler does not bind to the nodes that are launched for them: three are launched without
 * a wait, then the next one 2, 4, 8 … 60 minutes after the last (B70). *Cost:* O(pods + pods of NodeClaims).
 */
export function launchBrake(snapshot: Counted, nowMs: number): LaunchBrake {
  const { unusedLaunches = [] } = snapshot;
  const before = new Map(unusedLaunches.filter((one) => countsUntilMs(one) > nowMs).map((one) => [one.pod, one]));
  const offers = [...offersTo(snapshot, nowMs)];
  const withOffers = (isCounted: (offer: Offer) => boolean): readonly UnusedLaunches[] =>
    offers.flatMap(([pod, ofPod]) => withLaunches(pod, ofPod.filter(isCounted), before.get(pod)) ?? []);
  // The pod may still be bound to a node that became ready just now, so that is not kept. But no other node is launched at once.
  const now = new Map([...before.values(), ...withOffers(() => true)].map((one) => [one.pod, one]));
  const news = withOffers(({ readyMs }) => nowMs >= readyMs + BINDS_WITHIN_MS);
  const kept = new Map([...before.values(), ...news].map((one) => [one.pod, one]));
  return {
    counted: news.length === 0 ? undefined : mostLaunches([...kept.values()]),
    waitOf: ({ metadata, spec }) =>
      spec.nodeName === undefined ? waitAfter(now.get(metadata.uid ?? ''), nowMs) : undefined,
  };
}

type Counted = Pick<ClusterSnapshot, 'pods' | 'nodeClaims' | 'unusedLaunches'>;

/** A node that was launched for a pending pod and became ready. */
interface Offer {
  readonly createdMs: number;
  readonly readyMs: number;
}

/** By the UIDs of the pods. A pod that is newer than a claim for a pod of its name, for example of a StatefulSet, is another one. */
function offersTo({ pods, nodeClaims }: Counted, nowMs: number): ReadonlyMap<string, readonly Offer[]> {
  const offers = new Map<string, Offer[]>();
  const pending = new Map(pods.filter(isProvisionable).map((pod) => [podKey(pod), pod]));
  if (pending.size === 0) return offers;
  for (const claim of nodeClaims) {
    const { createdAtMs: createdMs, initializedAtMs: readyMs } = claim;
    if (readyMs === undefined || !wasOffered(claim, readyMs, nowMs)) continue;
    for (const key of realPods(claim)) {
      const { uid, creationTimestamp } = pending.get(key)?.metadata ?? {};
      if (uid === undefined || (timeIn(creationTimestamp) ?? Infinity) > createdMs) continue;
      offers.set(uid, [...(offers.get(uid) ?? []), { createdMs, readyMs }]);
    }
  }
  return offers;
}

/** Not a node that was lost before the kube-scheduler had time to bind pods to it, for example a spot instance. */
function wasOffered({ createdAtMs, deletion }: NodeClaimRecord, readyMs: number, nowMs: number): boolean {
  const isRecent = countsUntilMs({ lastMs: createdAtMs }) > nowMs;
  return isRecent && (deletion === undefined || deletion.requestedAtMs >= readyMs + BINDS_WITHIN_MS);
}

/** With the launches after those that are counted already. *Shape:* undefined if there are none. */
function withLaunches(
  pod: string,
  offers: readonly Offer[],
  before: UnusedLaunches | undefined,
): UnusedLaunches | undefined {
  const times = offers.map(({ createdMs }) => createdMs).filter((atMs) => atMs > (before?.lastMs ?? -Infinity));
  if (times.length === 0) return undefined;
  const { launches = 0, firstMs = Math.min(...times) } = before ?? {};
  return { pod, launches: launches + times.length, firstMs, lastMs: Math.max(...times) };
}

/** Not the latest: many pods that wait for the kube-scheduler a little longer must not replace one that waits for good. */
function mostLaunches(all: readonly UnusedLaunches[]): readonly UnusedLaunches[] {
  return all
    .toSorted((a, b) => b.launches - a.launches || b.lastMs - a.lastMs || compareText(a.pod, b.pod))
    .slice(0, MAX_PODS);
}

function waitAfter(unused: UnusedLaunches | undefined, nowMs: number): LaunchWait | undefined {
  if (unused === undefined || unused.launches < FREE_LAUNCHES) return undefined;
  const { launches, firstMs, lastMs } = unused;
  const waitMs = Math.min(MAX_WAIT_MS, MINUTE_MS * 2 ** (launches - FREE_LAUNCHES + 1));
  const untilMs = lastMs + waitMs;
  if (nowMs >= untilMs) return undefined;
  const message =
    `${launches} nodes were launched for it since ${formatTime(firstMs)}, and the kube-scheduler has bound it to none of them: ` +
    `the next one is launched after ${formatTime(untilMs)}; read in kubectl describe pod why the kube-scheduler refuses the nodes, ` +
    'correct the pod or its NodePool, and delete the pod, because a new pod does not wait';
  return { refusal: refusal('LaunchesUnused', message, { launches, waitMinutes: waitMs / MINUTE_MS }), untilMs };
}
