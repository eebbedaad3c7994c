import type { Pod } from '../../../apis/kubernetes.ts';
import { CAPACITY_TYPE, HOSTNAME, INSTANCE_TYPE, ZONE } from '../../../apis/labels.ts';
import { optional } from '../../../apis/optional.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import { lastFor } from '../../kept-answers.ts';
import type { Instance } from '../../model/node-claim-record.ts';
import { newNodeClaim } from '../../provisioning/new-node-claim.ts';
import { requirementsFromLabels } from '../../requirements/requirements.ts';
import type { PlannedNodeClaim } from '../../scheduling/schedule.ts';
import type { EvaluatedMove } from '../method.ts';

/** What a move changes: its candidates are gone, and their pods run where it places them. */
export interface MoveChange {
  readonly gone: ReadonlySet<string>;
  /** The pods that arrive at a node, by its name. They are bound to it. */
  readonly arriving: ReadonlyMap<string, readonly Pod[]>;
  /** The replacements, launched as their cheapest offerings and not initialized yet. */
  readonly added: readonly StateNode[];
}

export function changeOf({ candidates, targets, replacements }: EvaluatedMove, nowMs: number): MoveChange {
  const gone = new Set(candidates.map(({ stateNode }) => stateNode.name));
  // No other move of a plan removes this node.
  const decisionId = `after ${candidates[0]?.stateNode.name}`;
  return {
    gone,
    arriving: new Map(targets.map(({ stateNode: { name }, pods }) => [name, pods.map((pod) => boundTo(name, pod))])),
    added: replacements.map((claim, index) => {
      const node = launched(claim, { index, decisionId, nowMs });
      const mine = claim.pods.filter(({ spec }) => gone.has(spec.nodeName ?? ''));
      return { ...node, pods: mine.map((pod) => boundTo(node.name, pod)) };
    }),
  };
}

/** The nodes of the cluster after a move. *Cost:* O(nodes). */
export function nodesAfter(nodes: readonly StateNode[], { gone, arriving, added }: MoveChange): readonly StateNode[] {
  const left = nodes.flatMap((stateNode) => {
    if (gone.has(stateNode.name)) return [];
    const pods = arriving.get(stateNode.name);
    return [pods === undefined ? stateNode : { ...stateNode, pods: [...stateNode.pods, ...pods] }];
  });
  return [...left, ...added];
}

function boundTo(nodeName: string, pod: Pod): Pod {
  return { ...pod, spec: { ...pod.spec, nodeName } };
}

interface Launch {
  readonly index: number;
  readonly decisionId: string;
  readonly nowMs: number;
}

/** A move is carried out in the world of its method, and again in that of the plan. */
const launched = lastFor((claim: PlannedNodeClaim, { index, decisionId, nowMs }: Launch): StateNode => {
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
    // Its pods are bound already, so none has to be kept for it.
    nodeClaim: { ...record, pods: [], launch: { kind: 'launched', attempt: 1, instance, atMs: nowMs } },
    labels: { ...ofType, ...labels },
    requirements: requirementsFromLabels({ ...ofType, ...labels, [HOSTNAME]: name }),
    taints: record.spec.taints ?? [],
    allocatable: offering.allocatable ?? type.allocatable,
    pods: [],
    initialized: false,
    deleting: false,
    planned: true,
  };
});
