import { type Container, type Labels, namespaceOf, type Pod, type PodSpec, podKey } from '../../../apis/kubernetes.ts';
import { compareText } from '../../compare-text.ts';
import { podRequests } from '../../resources/pod-requests.ts';
import type { Resources } from '../../resources/resources.ts';
import type { SchedulingProblem } from '../schedule.ts';
import { type HostPort, hostPorts } from './host-ports.ts';
import { relevantLabelKeys } from './pod-affinity-terms.ts';
import { relax, withoutPreferences } from './relax.ts';

/**
 * Pods that are alike in everything that decides a place. What is found out for one of them holds for all, so the work of
 * a run grows with the classes, not with the pods.
 */
export interface PodClass {
  /** One of them, or what is left of it after preferences were given up. */
  readonly pod: Pod;
  /** The same with all its preferences and alternatives: what counts for others does not depend on what it gives up. */
  readonly original: Pod;
  readonly namespace: string;
  /** Labels that some selector of the run looks at. */
  readonly labels: Labels;
  readonly requests: Resources;
  readonly ports: readonly HostPort[];
  /** True for pods that run on a node that is not going: consolidation would move them (B33). */
  readonly moving: boolean;
}

export interface PodGroup {
  readonly podClass: PodClass;
  /** The oldest first, then by uid (B28). */
  readonly pods: readonly Pod[];
}

/** The classes of one run. */
export interface PodClasses {
  /** The pods to place by class, in the order in which they are placed. */
  readonly groups: readonly PodGroup[];
  /** The class with one preference fewer (B31); undefined where nothing is left to give up. */
  relaxed(podClass: PodClass): PodClass | undefined;
  /** The class of a pod that is placed already: its labels count, and whom it keeps away. */
  ofPlaced(pod: Pod): PodClass;
}

/** *Cost:* O(pods), one text a pod; the rest once a class. */
export function podClasses(problem: SchedulingProblem): PodClasses {
  const ignore = problem.options?.preferencePolicy === 'Ignore';
  const wanted = problem.pods.map((pod) => (ignore ? withoutPreferences(pod) : pod));
  const placed = problem.stateNodes.flatMap((stateNode) => stateNode.pods);
  const keys = relevantLabelKeys([...wanted, ...placed]);
  const goingNodes = new Set(problem.stateNodes.filter((one) => one.deleting).map((one) => one.name));
  const moves = (pod: Pod): boolean => pod.spec.nodeName !== undefined && !goingNodes.has(pod.spec.nodeName);
  const specs = new Map<string, Pick<PodClass, 'requests' | 'ports'>>();
  const register = (byText: Map<string, PodClass>, text: string, pod: Pod): PodClass => {
    const known = byText.get(text);
    if (known !== undefined) return known;
    const podClass = { ...describe(pod, keys), moving: moves(pod), ...sizeOf(pod, specs) };
    byText.set(text, podClass);
    return podClass;
  };
  const byText = new Map<string, PodClass>();
  const members = Map.groupBy(wanted, (pod) =>
    register(byText, `${presence(pod, keys)}${moves(pod) ? 'moving' : ''}${specText(pod)}`, pod),
  );
  const relaxedBy = new Map<PodClass, PodClass | undefined>();
  const byPresence = new Map<string, PodClass>();
  return {
    groups: [...members].map(([podClass, pods]) => ({ podClass, pods: pods.toSorted(byAge) })).toSorted(bySize),
    relaxed(podClass) {
      if (!relaxedBy.has(podClass)) {
        const pod = relax(podClass.pod);
        relaxedBy.set(podClass, pod === undefined ? undefined : { ...podClass, pod });
      }
      return relaxedBy.get(podClass);
    },
    ofPlaced: (pod) =>
      register(byPresence, presence(pod, keys) + JSON.stringify(pod.spec.affinity?.podAntiAffinity), pod),
  };
}

function describe(pod: Pod, keys: readonly string[]): Pick<PodClass, 'pod' | 'original' | 'namespace' | 'labels'> {
  const labels: Record<string, string> = {};
  for (const key of keys) {
    const value = pod.metadata.labels?.[key];
    if (value !== undefined) labels[key] = value;
  }
  return { pod, original: pod, namespace: namespaceOf(pod), labels };
}

/** Requests are read once for each way of writing them. */
function sizeOf(
  pod: Pod,
  specs: Map<string, Pick<PodClass, 'requests' | 'ports'>>,
): Pick<PodClass, 'requests' | 'ports'> {
  const text = sizeText(pod.spec);
  const known = specs.get(text) ?? { requests: podRequests(pod), ports: hostPorts(pod) };
  specs.set(text, known);
  return known;
}

/** What selectors see of a pod. */
function presence({ metadata }: Pod, keys: readonly string[]): string {
  let text = `${metadata.namespace ?? 'default'}\n`;
  if (metadata.labels !== undefined) for (const key of keys) text += `${metadata.labels[key] ?? '\r'}\n`;
  return text;
}

function specText({ metadata, spec }: Pod): string {
  const { nodeSelector, affinity, tolerations, topologySpreadConstraints, volumes } = spec;
  // B11: the claim of an ephemeral volume is named for its pod.
  const owner = volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true ? metadata.name : '';
  return (
    sizeText(spec) + owner + JSON.stringify([nodeSelector, affinity, tolerations, topologySpreadConstraints, volumes])
  );
}

function sizeText({ containers, initContainers, overhead, resources }: PodSpec): string {
  return JSON.stringify([containers.map(demand), initContainers?.map(demand), overhead, resources]);
}

function demand({ resources, ports, restartPolicy }: Container): readonly unknown[] {
  return [resources?.requests, resources?.limits, ports, restartPolicy];
}

function byAge(a: Pod, b: Pod): number {
  return (
    compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
    compareText(a.metadata.uid, b.metadata.uid) ||
    compareText(podKey(a), podKey(b))
  );
}

/** B28: the largest first: cpu, then memory, then the class with the oldest pod. Priority plays no part. */
function bySize(a: PodGroup, b: PodGroup): number {
  const [first, second] = [a.podClass.requests, b.podClass.requests];
  const [older, younger] = [a.pods[0], b.pods[0]];
  return (
    (second['cpu'] ?? 0) - (first['cpu'] ?? 0) ||
    (second['memory'] ?? 0) - (first['memory'] ?? 0) ||
    (older === undefined || younger === undefined ? 0 : byAge(older, younger))
  );
}
