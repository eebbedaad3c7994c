import type { Affinity, Pod, PodAffinity, PodSpec } from '../../../apis/kubernetes.ts';
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

/** B32: the pod without preferences. Its required OR terms stay. */
export function withoutPreferences(pod: Pod): Pod {
  const { affinity, topologySpreadConstraints } = pod.spec;
  if (affinity === undefined && topologySpreadConstraints === undefined) return pod;
  const strict: PodSpec = {
    ...pod.spec,
    ...(affinity === undefined ? {} : { affinity: mapAffinity(affinity) }),
    topologySpreadConstraints: (topologySpreadConstraints ?? []).filter(
      (constraint) => constraint.whenUnsatisfiable !== 'ScheduleAnyway',
    ),
  };
  return { ...pod, spec: strict };
}

/** Whether the pod has preferences that `withoutPreferences` drops. */
export function hasPreferences({ spec: { affinity, topologySpreadConstraints = [] } }: Pod): boolean {
  const kinds = [affinity?.nodeAffinity, affinity?.podAffinity, affinity?.podAntiAffinity];
  return (
    topologySpreadConstraints.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway') ||
    kinds.some((one) => (one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).length > 0)
  );
}

function mapAffinity(affinity: Affinity): Affinity {
  return Object.fromEntries(
    Object.entries(affinity).map(([kind, one]) => [
      kind,
      { ...one, preferredDuringSchedulingIgnoredDuringExecution: [] },
    ]),
  );
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
  const nodeAffinity = spec.affinity?.nodeAffinity;
  const terms = matchingTerms(spec);
  if (terms.length <= 1) return undefined;
  const required = { nodeSelectorTerms: terms.slice(1) };
  return withAffinity(spec, {
    nodeAffinity: { ...nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
  });
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
  const soft = constraints.findIndex((constraint) => constraint.whenUnsatisfiable === 'ScheduleAnyway');
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
