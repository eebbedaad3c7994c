import type { RawExpression, RawLabels, RawNodeSelectorTerm, RawPodSpec, RawSelector } from './raw-documents.ts';
import { allowedBy, exactly, isWithin, type ValueSet } from './value-set.ts';

/** The known values of a node's label: one value, or all possible values. */
export type LabelView = (key: string) => ValueSet;

/** A selector of pods or namespaces. An absent selector selects nothing; an empty one selects everything. */
export function selects(selector: RawSelector | undefined, labels: RawLabels): boolean {
  return selector !== undefined && expressionsOf(selector).every((one) => holds(one, (key) => exactly(labels[key])));
}

export function expressionsOf(selector: RawSelector): readonly RawExpression[] {
  const equals = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => equal(key, value));
  return [...equals, ...(selector.matchExpressions ?? [])];
}

/** Whether the pod's nodeSelector and required node affinity hold for all possible values of the labels. */
export function nodeAffinityHolds(spec: RawPodSpec, labels: LabelView, nodeName?: string): boolean {
  const selector = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => holds(equal(key, value), labels));
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return selector && (required === undefined || someTermHolds(required.nodeSelectorTerms, labels, nodeName));
}

/** Terms are alternatives; an empty term matches nothing. */
export function someTermHolds(terms: readonly RawNodeSelectorTerm[], labels: LabelView, nodeName?: string): boolean {
  return terms.some(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchExpressions.length + matchFields.length > 0 &&
      matchExpressions.every((one) => holds(one, labels)) &&
      matchFields.every((one) => isWithin(exactly(nodeName), allowedBy(one))),
  );
}

/** Whether the pod has a nodeSelector or a required node affinity. */
export function hasNodeSelection(spec: RawPodSpec): boolean {
  return (
    Object.keys(spec.nodeSelector ?? {}).length > 0 ||
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined
  );
}

function holds(expression: RawExpression, labels: LabelView): boolean {
  return isWithin(labels(expression.key), allowedBy(expression));
}

function equal(key: string, value: string): RawExpression {
  return { key, operator: 'In', values: [value] };
}
