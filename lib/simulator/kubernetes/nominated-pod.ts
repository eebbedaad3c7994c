import type { Pod } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';

/** The pod with another nominated node, and the manager of the field as `managedFields` has it. A write without a change keeps the manager. */
export function withNomination(pod: Pod, nominatedNodeName: string | undefined, manager: string): Pod {
  if (pod.status?.nominatedNodeName === nominatedNodeName) return pod;
  const { nominatedNodeName: _, ...status } = pod.status ?? {};
  const { managedFields: _before, ...metadata } = pod.metadata;
  const managedFields = nominatedNodeName === undefined ? undefined : [{ manager, subresource: 'status' }];
  return {
    ...pod,
    metadata: { ...metadata, ...optional({ managedFields }) },
    status: { ...status, ...optional({ nominatedNodeName }) },
  };
}
