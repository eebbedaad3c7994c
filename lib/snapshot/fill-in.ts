import type { Condition, Node, ObjectMeta, Pod } from '../apis/kubernetes.ts';
import { HOSTNAME } from '../apis/labels.ts';
import { fingerprint } from '../core/identity.ts';

/** Adds the values that a snapshot may omit because the API server would set them. */

/** The object with the namespace `default` if it has none. */
export function withDefaultNamespace<T extends { readonly metadata: ObjectMeta }>(object: T): T {
  const { metadata } = object;
  return (metadata.namespace ?? '') === '' ? { ...object, metadata: { ...metadata, namespace: 'default' } } : object;
}

/** A pod without a node is unschedulable; a pod with a node is running. */
export function filledPod(pod: Pod): Pod {
  const { metadata, spec, status = {} } = pod;
  const { nodeName = '', ...unbound } = spec;
  const namespace = metadata.namespace ?? '';
  const phase = status.phase ?? (nodeName === '' ? 'Pending' : 'Running');
  const isWaiting = nodeName === '' && phase === 'Pending';
  const conditions = status.conditions ?? [];
  const isSet = !isWaiting || conditions.some(({ type }) => type === 'PodScheduled');
  const whole = { ...metadata, namespace: namespace === '' ? 'default' : namespace };
  return {
    metadata: { ...whole, uid: metadata.uid ?? fingerprint(`${whole.namespace}/${whole.name}`) },
    spec: nodeName === '' ? unbound : spec,
    status: { ...status, phase, conditions: isSet ? conditions : [...conditions, notScheduled(pod)] },
  };
}

/** B6: the reason of a pod with scheduling gates is SchedulingGated. */
function notScheduled({ spec }: Pod): Condition {
  const isGated = (spec.schedulingGates ?? []).length > 0;
  return { type: 'PodScheduled', status: 'False', reason: isGated ? 'SchedulingGated' : 'Unschedulable' };
}

export function filledNode(node: Node): Node {
  const { metadata, status = {} } = node;
  const conditions = status.conditions ?? [];
  const isSet = conditions.some(({ type }) => type === 'Ready');
  return {
    ...node,
    metadata: { ...metadata, labels: { [HOSTNAME]: metadata.name, ...metadata.labels } },
    status: { ...status, conditions: isSet ? conditions : [...conditions, { type: 'Ready', status: 'True' }] },
  };
}
