import type { Affinity, LabelSelectorRequirement, Labels, Pod, PodAffinityTerm } from '../../apis/kubernetes.ts';
import { fieldOf } from '../../apis/record.ts';

/**
 * The pod as the API server stores it: the pod's own values of `matchLabelKeys` (`In`) and `mismatchLabelKeys` (`NotIn`) are in the
 * selectors of its affinity and anti-affinity terms. Keys that the pod lacks, and terms without a selector, add nothing. The keys of spread
 * constraints are not merged: the kube-scheduler reads these (B50). *Cost:* O(terms).
 */
export function withLabelKeys(pod: Pod): Pod {
  const { affinity } = pod.spec;
  const { labels = {} } = pod.metadata;
  if (affinity?.podAffinity === undefined && affinity?.podAntiAffinity === undefined) return pod;
  const { podAffinity, podAntiAffinity } = affinity;
  const merged: Affinity = {
    ...affinity,
    ...(podAffinity && { podAffinity: merge(podAffinity, labels) }),
    ...(podAntiAffinity && { podAntiAffinity: merge(podAntiAffinity, labels) }),
  };
  return { ...pod, spec: { ...pod.spec, affinity: merged } };
}

type PodAffinity = NonNullable<Affinity['podAffinity']>;

function merge(affinity: PodAffinity, labels: Labels): PodAffinity {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
  } = affinity;
  return {
    ...(required && {
      requiredDuringSchedulingIgnoredDuringExecution: required.map((term) => mergeTerm(term, labels)),
    }),
    ...(preferred && {
      preferredDuringSchedulingIgnoredDuringExecution: preferred.map(({ weight, podAffinityTerm }) => ({
        weight,
        podAffinityTerm: mergeTerm(podAffinityTerm, labels),
      })),
    }),
  };
}

function mergeTerm(term: PodAffinityTerm, labels: Labels): PodAffinityTerm {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const own = [...ownValues(labels, matchLabelKeys, 'In'), ...ownValues(labels, mismatchLabelKeys, 'NotIn')];
  if (labelSelector === undefined || own.length === 0) return term;
  const matchExpressions = [...(labelSelector.matchExpressions ?? []), ...own];
  return { ...term, labelSelector: { ...labelSelector, matchExpressions } };
}

/** A requirement for each key, with the value of these labels. Keys that they lack add nothing. */
export function ownValues(
  labels: Labels,
  keys: readonly string[],
  operator: 'In' | 'NotIn',
): readonly LabelSelectorRequirement[] {
  return keys.flatMap((key) => {
    const value = fieldOf(labels, key);
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
}
