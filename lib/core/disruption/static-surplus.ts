import { counted } from '../../apis/counted.ts';
import { DO_NOT_DISRUPT } from '../../apis/labels.ts';
import { isKeptInPlace, isOwnedByDaemonSet } from '../cluster/pods.ts';
import { activePods, type StateNode } from '../cluster/state-node.ts';
import { compareText } from '../compare-text.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Action } from '../model/decision.ts';
import { instanceOf } from '../model/node-claim-record.ts';
import { staticCount } from '../provisioning/static-capacity.ts';
import { disruptionCost } from './cost.ts';

type SurplusDeletion = Action & { readonly kind: 'delete-node-claim' };

/**
 * D31: deletes the nodes that a static NodePool has beyond `spec.replicas`. Budgets do not apply. Nodes that a command replaces do
 * not count, because their new nodes take their places. *Shape:* none if the feature gate is off. @param refused NodeClaims whose
 * deletion was refused a short time ago: others are deleted in their place
 */
export function removeSurplus(
  snapshot: ClusterSnapshot,
  nodes: readonly StateNode[],
  { nowMs, refused = new Set() }: { readonly nowMs: number; readonly refused?: ReadonlySet<string> | undefined },
): readonly SurplusDeletion[] {
  if (snapshot.options?.staticCapacity !== true) return [];
  const replaced = new Set(snapshot.commands.flatMap(({ candidates }) => candidates.map(({ nodeClaim }) => nodeClaim)));
  const left = snapshot.nodeClaims.filter(({ name }) => !replaced.has(name));
  return snapshot.nodePools.flatMap(({ nodePool }) => {
    const { name } = nodePool.metadata;
    const count = staticCount(nodePool, left);
    if (count === undefined || count.active <= count.replicas) return [];
    const mine = nodes.filter(({ nodeClaim }) => {
      if (nodeClaim?.nodePool !== name || nodeClaim.deletion !== undefined) return false;
      return !replaced.has(nodeClaim.name) && !refused.has(nodeClaim.name);
    });
    const inOrder = mine.map((one) => ranked(one, nowMs)).toSorted(byRank);
    return inOrder
      .slice(0, count.active - count.replicas)
      .flatMap(({ stateNode: { nodeClaim } }): readonly SurplusDeletion[] => {
        if (nodeClaim === undefined) return [];
        const message = `NodePool ${name} has ${counted(count.active, 'node')}, and spec.replicas is ${count.replicas}`;
        return [{ kind: 'delete-node-claim', nodeClaim: nodeClaim.name, reason: 'overprovisioned', message }];
      });
  });
}

interface Ranked {
  readonly stateNode: StateNode;
  /** Nodes that are gone or leave, claims without an instance, empty nodes, other nodes, nodes that must not be disrupted. */
  readonly group: 0 | 1 | 2 | 3 | 4;
  readonly cost: number;
}

function ranked(stateNode: StateNode, nowMs: number): Ranked {
  const group = groupOf(stateNode, nowMs);
  return { stateNode, group, cost: group < 3 ? 0 : disruptionCost(stateNode, nowMs) };
}

function groupOf(stateNode: StateNode, nowMs: number): Ranked['group'] {
  const { nodeClaim, node, deleting } = stateNode;
  if (deleting) return 0;
  if (nodeClaim === undefined || instanceOf(nodeClaim) === undefined) return 1;
  const pods = activePods(stateNode);
  const isKept =
    node?.metadata.annotations?.[DO_NOT_DISRUPT] === 'true' || pods.some((pod) => isKeptInPlace(pod, nowMs));
  if (isKept) return 4;
  return pods.every(isOwnedByDaemonSet) ? 2 : 3;
}

function byRank(a: Ranked, b: Ranked): number {
  return a.group - b.group || a.cost - b.cost || compareText(a.stateNode.name, b.stateNode.name);
}
