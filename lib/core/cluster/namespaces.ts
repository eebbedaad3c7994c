import {
  type LabelSelector,
  type Labels,
  type Namespace,
  type ObjectMeta,
  type PodAffinityTerm,
  selectorMatches,
} from '../../apis/kubernetes.ts';

/** The namespaces of an affinity term: those with these names, and those that the selector selects. */
export interface TermNamespaces {
  readonly names: readonly string[];
  readonly selector: LabelSelector | undefined;
}

/** B52: the namespace of the pod if the term has none; namespaceSelector adds the namespaces that it selects. */
export function termNamespaces({ namespaces = [], namespaceSelector }: PodAffinityTerm, owner: string): TermNamespaces {
  const isOwn = namespaceSelector === undefined && namespaces.length === 0;
  return { names: isOwn ? [owner] : namespaces, selector: namespaceSelector };
}

/** Whether these are the namespaces of a term. `labels` are those of `namespaceLabels`. */
export function includesNamespace({ names, selector }: TermNamespaces, name: string, labels: Labels): boolean {
  return names.includes(name) || selectorMatches(selector, labels);
}

/** The labels of a namespace. The API server sets the label with the name. */
export function namespaceLabels({ metadata }: Namespace): Labels {
  return { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
}

/** The namespaces as the API server stores them: the given ones, and one for each other namespace in use. */
export function filledNamespaces(
  given: readonly Namespace[],
  objects: readonly { readonly metadata: ObjectMeta }[],
): readonly Namespace[] {
  const known = new Set(given.map(({ metadata }) => metadata.name));
  const used = new Set(objects.map(({ metadata }) => metadata.namespace ?? 'default'));
  const missing: readonly Namespace[] = [...used.difference(known)].toSorted().map((name) => ({ metadata: { name } }));
  return [...given, ...missing].map((one) => ({ metadata: { ...one.metadata, labels: namespaceLabels(one) } }));
}
