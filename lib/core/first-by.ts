import { onceFor } from './kept-answers.ts';

/**
 * Finds the first element of a list by a key. The index of a list is built at its first question and is kept as long as the list,
 * so the list must not change. *Shape:* undefined for a key that no element has. *Cost:* O(n) for the first question about a list,
 * O(1) for each further one.
 */
export function firstBy<Element extends object>(
  keyOf: (element: Element) => string | undefined,
): (list: readonly Element[], key: string | undefined) => Element | undefined {
  const indexOf = onceFor((list: readonly Element[]) => indexed(list, keyOf));
  return (list, key) => (key === undefined ? undefined : indexOf(list).get(key));
}

function indexed<Element>(
  list: readonly Element[],
  keyOf: (element: Element) => string | undefined,
): ReadonlyMap<string, Element> {
  const index = new Map<string, Element>();
  for (const element of list) {
    const key = keyOf(element);
    if (key !== undefined && !index.has(key)) index.set(key, element);
  }
  return index;
}
