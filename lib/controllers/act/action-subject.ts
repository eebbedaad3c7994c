import type { Action } from '../../core/model/decision.ts';
import type { Subject } from '../../core/model/subject.ts';

/** An action and its object: `evict-pod default/web-1`. */
export function inWords(action: Action): string {
  const { kind } = action;
  if (kind === 'start-disruption' || kind === 'continue-disruption') return `${kind} ${action.command.id}`;
  if (kind === 'end-disruption') return `${kind} ${action.command}`;
  if (kind === 'mark-unavailable') return `${kind} ${action.offering.instanceType}`;
  const subject = subjectOf(action, '');
  return `${kind} ${'namespace' in subject ? `${subject.namespace}/` : ''}${subject.name}`;
}

/** The name under which refusals of the action are remembered. */
export function refusalName(cluster: string, action: Action): string {
  return `${cluster}: ${inWords(action)}`;
}

/** The object that an action changes; the cluster, if the action changes no object that a refusal can name. */
export function subjectOf(action: Action, cluster: string): Subject {
  switch (action.kind) {
    case 'evict-pod':
      return { kind: 'Pod', namespace: action.pod.namespace, name: action.pod.name };
    case 'register-node':
    case 'initialize-node':
    case 'cordon-node':
    case 'uncordon-node':
      return { kind: 'Node', name: action.node.name };
    case 'nominate-node':
      return { kind: 'Node', name: action.node };
    case 'tag-instance':
    case 'terminate-instance':
      return { kind: 'Instance', name: action.instanceId };
    case 'create-node-claim':
      return { kind: 'NodeClaim', name: action.nodeClaim.name };
    case 'launch-instance':
    case 'learn-memory':
    case 'delete-node-claim':
    case 'release-node-claim':
      return { kind: 'NodeClaim', name: action.nodeClaim };
    case 'start-disruption':
    case 'continue-disruption':
    case 'end-disruption':
    case 'mark-unavailable':
      return { kind: 'Cluster', name: cluster };
  }
}
