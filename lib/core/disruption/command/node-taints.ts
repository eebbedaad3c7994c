import type { Node } from '../../../apis/kubernetes.ts';
import { EXCLUDE_FROM_BALANCERS } from '../../../apis/labels.ts';
import { DISRUPTED_TAINT, sameTaint } from '../../../apis/taints.ts';
import { isDisrupted, type StateNode } from '../../cluster/state-node.ts';
import type { Action } from '../../model/decision.ts';
import { type DisruptionCommand, isReplacing } from '../../model/disruption-command.ts';
import { nodeTarget } from '../../model/node-patch.ts';

/**
 * E1, E33: the nodes that a command replaces have the taint `karpenter.sh/disrupted`, and no other node of Kerf that stays has it:
 * a run that ended early may have left it, or a command that was rejected. Nodes that are being deleted belong to termination.
 * *Shape:* one `cordon-node` or `uncordon-node` for each node to change. It has no effect if the node has changed since it was read;
 * the next run decides it again.
 */
export function taintChanges(nodes: readonly StateNode[], commands: readonly DisruptionCommand[]): readonly Action[] {
  const replaced = new Set(
    commands.filter(isReplacing).flatMap(({ candidates }) => candidates.map(({ nodeClaim }) => nodeClaim)),
  );
  return nodes.flatMap(({ node, nodeClaim }) => {
    if (node === undefined || nodeClaim === undefined) return [];
    if ((nodeClaim.deletion ?? node.metadata.deletionTimestamp) !== undefined) return [];
    const isWanted = replaced.has(nodeClaim.name);
    return isWanted === isDisrupted(node) ? [] : [taintChange(node, nodeClaim.name, isWanted)];
  });
}

function taintChange(node: Node, nodeClaim: string, isWanted: boolean): Action {
  const others = (node.spec?.taints ?? []).filter((taint) => !sameTaint(taint, DISRUPTED_TAINT));
  const target = { nodeClaim, node: nodeTarget(node) };
  if (isWanted) return { kind: 'cordon-node', ...target, patch: { taints: [...others, DISRUPTED_TAINT] } };
  // D19: a drain sets this label together with the taint.
  const isExcluded = node.metadata.labels?.[EXCLUDE_FROM_BALANCERS] === 'karpenter';
  return {
    kind: 'uncordon-node',
    ...target,
    patch: { taints: others, ...(isExcluded && { labels: { [EXCLUDE_FROM_BALANCERS]: null } }) },
  };
}
