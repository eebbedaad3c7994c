import type { LabelSelector, Labels } from '../../../apis/kubernetes.ts';

/** Entries with a label selector, indexed by a label that the selector requires. */
export interface LabelIndex<T> {
  add(one: T): void;
  /** Entries whose selector does not require a label value. Each of them may match. */
  readonly others: readonly T[];
  /** Entries that require the label `key=value`, in the order in which they were added. */
  at(label: string): readonly T[];
}

/** Most selectors require a label with listed values. These are indexed by label and value. */
export function labelIndex<T>(selectorOf: (one: T) => LabelSelector | undefined): LabelIndex<T> {
  const byLabel = new Map<string, T[]>();
  const others: T[] = [];
  return {
    others,
    add(one) {
      const named = namedLabels(selectorOf(one));
      if (named === undefined) others.push(one);
      for (const label of named ?? []) {
        const those = byLabel.get(label) ?? [];
        those.push(one);
        byLabel.set(label, those);
      }
    },
    at: (label) => byLabel.get(label) ?? [],
  };
}

/** `key=value` for each label. */
export function labelTexts(labels: Labels): readonly string[] {
  return Object.entries(labels).map((label) => label.join('='));
}

/** A label that each match must have, one text for each allowed value; undefined if the selector requires no label value. */
export function namedLabels(selector: LabelSelector | undefined): readonly string[] | undefined {
  const [exact] = Object.entries(selector?.matchLabels ?? {});
  if (exact !== undefined) return [exact.join('=')];
  const listed = selector?.matchExpressions?.find(({ operator }) => operator === 'In');
  return listed === undefined ? undefined : [...new Set(listed.values)].map((value) => `${listed.key}=${value}`);
}
