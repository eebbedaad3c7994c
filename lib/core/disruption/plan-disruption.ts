import type { StateNode } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { afterActions } from './command/after-actions.ts';
import type { Method } from './method.ts';
import { passOver, unreadIn } from './pass.ts';
import { bestPlayOut, type PlayedOut } from './play-out.ts';
import { removeSurplus } from './static-surplus.ts';

/** D31: a node of a static NodePool that is deleted because there are more than `spec.replicas`. */
export interface SurplusNode {
  readonly nodeClaim: string;
  /** The name of the node; of the claim if it has no node yet. */
  readonly node: string;
  readonly message: string;
}

export interface DisruptionPlan extends PlayedOut {
  /** Deleted before the commands, without regard to budgets. */
  readonly surplus: readonly SurplusNode[];
  /** The nodes of the snapshot, and its claims without a node. */
  readonly nodes: readonly StateNode[];
  readonly nodePools: ClusterSnapshot['nodePools'];
}

/**
 * Returns the commands that the methods would propose for this cluster, and why other nodes stay. *Shape:* no commands, and what
 * could not be read, if the snapshot is incomplete. *Cost:* that of `bestPlayOut`.
 */
export function planDisruption(methods: readonly Method[], snapshot: ClusterSnapshot, nowMs: number): DisruptionPlan {
  const { nodePools } = snapshot;
  const pass = passOver(snapshot, { nowMs, steps: Infinity });
  const unread = unreadIn(snapshot);
  if (unread.length > 0) return { commands: [], blocked: unread, surplus: [], nodes: pass.all, nodePools };
  const deletions = removeSurplus(snapshot, pass.all, { nowMs });
  const after = afterActions(snapshot, deletions, nowMs);
  const played = bestPlayOut(methods, after === snapshot ? pass : passOver(after, { nowMs, steps: Infinity }));
  const nodeOf = new Map(pass.all.map(({ name, nodeClaim }) => [nodeClaim?.name, name]));
  const surplus = deletions.map(({ nodeClaim, message }) => ({
    nodeClaim,
    node: nodeOf.get(nodeClaim) ?? nodeClaim,
    message,
  }));
  return { ...played, surplus, nodes: pass.all, nodePools };
}
