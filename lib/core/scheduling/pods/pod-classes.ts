import { type Container, type Labels, namespaceOf, type Pod, type PodSpec, podKey } from '../../../apis/kubernetes.ts';
import { fieldOf } from '../../../apis/record.ts';
import { isBufferPod } from '../../cluster/buffer-pod.ts';
import { compareText } from '../../compare-text.ts';
import { podRequests } from '../../resources/pod-requests.ts';
import type { Resources } from '../../resources/resources.ts';
import { memoize } from '../memoize.ts';
import type { SchedulingProblem } from '../schedule.ts';
import type { VolumeLimits } from '../volumes/volume-limits.ts';
import { type HostPort, hostPorts } from './host-ports.ts';
import { relevantLabelKeys } from './pod-affinity-terms.ts';
import { hasPreferences, otherRequiredTerms, relax, withFewPreferences, withoutPreferences } from './relax.ts';

/**
 * Pods that are equal in everything that affects placement. A result for one of them applies to all, so the work of a run
 * grows with the number of classes, not of pods.
 */
export interface PodClass {
  /** One pod of the class, or its relaxed form. */
  readonly pod: Pod;
  /** The same pod with all its preferences and alternatives. Relaxing does not change how other pods count it. */
  readonly original: Pod;
  readonly namespace: string;
  /** The labels that a selector of the run uses. */
  readonly labels: Labels;
  /** With the number of its volumes (B44). */
  readonly requests: Resources;
  readonly ports: readonly HostPort[];
  /** True for pods on a node that is not being deleted: consolidation would move them (B33). */
  readonly moving: boolean;
  /** True for virtual pods of CapacityBuffers (B65). */
  readonly virtual: boolean;
}

export interface PodGroup {
  readonly podClass: PodClass;
  /** The oldest first, then by uid (B28). */
  readonly pods: readonly Pod[];
}

/** The classes of a cluster's pods. */
export interface PodClasses {
  /** The pod as it is placed: with few of its preferences, or without them if preferencePolicy is Ignore (B32). */
  asPlaced(pod: Pod): Pod;
  /** The class of a pod to place, as `asPlaced` returns it. `moving`: it runs on a node that is not being deleted. */
  classOf(pod: Pod, moving: boolean): PodClass;
  /** The class with one preference fewer, or at last with another required term (B31); undefined if none remains. */
  relaxed(podClass: PodClass): PodClass | undefined;
  /** The class without preferences, and with all its required terms; undefined if it has no preferences. */
  strict(podClass: PodClass): PodClass | undefined;
  /** The class of a placed pod. Only its labels and its required anti-affinity matter. */
  ofPlaced(pod: Pod): PodClass;
}

export interface ClassesContext {
  /** B44. */
  readonly volumes: VolumeLimits;
  /** Whether the class of each pod is cached, for an index that serves many questions. */
  readonly caches: boolean;
}

export function podClasses(problem: SchedulingProblem, { volumes, caches }: ClassesContext): PodClasses {
  const ignore = problem.options?.preferencePolicy === 'Ignore';
  const asPlaced = memoize(ignore ? withoutPreferences : withFewPreferences);
  const placed = problem.stateNodes.flatMap((stateNode) => stateNode.pods);
  const keys = relevantLabelKeys([...problem.pods.map(asPlaced), ...placed]);
  const specs = new Map<string, Pick<PodClass, 'requests' | 'ports'>>();
  const register = (byText: Map<string, PodClass>, text: string, of: Pick<PodClass, 'pod' | 'moving'>): PodClass => {
    const { pod, moving } = of;
    const size = sizeOf(pod, specs);
    const counts = volumes.countsOf(pod, moving);
    const requests = counts === undefined ? size.requests : { ...size.requests, ...counts };
    const podClass = { ...describe(pod, keys), moving, virtual: isBufferPod(pod), ...size, requests };
    byText.set(text, podClass);
    return podClass;
  };
  const byText = new Map<string, PodClass>();
  const byPresence = new Map<string, PodClass>();
  const relaxedBy = new Map<PodClass, PodClass | undefined>();
  const strict = memoize((podClass: PodClass): PodClass | undefined =>
    hasPreferences(podClass.pod) ? { ...podClass, pod: withoutPreferences(podClass.pod) } : undefined,
  );
  const classOf = (pod: Pod, moving: boolean): PodClass => {
    const kind = moving ? 'moving' : isBufferPod(pod) ? 'virtual' : '';
    const text = `${presence(pod, keys)}${kind}${specText(pod)}`;
    return byText.get(text) ?? register(byText, text, { pod, moving });
  };
  const ofPlaced = (pod: Pod): PodClass => {
    const text = presence(pod, keys) + JSON.stringify(pod.spec.affinity?.podAntiAffinity);
    return byPresence.get(text) ?? register(byPresence, text, { pod, moving: false });
  };
  return {
    asPlaced,
    classOf: caches ? cached(classOf) : classOf,
    relaxed(podClass) {
      if (!relaxedBy.has(podClass)) {
        const pod = relax(podClass.pod);
        let last = podClass;
        for (const next of pod === undefined ? otherRequiredTerms(podClass.original, podClass.pod) : [pod]) {
          const following = { ...podClass, pod: next };
          relaxedBy.set(last, following);
          last = following;
        }
        if (pod === undefined) relaxedBy.set(last, undefined);
      }
      return relaxedBy.get(podClass);
    },
    strict,
    ofPlaced: caches ? memoize(ofPlaced) : ofPlaced,
  };
}

function cached(classOf: PodClasses['classOf']): PodClasses['classOf'] {
  const ofMoving = memoize((pod: Pod) => classOf(pod, true));
  const ofOther = memoize((pod: Pod) => classOf(pod, false));
  return (pod, moving) => (moving ? ofMoving(pod) : ofOther(pod));
}

/**
 * The pods to place by class, in the order in which they are placed. `isDeleting`: whether the node is being deleted.
 * *Cost:* O(pods) to build one key for each pod; everything else is computed once for each class.
 */
export function podGroups(
  classes: PodClasses,
  pods: readonly Pod[],
  isDeleting: (node: string) => boolean,
): readonly PodGroup[] {
  const moves = ({ spec }: Pod): boolean => spec.nodeName !== undefined && !isDeleting(spec.nodeName);
  const members = Map.groupBy(
    pods.map((pod) => classes.asPlaced(pod)),
    (pod) => classes.classOf(pod, moves(pod)),
  );
  return [...members].map(([podClass, those]) => ({ podClass, pods: those.toSorted(byAge) })).toSorted(bySize);
}

function describe(pod: Pod, keys: readonly string[]): Pick<PodClass, 'pod' | 'original' | 'namespace' | 'labels'> {
  const labels: Record<string, string> = {};
  for (const key of keys) {
    const value = fieldOf(pod.metadata.labels ?? {}, key);
    if (value !== undefined) labels[key] = value;
  }
  return { pod, original: pod, namespace: namespaceOf(pod), labels };
}

/** Requests are parsed once for each distinct text. */
function sizeOf(
  pod: Pod,
  specs: Map<string, Pick<PodClass, 'requests' | 'ports'>>,
): Pick<PodClass, 'requests' | 'ports'> {
  const text = sizeText(pod.spec);
  const known = specs.get(text) ?? { requests: podRequests(pod), ports: hostPorts(pod) };
  specs.set(text, known);
  return known;
}

/** The fields of a pod that selectors use. */
function presence({ metadata }: Pod, keys: readonly string[]): string {
  let text = `${metadata.namespace ?? 'default'}\n`;
  if (metadata.labels !== undefined) for (const key of keys) text += `${fieldOf(metadata.labels, key) ?? '\r'}\n`;
  return text;
}

function specText({ metadata, spec }: Pod): string {
  const { nodeSelector, affinity, tolerations, topologySpreadConstraints, volumes } = spec;
  // B11: the name of an ephemeral volume's claim contains the name of the pod.
  const owner = volumes?.some(({ ephemeral }) => ephemeral !== undefined) === true ? metadata.name : '';
  return (
    sizeText(spec) + owner + JSON.stringify([nodeSelector, affinity, tolerations, topologySpreadConstraints, volumes])
  );
}

function sizeText({ containers, initContainers, overhead, resources, hostNetwork }: PodSpec): string {
  return JSON.stringify([containers.map(demand), initContainers?.map(demand), overhead, resources, hostNetwork]);
}

function demand({ resources, ports, restartPolicy }: Container): readonly unknown[] {
  return [resources?.requests, resources?.limits, ports, restartPolicy];
}

/** The oldest first; ties by uid, then by name. */
export function byAge(a: Pod, b: Pod): number {
  return (
    compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
    compareText(a.metadata.uid, b.metadata.uid) ||
    compareText(podKey(a), podKey(b))
  );
}

/** B28: the largest first: by cpu, then memory, then the oldest pod. Priority is not used. */
function bySize(a: PodGroup, b: PodGroup): number {
  const [first, second] = [a.podClass.requests, b.podClass.requests];
  const [older, younger] = [a.pods[0], b.pods[0]];
  return (
    (second['cpu'] ?? 0) - (first['cpu'] ?? 0) ||
    (second['memory'] ?? 0) - (first['memory'] ?? 0) ||
    (older === undefined || younger === undefined ? 0 : byAge(older, younger))
  );
}
