import { type Pod, podKey } from '../../apis/kubernetes.ts';
import { HOSTNAME } from '../../apis/labels.ts';
import { compareText } from '../compare-text.ts';
import { podRequests } from '../resources/pod-requests.ts';
import type { Resources } from '../resources/resources.ts';

interface Weighed {
  readonly pod: Pod;
  readonly strictness: number;
  readonly requests: Resources;
}

/**
 * The pods whose place matters most first: pods with affinity to others, because the place of the first one decides about all of its group;
 * then those for which the fewest nodes have a place: pods that share no node with each other, pods that are spread over nodes, large pods. *Cost:* O(pods log pods).
 */
export function hardestToPlaceFirst(pods: readonly Pod[]): readonly Pod[] {
  const weighed = pods.map((pod) => ({ pod, strictness: strictnessOf(pod), requests: podRequests(pod) }));
  const largest = weighed.reduce((most, { requests }) => largerOf(most, requests), { cpu: 1, memory: 1 });
  return weighed.toSorted(strictestFirst(largest)).map(({ pod }) => pod);
}

function strictestFirst(largest: Largest): (a: Weighed, b: Weighed) => number {
  return (a, b) =>
    b.strictness - a.strictness ||
    shareOf(b.requests, largest) - shareOf(a.requests, largest) ||
    compareText(podKey(a.pod), podKey(b.pod));
}

/** 3 for required affinity, 2 for required anti-affinity between pods of one node, 1 for a required spread over nodes, otherwise 0. */
function strictnessOf({ spec }: Pod): number {
  if ((spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0) return 3;
  const apart = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  if (apart.some(({ topologyKey }) => topologyKey === HOSTNAME)) return 2;
  const spread = spec.topologySpreadConstraints ?? [];
  return spread.some((one) => one.topologyKey === HOSTNAME && one.whenUnsatisfiable === 'DoNotSchedule') ? 1 : 0;
}

interface Largest {
  readonly cpu: number;
  readonly memory: number;
}

function largerOf(most: Largest, { cpu = 0, memory = 0 }: Resources): Largest {
  return { cpu: Math.max(most.cpu, cpu), memory: Math.max(most.memory, memory) };
}

/** The larger of the shares of cpu and memory. */
function shareOf({ cpu = 0, memory = 0 }: Resources, largest: Largest): number {
  return Math.max(cpu / largest.cpu, memory / largest.memory);
}
