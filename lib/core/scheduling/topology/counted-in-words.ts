import type { LabelSelector } from '../../../apis/kubernetes.ts';
import type { Counted } from './counters.ts';

/** Formats the pods that a rule counts: `app=web in namespace shop`. */
export function countedInWords({ selector, namespaces, joined }: Omit<Counted, 'key' | 'kind' | 'text'>): string {
  if (joined !== undefined) return listFirstThree(joined.map(countedInWords), ', and also ');
  return `${selectorInWords(selector)}${namespacesInWords(namespaces)}`;
}

const MOST = 3;

/** The syntax of kubectl. No selector selects no pods; an empty selector selects all pods. */
function selectorInWords(selector: LabelSelector | undefined): string {
  if (selector === undefined) return 'no labelSelector (selects no pods)';
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) =>
    values.length === 0 ? `${key} ${operator}` : `${key} ${operator} [${listFirstThree(values, ', ')}]`,
  );
  const all = [...labels, ...expressions];
  return all.length === 0 ? 'any labels' : listFirstThree(all, ',');
}

function namespacesInWords(namespaces: Counted['namespaces']): string {
  if (namespaces === undefined) return ' in any namespace';
  if (namespaces.size === 0) return ' in no namespace';
  return ` in namespace${namespaces.size === 1 ? '' : 's'} ${listFirstThree([...namespaces].toSorted(), ', ')}`;
}

/** The first three entries of a list, and the number of the others. */
export function listFirstThree(all: readonly string[], separator: string): string {
  const rest = all.length - MOST;
  return rest <= 0 ? all.join(separator) : `${all.slice(0, MOST).join(separator)} and ${rest} more`;
}
