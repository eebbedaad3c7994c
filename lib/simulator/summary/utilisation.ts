import { conditionStatus, type Node, type Pod } from '../../apis/kubernetes.ts';
import { isOwnedByDaemonSet, isTerminal } from '../../core/cluster/pods.ts';
import { compareText } from '../../core/compare-text.ts';
import { podRequests } from '../../core/resources/pod-requests.ts';
import { parseResources, type Resources } from '../../core/resources/resources.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StateWatcher } from '../kubernetes/pod-index.ts';

/**
 * The share of the allocatable amount of a resource that pods on nodes requested, over the whole time. A node counts from its
 * registration until it is deleted. *Units:* shares from 0 to 1.
 */
export interface ResourceUtilisation {
  readonly resource: string;
  /** Pods of DaemonSets do not count. */
  readonly workloadsShare: number;
  readonly daemonSetsShare: number;
}

/** The number of pods now, those of DaemonSets included. */
export interface PodCounts {
  readonly podsRunning: number;
  readonly podsPending: number;
  readonly daemonSetPodsRunning: number;
  /** Those of the running pods whose kubelet does not report, without those of DaemonSets. */
  readonly podsUnreachable: number;
}

/** Adds up requests and allocatable amounts with each change of a pod or a node. */
export interface UtilisationMeter extends Required<StateWatcher> {
  pods(): PodCounts;
  /** cpu, memory, then devices by name; only resources that nodes had. */
  report(): readonly ResourceUtilisation[];
}

type Side = 'allocatable' | 'workloads' | 'daemonSets';

/** An amount that changes, and its sum over time. */
interface Integral {
  now: number;
  sinceMs: number;
  sum: number;
}

export function utilisationMeter(clock: Clock): UtilisationMeter {
  const amounts = new Map<string, Record<Side, Integral>>();
  const counts = { podsRunning: 0, podsPending: 0, daemonSetPodsRunning: 0, podsUnreachable: 0 };
  const change = (side: Side, resources: Resources, sign: 1 | -1): void => {
    for (const [resource, amount] of Object.entries(resources)) {
      if (!isShown(resource)) continue;
      const known = amounts.get(resource) ?? {
        allocatable: integral(clock),
        workloads: integral(clock),
        daemonSets: integral(clock),
      };
      amounts.set(resource, known);
      advance(known[side], clock.now());
      known[side].now += sign * amount;
    }
  };
  const countPhase = (pod: Pod | undefined, sign: 1 | -1): void => {
    if (pod?.status?.phase === 'Pending') counts.podsPending += sign;
    if (pod?.status?.phase !== 'Running') return;
    counts.podsRunning += sign;
    if (isOwnedByDaemonSet(pod)) counts.daemonSetPodsRunning += sign;
    else if (conditionStatus(pod, 'Ready') === 'False') counts.podsUnreachable += sign;
  };
  const countRequests = (pod: Pod | undefined, sign: 1 | -1): void => {
    if (pod?.spec.nodeName === undefined || isTerminal(pod)) return;
    change(isOwnedByDaemonSet(pod) ? 'daemonSets' : 'workloads', podRequests(pod), sign);
  };
  return {
    pod(before, after) {
      countPhase(before, -1);
      countPhase(after, 1);
      // Most writes change only the status.
      if (before?.spec === after?.spec && !(after !== undefined && isTerminal(after))) return;
      countRequests(before, -1);
      countRequests(after, 1);
    },
    node(before, after) {
      if (before?.status?.allocatable === after?.status?.allocatable) return;
      change('allocatable', allocatableOf(before), -1);
      change('allocatable', allocatableOf(after), 1);
    },
    pods: () => ({ ...counts }),
    report: () =>
      [...amounts]
        .toSorted(([a], [b]) => Number(a.includes('/')) - Number(b.includes('/')) || compareText(a, b))
        .flatMap(([resource, sides]) => {
          for (const side of Object.values(sides)) advance(side, clock.now());
          const { allocatable, workloads, daemonSets } = sides;
          const share = (one: Integral): number => Math.round((one.sum / allocatable.sum) * 1e4) / 1e4;
          if (allocatable.sum === 0) return [];
          return [{ resource, workloadsShare: share(workloads), daemonSetsShare: share(daemonSets) }];
        }),
  };
}

/** cpu, memory and devices. Network resources are left out, because nearly every type has them. */
function isShown(resource: string): boolean {
  const isDevice = resource.includes('/') && !resource.startsWith('vpc.amazonaws.com/');
  return resource === 'cpu' || resource === 'memory' || isDevice;
}

function allocatableOf(node: Node | undefined): Resources {
  return parseResources(node?.status?.allocatable);
}

function integral(clock: Clock): Integral {
  return { now: 0, sinceMs: clock.now(), sum: 0 };
}

function advance(one: Integral, nowMs: number): void {
  one.sum += one.now * (nowMs - one.sinceMs);
  one.sinceMs = nowMs;
}
