import type { Pod } from '../../../apis/kubernetes.ts';
import { CAPACITY_TYPE, HOSTNAME, INSTANCE_TYPE, ZONE } from '../../../apis/labels.ts';
import { optional } from '../../../apis/optional.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import type { Instance } from '../../model/node-claim-record.ts';
import { newNodeClaim } from '../../provisioning/new-node-claim.ts';
import { requirementsFromLabels } from '../../requirements/requirements.ts';
import type { PlannedNodeClaim } from '../../scheduling/schedule.ts';
import type { EvaluatedMove } from '../method.ts';

/**
 * The nodes of the cluster after a move: the candidates are gone, their pods run where the move places them, and its replacement is
 * launched as its cheapest offering and not initialized yet. *Cost:* O(nodes).
 */
export function nodesAfter(nodes: readonly StateNode[], move: EvaluatedMove, nowMs: number): readonly StateNode[] {
  const gone = new Set(move.candidates.map(({ stateNode }) => stateNode.name));
  const arriving = new Map(move.targets.map(({ stateNode, pods }) => [stateNode.name, pods]));
  const left = nodes.flatMap((stateNode) => {
    if (gone.has(stateNode.name)) return [];
    const pods = arriving.get(stateNode.name);
    return [pods === undefined ? stateNode : withPods(stateNode, pods)];
  });
  const decisionId = `after ${[...gone].join(' ')}`;
  const replacements = move.replacements.map((claim, index) =>
    withPods(
      launched(claim, { index, decisionId, nowMs }),
      claim.pods.filter(({ spec }) => gone.has(spec.nodeName ?? '')),
    ),
  );
  return [...left, ...replacements];
}

function withPods(stateNode: StateNode, pods: readonly Pod[]): StateNode {
  const bound = pods.map((pod) => ({ ...pod, spec: { ...pod.spec, nodeName: stateNode.name } }));
  return { ...stateNode, pods: [...stateNode.pods, ...bound] };
}

function launched(
  claim: PlannedNodeClaim,
  { index, decisionId, nowMs }: { readonly index: number; readonly decisionId: string; readonly nowMs: number },
): StateNode {
  const record = newNodeClaim(claim, index, { cluster: '', decisionId, nowMs });
  const { type, offering } = claim.cheapest;
  const { name, nodePool } = record;
  const { zone, capacityType, priceUsdPerHour, reservation } = offering;
  const instance: Instance = {
    id: name,
    instanceType: type.name,
    zone,
    capacityType,
    imageId: '',
    priceUsdPerHour,
    ...optional({ reservation: reservation && { id: reservation.id, kind: reservation.kind ?? 'default' } }),
  };
  const labels = { ...record.labels, [INSTANCE_TYPE]: type.name, [ZONE]: zone, [CAPACITY_TYPE]: capacityType };
  const ofType = Object.fromEntries(
    Object.entries(type.requirements).flatMap(([key, [value, ...others]]) =>
      value === undefined || others.length > 0 ? [] : [[key, value]],
    ),
  );
  return {
    name,
    nodePool,
    nodeClaim: { ...record, launch: { kind: 'launched', attempt: 1, instance, atMs: nowMs } },
    labels: { ...ofType, ...labels },
    requirements: requirementsFromLabels({ ...ofType, ...labels, [HOSTNAME]: name }),
    taints: record.spec.taints ?? [],
    allocatable: offering.allocatable ?? type.allocatable,
    pods: [],
    initialized: false,
    deleting: false,
  };
}
