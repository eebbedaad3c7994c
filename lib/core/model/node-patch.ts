import type { Labels, Node, OwnerReference, Taint } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';

/** The node to change, as it was when it was read: a change in between makes the write a conflict. */
export interface NodeTarget {
  readonly name: string;
  readonly resourceVersion?: string;
}

/** Changes to a node. Labels and annotations merge, a label of null goes; the lists are replaced as a whole. */
export interface NodePatch {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Labels;
  readonly taints?: readonly Taint[];
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

export function nodeTarget({ metadata }: Node): NodeTarget {
  const { name, resourceVersion } = metadata;
  return { name, ...optional({ resourceVersion }) };
}
