import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Blocked } from '../model/decision.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';
import { newNodeClaim } from '../provisioning/new-node-claim.ts';
import { DELETION_REASON } from './command/deletion.ts';
import type { Method, Move } from './method.ts';
import { firstProposal, passOver, unreadIn } from './pass.ts';

/** A command that the disruption function would propose. */
export interface PlannedCommand extends Move, Pick<DisruptionCommand, 'method' | 'reason'> {}

export interface DisruptionPlan {
  /** Valid together, in this order. */
  readonly commands: readonly PlannedCommand[];
  /** Why other nodes stay: the refusals of the last pass, in which no method proposes a move. */
  readonly blocked: readonly Blocked[];
  /** The nodes of the snapshot, and its claims without a node. */
  readonly nodes: readonly StateNode[];
  readonly nodePools: ClusterSnapshot['nodePools'];
}

/**
 * Returns the commands that the methods propose, one pass after the other, as if each command were carried out at once: its nodes are
 * being deleted, and its replacements are being launched. So the budgets limit all commands together. *Shape:* no commands, and what
 * could not be read, if the snapshot is incomplete. *Cost:* one pass more than there are passes with commands; each takes a node.
 */
export function planDisruption(methods: readonly Method[], snapshot: ClusterSnapshot, nowMs: number): DisruptionPlan {
  const { nodePools } = snapshot;
  const nodes = stateNodes(snapshot);
  const unread = unreadIn(snapshot);
  if (unread.length > 0) return { commands: [], blocked: unread, nodes, nodePools };
  const commands: PlannedCommand[] = [];
  for (let seen = snapshot; ; seen = afterCommands(snapshot, commands, nowMs)) {
    const { proposal, blocked } = firstProposal(methods, passOver(seen, { nowMs }));
    if (proposal === undefined) return { commands, blocked, nodes, nodePools };
    const { method, reason, moves } = proposal;
    commands.push(...moves.map((move) => ({ method, reason, ...move })));
  }
}

/** The cluster while the commands are carried out. */
function afterCommands(snapshot: ClusterSnapshot, commands: readonly PlannedCommand[], nowMs: number): ClusterSnapshot {
  const removed = new Map(
    commands.flatMap(({ candidates, reason }) => candidates.map(({ nodeClaim }) => [nodeClaim.name, reason] as const)),
  );
  const left = snapshot.nodeClaims.map((record): NodeClaimRecord => {
    const reason = removed.get(record.name);
    return reason === undefined
      ? record
      : { ...record, deletion: { reason: DELETION_REASON[reason], message: 'planned', requestedAtMs: nowMs } };
  });
  const context = { cluster: snapshot.cluster, decisionId: 'plan', nowMs };
  const replacements = commands.flatMap(({ replacements: some }) => some);
  return {
    ...snapshot,
    nodeClaims: [...left, ...replacements.map((claim, index) => newNodeClaim(claim, index, context))],
  };
}
