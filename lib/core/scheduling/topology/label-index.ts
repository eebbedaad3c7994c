import type { LabelSelector, Labels } from '../../../apis/kubernetes.ts';

/** Things that select pods, found by the labels that they name. */
export interface LabelIndex<T> {
  add(one: T): void;
  /** Those that name no label: each of them may match. */
  readonly others: readonly T[];
  /** Those that name the label, as `key=value`, in the order in which they were added. */
  at(label: string): readonly T[];
}

/** Most selectors name a label and its values: those are found by them, the others always may match. */
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

/** A label that each match must carry, once for each value that it may have; undefined where none is named. */
export function namedLabels(selector: LabelSelector | undefined): readonly string[] | undefined {
  const [exact] = Object.entries(selector?.matchLabels ?? {});
  if (exact !== undefined) return [exact.join('=')];
  const listed = selector?.matchExpressions?.find(({ operator }) => operator === 'In');
  return listed === undefined ? undefined : [...new Set(listed.values)].map((value) => `${listed.key}=${value}`);
}
