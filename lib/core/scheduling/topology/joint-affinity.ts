import type { LabelSelector, LabelSelectorRequirement } from '../../../apis/kubernetes.ts';
import type { Counted } from './counters.ts';

/** The pods that a term selects. */
type Selected = Pick<Counted, 'namespaces' | 'selector'>;

/**
 * B53: the pods that all required affinity terms of a pod select. The kube-scheduler counts only these, in the domains of each term.
 * *Shape:* `joined` has the terms if there are several different ones.
 */
export function jointAffinity(terms: readonly Selected[]): Selected & Pick<Counted, 'joined'> {
  const joined = [...new Map(terms.map((term) => [textOf(term), term])).values()];
  const expressions = joined.map(({ selector }) => expressionsOf(selector));
  const [first] = joined;
  if (first !== undefined && joined.length === 1) return first;
  return {
    namespaces: joined.map(({ namespaces }) => namespaces).reduce(intersection, undefined),
    selector: expressions.includes(undefined)
      ? undefined
      : { matchExpressions: expressions.flatMap((one) => one ?? []) },
    joined,
  };
}

function textOf({ namespaces, selector }: Selected): string {
  return JSON.stringify([namespaces === undefined ? '*' : [...namespaces].toSorted(), selector]);
}

/** Undefined: all namespaces. */
function intersection(one: Selected['namespaces'], other: Selected['namespaces']): Selected['namespaces'] {
  return one === undefined || other === undefined ? (one ?? other) : one.intersection(other);
}

/** *Shape:* undefined if the selector selects no pod. */
function expressionsOf(selector: LabelSelector | undefined): readonly LabelSelectorRequirement[] | undefined {
  return (
    selector && [
      ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
        key,
        operator: 'In' as const,
        values: [value],
      })),
      ...(selector.matchExpressions ?? []),
    ]
  );
}
