import { type Pod, podKey } from '../apis/kubernetes.ts';
import { compareText } from '../core/compare-text.ts';
import type { Blocked } from '../core/model/decision.ts';
import { formatSubject, namespacedSubject } from '../core/model/subject.ts';
import { costOf, type SimulatedInstance } from './aws/simulated-ec2.ts';
import type { KubernetesState } from './kubernetes/state.ts';
import type { TimelineEntry } from './timeline.ts';

/** The result of a simulation: `kerf simulate --output json`. *Units:* seconds and USD. */
export interface SimulationResult {
  readonly nodesLaunched: number;
  readonly nodesAtEnd: number;
  readonly podsRunning: number;
  readonly podsPending: readonly { readonly pod: string; readonly reason: string }[];
  readonly totalCostUsd: number;
  /** The time from the creation of a pod to its start, for all pods that started. */
  readonly pendingToRunningSeconds: {
    readonly pods: number;
    readonly median: number;
    readonly p95: number;
    readonly max: number;
  };
  /** The number of actions by kind; deletions also by reason. */
  readonly actions: Readonly<Record<string, number>>;
  readonly endedAt: number;
  /** `settled`: only expiry remains. `time`: the simulated time is over. */
  readonly ended: 'settled' | 'time';
  readonly seed: number;
  readonly region: string;
  /** What is not simulated, or simulated with an assumption; objects with the same note are in one line. */
  readonly notes: readonly string[];
  readonly timeline: readonly TimelineEntry[];
}

export interface ResultParts {
  readonly state: KubernetesState;
  readonly instances: readonly SimulatedInstance[];
  readonly timeline: readonly TimelineEntry[];
  readonly notes: readonly string[];
  /** The last refusals, by pod. */
  readonly refusals: ReadonlyMap<string, readonly Blocked[]>;
  readonly nowMs: number;
  readonly startMs: number;
  readonly ended: SimulationResult['ended'];
  readonly seed: number;
  readonly region: string;
}

export function resultOf(parts: ResultParts): SimulationResult {
  const { state, instances, timeline, notes, nowMs, startMs, ended, seed, region } = parts;
  const pods = [...state.pods.values()];
  const pending = pods.filter((pod) => pod.status?.phase === 'Pending');
  const cost = instances.reduce((sum, instance) => sum + costOf(instance, nowMs), 0);
  return {
    nodesLaunched: instances.length,
    nodesAtEnd: instances.length - timeline.filter((entry) => entry.kind === 'instance-terminated').length,
    podsRunning: pods.filter((pod) => pod.status?.phase === 'Running').length,
    podsPending: pending.map((pod) => ({ pod: podKey(pod), reason: whyPending(pod, parts) })),
    totalCostUsd: Math.round(cost * 1e6) / 1e6,
    pendingToRunningSeconds: waits(timeline),
    actions: countActions(timeline),
    endedAt: (nowMs - startMs) / 1_000,
    ended,
    seed,
    region,
    notes,
    timeline,
  };
}

function whyPending(pod: Pod, { refusals, state }: Pick<ResultParts, 'refusals' | 'state'>): string {
  const why = refusals.get(formatSubject(namespacedSubject('Pod', pod))) ?? [];
  if (why.length > 0)
    return why
      .map(({ nodePool, message }) => (nodePool === undefined ? message : `NodePool ${nodePool}: ${message}`))
      .join('; ');
  if ((pod.spec.schedulingGates ?? []).length > 0) return 'it has scheduling gates';
  const { nodeName } = pod.spec;
  if (nodeName === undefined) return 'its node does not exist yet';
  return state.nodes.has(nodeName) ? `it is starting on ${nodeName}` : `its node ${nodeName} does not exist`;
}

function waits(timeline: readonly TimelineEntry[]): SimulationResult['pendingToRunningSeconds'] {
  const since = new Map<string, number>();
  const times: number[] = [];
  for (const entry of timeline) {
    if (entry.kind === 'pod-pending') since.set(entry.pod, entry.at);
    if (entry.kind === 'pod-running') times.push(entry.at - (since.get(entry.pod) ?? entry.at));
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((times[Math.max(0, Math.ceil(times.length * share) - 1)] ?? 0) * 10) / 10;
  return { pods: times.length, median: at(0.5), p95: at(0.95), max: at(1) };
}

function countActions(timeline: readonly TimelineEntry[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const entry of timeline) {
    if (!('decision' in entry)) continue;
    const name = entry.kind === 'delete-node-claim' ? `delete-node-claim (${entry.reason})` : entry.kind;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => compareText(a, b)));
}
