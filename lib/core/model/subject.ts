import { namespaceOf } from '../../apis/kubernetes.ts';

/** The object that a refusal is about. */
export type Subject = NamespacedSubject | ClusterScopedSubject;

export interface NamespacedSubject {
  readonly kind: 'CapacityBuffer' | 'Pod';
  readonly namespace: string;
  readonly name: string;
}

export interface ClusterScopedSubject {
  readonly kind: 'Cluster' | 'EC2NodeClass' | 'Instance' | 'Node' | 'NodeClaim' | 'NodeOverlay';
  readonly name: string;
}

/** `namespace/name`, or the name of an object without a namespace. */
export function nameWithNamespace({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The subject as text: `pod default/web-1`, `node ip-10-0-0-1`. *Shape:* different subjects have different texts. */
export function formatSubject(subject: Subject): string {
  return `${subject.kind.toLowerCase()} ${nameWithNamespace(subject)}`;
}

/** Whether two refusals are about the same object. */
export function isSameSubject(a: Subject, b: Subject): boolean {
  return formatSubject(a) === formatSubject(b);
}

type Named = Parameters<typeof namespaceOf>[0] & { readonly metadata: { readonly name: string } };

/** The subject for an object of a kind that has a namespace. */
export function namespacedSubject(kind: NamespacedSubject['kind'], object: Named): Subject {
  return { kind, namespace: namespaceOf(object), name: object.metadata.name };
}
