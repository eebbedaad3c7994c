import type { ManagedFields, Node, Pod } from '../../apis/kubernetes.ts';
import type { PodTarget } from '../model/decision.ts';

/**
 * The node that the kube-scheduler tries first for a pod, and on which it counts the pod's requests meanwhile
 * (`status.nominatedNodeName`). The kube-scheduler sets it for a pod that preempts others, and Kerf for a pod that is planned for a
 * node (B66). `managedFields` shows who wrote it: it is part of the object that is read anyway, changes together with the nomination,
 * also if the kube-scheduler overwrites it, and does not depend on what a run that failed has recorded.
 */

/** A change of the node that is nominated for a pod. It is written only if the pod still has the nomination `before`. */
export interface PodNomination {
  readonly pod: PodTarget;
  /** Kerf's nomination now. @default none */
  readonly before?: string;
  /** @default the nomination is removed */
  readonly node?: string;
}

/** The field manager of Kerf's nominations. */
export const NOMINATION_MANAGER = 'kerf';

/** Whether an entry shows that Kerf's nomination is in place: Kerf writes nothing else in the status of a pod. */
export function isNominationOfKerf({ manager, subresource }: ManagedFields): boolean {
  return manager === NOMINATION_MANAGER && subresource === 'status';
}

/** The node that Kerf has nominated for the pod; undefined if there is none, or if another component has nominated one. */
export function ownNomination(pod: Pod): string | undefined {
  const node = nominatedNode(pod);
  return node !== undefined && pod.metadata.managedFields?.some(isNominationOfKerf) === true ? node : undefined;
}

/** Whether the kube-scheduler or another component has nominated a node: the pod waits for pods that it preempts. */
export function hasForeignNomination(pod: Pod): boolean {
  return foreignNomination(pod) !== undefined;
}

/** The node that the kube-scheduler or another component has nominated for the pod, and on which its room is reserved. */
export function foreignNomination(pod: Pod): string | undefined {
  return ownNomination(pod) === undefined ? nominatedNode(pod) : undefined;
}

/**
 * The pods without the nominations of other components for nodes that are gone. No pods end there, and the kube-scheduler may keep such a
 * nomination for ever. *Shape:* the same list if there are none. *Cost:* O(pods). @param nodes the names of those that exist
 */
export function withoutLostNominations(pods: readonly Pod[], nodes: ReadonlySet<string>): readonly Pod[] {
  const isLost = (pod: Pod): boolean => {
    const node = foreignNomination(pod);
    return node !== undefined && !nodes.has(node);
  };
  return pods.some(isLost) ? pods.map((pod) => (isLost(pod) ? withoutNomination(pod) : pod)) : pods;
}

export function namesOf(nodes: readonly Node[]): ReadonlySet<string> {
  return new Set(nodes.map(({ metadata }) => metadata.name));
}

function withoutNomination(pod: Pod): Pod {
  const { nominatedNodeName: _, ...status } = pod.status ?? {};
  return { ...pod, status };
}

function nominatedNode({ status }: Pod): string | undefined {
  const node = status?.nominatedNodeName ?? '';
  return node === '' ? undefined : node;
}
