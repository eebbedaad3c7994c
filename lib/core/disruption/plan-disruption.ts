import type { StateNode } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Method } from './method.ts';
import { passOver, unreadIn } from './pass.ts';
import { bestPlayOut, type PlayedOut } from './play-out.ts';

export interface DisruptionPlan extends PlayedOut {
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
  const played = unread.length > 0 ? { commands: [], blocked: unread } : bestPlayOut(methods, pass);
  return { ...played, nodes: pass.all, nodePools };
}
