import { formatTime } from '../../apis/formats/time.ts';
import type { Condition, Node } from '../../apis/kubernetes.ts';
import type { Clock } from '../../ports/clock.ts';
import { type KubernetesState, writeNode } from './state.ts';

const UNREACHABLE_TAINT = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' } as const;

/** Sets a condition of a node. A node that is not Ready gets the taint that keeps new pods away. */
export function setNodeCondition(
  state: KubernetesState,
  node: Node,
  { type, status, clock }: Pick<Condition, 'type' | 'status'> & { readonly clock: Clock },
): void {
  const others = (node.status?.conditions ?? []).filter((condition) => condition.type !== type);
  const condition = { type, status, reason: 'Simulated', lastTransitionTime: formatTime(clock.now()) };
  const taints = (node.spec?.taints ?? []).filter(({ key }) => type !== 'Ready' || key !== UNREACHABLE_TAINT.key);
  const isUnreachable = type === 'Ready' && status !== 'True';
  writeNode(state, {
    ...node,
    spec: { ...node.spec, taints: isUnreachable ? [...taints, UNREACHABLE_TAINT] : taints },
    status: { ...node.status, conditions: [...others, condition] },
  });
}
