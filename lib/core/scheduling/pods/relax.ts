import type {
  Affinity,
  NodeSelectorTerm,
  Pod,
  PodAffinity,
  PodSpec,
  TopologySpreadConstraint,
} from '../../../apis/kubernetes.ts';
import { matchingTerms } from './pod-requirements.ts';

/**
 * The pod with one preference fewer, or undefined if no preference remains.
 * *Source:* B31, in this order: a required OR term while more than one remains; the preferred pod affinity, pod anti-affinity
 * and node affinity with the highest weight; one ScheduleAnyway constraint; then tolerance of PreferNoSchedule taints.
 */
export function relax(pod: Pod): Pod | undefined {
  for (const step of STEPS) {
    const spec = step(pod.spec);
    if (spec !== undefined) return { ...pod, spec };
  }
  return undefined;
}

/**
 * B31: the last forms of a pod with several required OR terms: one for each term but the last, without preferences. `relax` drops these terms
 * before the preferences.
 */
export function otherRequiredTerms(original: Pod, pod: Pod): readonly Pod[] {
  const others = matchingTerms(original.spec).slice(0, -1);
  return others.map((term) => ({ ...pod, spec: requiring(pod.spec, [term]) }));
}

/** B32: the pod without preferences. Its required OR terms stay. */
export function withoutPreferences(pod: Pod): Pod {
  const { affinity, topologySpreadConstraints } = pod.spec;
  if (affinity === undefined && topologySpreadConstraints === undefined) return pod;
  const strict: PodSpec = {
    ...pod.spec,
    ...(affinity === undefined ? {} : { affinity: mapAffinity(affinity, () => []) }),
    topologySpreadConstraints: (topologySpreadConstraints ?? []).filter((constraint) => !isSoft(constraint)),
  };
  return { ...pod, spec: strict };
}

/**
 * A pod may have thousands of preferences: Kubernetes limits only the size of an object. They are dropped one after the other, so the time and
 * the memory of a run would grow with their square, and one pod could end the runs of its cluster.
 */
const MAX_PREFERENCES = 50;
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** The pod with at most 50 preferences of each kind, those of the highest weights. The kube-scheduler still applies the others. */
export function withFewPreferences(pod: Pod): Pod {
  const { affinity, topologySpreadConstraints = [] } = pod.spec;
  const soft = topologySpreadConstraints.filter(isSoft);
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  const lists = [nodeAffinity, podAffinity, podAntiAffinity].map((one) => one?.[PREFERRED] ?? []);
  if (soft.length <= MAX_PREFERENCES && lists.every(({ length }) => length <= MAX_PREFERENCES)) return pod;
  const left = new Set(soft.slice(MAX_PREFERENCES));
  const spec: PodSpec = {
    ...pod.spec,
    ...(affinity === undefined ? {} : { affinity: mapAffinity(affinity, theHeaviest) }),
    topologySpreadConstraints: topologySpreadConstraints.filter((constraint) => !left.has(constraint)),
  };
  return { ...pod, spec };
}

function isSoft({ whenUnsatisfiable }: TopologySpreadConstraint): boolean {
  return whenUnsatisfiable === 'ScheduleAnyway';
}

/** In the order of the list. */
function theHeaviest<T extends { readonly weight: number }>(list: readonly T[]): readonly T[] {
  const kept = new Set(list.toSorted((a, b) => b.weight - a.weight).slice(0, MAX_PREFERENCES));
  return list.filter((one) => kept.has(one));
}

/** Whether the pod has preferences that `withoutPreferences` drops. */
export function hasPreferences({ spec: { affinity, topologySpreadConstraints = [] } }: Pod): boolean {
  const kinds = [affinity?.nodeAffinity, affinity?.podAffinity, affinity?.podAntiAffinity];
  return (
    topologySpreadConstraints.some(isSoft) ||
    kinds.some((one) => (one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).length > 0)
  );
}

type Keep = <T extends { readonly weight: number }>(list: readonly T[]) => readonly T[];

function mapAffinity({ nodeAffinity, podAffinity, podAntiAffinity }: Affinity, keep: Keep): Affinity {
  return {
    ...(nodeAffinity && { nodeAffinity: { ...nodeAffinity, [PREFERRED]: keep(nodeAffinity[PREFERRED] ?? []) } }),
    ...(podAffinity && { podAffinity: { ...podAffinity, [PREFERRED]: keep(podAffinity[PREFERRED] ?? []) } }),
    ...(podAntiAffinity && {
      podAntiAffinity: { ...podAntiAffinity, [PREFERRED]: keep(podAntiAffinity[PREFERRED] ?? []) },
    }),
  };
}

type Step = (spec: PodSpec) => PodSpec | undefined;

const STEPS: readonly Step[] = [
  dropRequiredTerm,
  (spec) => dropPreferredPods(spec, 'podAffinity'),
  (spec) => dropPreferredPods(spec, 'podAntiAffinity'),
  dropPreferredNodes,
  dropScheduleAnyway,
  tolerateSoftTaints,
];

function dropRequiredTerm(spec: PodSpec): PodSpec | undefined {
  const terms = matchingTerms(spec);
  return terms.length <= 1 ? undefined : requiring(spec, terms.slice(1));
}

function requiring(spec: PodSpec, nodeSelectorTerms: readonly NodeSelectorTerm[]): PodSpec {
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return withAffinity(spec, { nodeAffinity: { ...spec.affinity?.nodeAffinity, ...required } });
}

function dropPreferredPods(spec: PodSpec, kind: 'podAffinity' | 'podAntiAffinity'): PodSpec | undefined {
  const affinity: PodAffinity = spec.affinity?.[kind] ?? {};
  const rest = withoutHeaviest(affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []);
  if (rest === undefined) return undefined;
  return withAffinity(spec, { [kind]: { ...affinity, preferredDuringSchedulingIgnoredDuringExecution: rest } });
}

function dropPreferredNodes(spec: PodSpec): PodSpec | undefined {
  const nodeAffinity = spec.affinity?.nodeAffinity;
  const rest = withoutHeaviest(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []);
  if (rest === undefined) return undefined;
  return withAffinity(spec, {
    nodeAffinity: { ...nodeAffinity, preferredDuringSchedulingIgnoredDuringExecution: rest },
  });
}

function dropScheduleAnyway(spec: PodSpec): PodSpec | undefined {
  const constraints = spec.topologySpreadConstraints ?? [];
  const soft = constraints.findIndex(isSoft);
  return soft === -1 ? undefined : { ...spec, topologySpreadConstraints: constraints.toSpliced(soft, 1) };
}

function tolerateSoftTaints(spec: PodSpec): PodSpec | undefined {
  const tolerations = spec.tolerations ?? [];
  const tolerated = tolerations.some((one) => one.key === undefined && one.effect === 'PreferNoSchedule');
  return tolerated
    ? undefined
    : { ...spec, tolerations: [...tolerations, { operator: 'Exists', effect: 'PreferNoSchedule' }] };
}

function withAffinity(spec: PodSpec, change: Affinity): PodSpec {
  return { ...spec, affinity: { ...spec.affinity, ...change } };
}

/** The list without the entry of the highest weight; ties by position. Undefined if the list is empty. */
function withoutHeaviest<T extends { readonly weight: number }>(list: readonly T[]): readonly T[] | undefined {
  if (list.length === 0) return undefined;
  const heaviest = list.reduce((best, one, index) => (one.weight > (list[best]?.weight ?? 0) ? index : best), 0);
  return list.toSpliced(heaviest, 1);
}
