import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { capacityOf } from '../../core/instance-type/capacity.ts';
import type { InstanceTypeFacts } from '../../core/instance-type/facts.ts';
import { allocatableOf } from '../../core/instance-type/overhead.ts';
import { kubeletWorker, withTypeKubelet } from '../../core/instance-type/type-kubelet.ts';
import { formatAmount, type Resources } from '../../core/resources/resources.ts';
import type { FieldProblem } from '../../core/validation/field-problem.ts';
import { askedByNodePool } from './left-out.ts';
import { requirementAdvice } from './requirements.ts';
import type { KnownFigures } from './values/known-figures.ts';

const FIELDS = ['kubeReserved', 'systemReserved'] as const;

/**
 * Warns of amounts that the class reserves, if they leave nothing for pods on any type that a NodePool of the class allows; without a
 * NodePool, on any type. *Cost:* O(types) for each NodePool, and nothing for a class that reserves nothing.
 */
export function reservationAdvice(
  nodeClass: EC2NodeClass,
  nodePools: readonly NodePool[],
  figures: () => KnownFigures,
): readonly FieldProblem[] {
  const { kubelet = {} } = nodeClass.spec;
  const reserved = new Map(FIELDS.flatMap((field) => Object.keys(kubelet[field] ?? {}).map((name) => [name, field])));
  if (reserved.size === 0) return [];
  const rooms = typeGroups(nodePools, figures()).map(({ where, types }) => ({
    where,
    types: types.map(roomOf(nodeClass)),
  }));
  const allowed = nodePools.length === 0 ? 'a smaller amount' : 'a smaller amount, or allow larger types';
  return [...reserved].flatMap(([name, field]) => {
    const closed = rooms.find(({ types }) => types.length > 0 && types.every(({ left }) => (left[name] ?? 1) <= 0));
    if (closed === undefined) return [];
    const most = closed.types.reduce((largest, { capacity }) => Math.max(largest, capacity[name] ?? 0), 0);
    const message = `leaves no ${name} for pods on any instance type${closed.where}: the largest has ${formatAmount(name, most)}`;
    return [{ path: ['spec', 'kubelet', field, name], message, allowed }];
  });
}

interface TypeGroup {
  /** A part of the message. */
  readonly where: string;
  readonly types: readonly InstanceTypeFacts[];
}

function typeGroups(nodePools: readonly NodePool[], figures: KnownFigures): readonly TypeGroup[] {
  if (nodePools.length === 0) return [{ where: '', types: figures.types.factsOf(figures.types.all) }];
  return nodePools.map((nodePool) => {
    const { types = 0n } = requirementAdvice(askedByNodePool(nodePool), figures, '');
    return { where: ` that NodePool ${nodePool.metadata.name} allows`, types: figures.types.factsOf(types) };
  });
}

function roomOf(nodeClass: EC2NodeClass): (facts: InstanceTypeFacts) => { capacity: Resources; left: Resources } {
  const kubeletOf = kubeletWorker(nodeClass);
  return (facts) => {
    const own = withTypeKubelet(nodeClass, kubeletOf(facts).kubelet);
    const capacity = capacityOf(facts, own);
    return { capacity, left: allocatableOf(facts, own, capacity) };
  };
}
