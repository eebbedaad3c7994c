import { HOUR_MS } from '../../../apis/formats/time.ts';
import { isReschedulable } from '../../cluster/pods.ts';
import type { StateNode } from '../../cluster/state-node.ts';
import { workloadOf } from '../../cluster/workload-of.ts';
import { onceFor } from '../../kept-answers.ts';
import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { PastMove } from '../../model/disruption/past-move.ts';
import { type DisruptionCommand, isReplacing } from '../../model/disruption-command.ts';
import { keepsMovesMs } from './move-limits.ts';

/** What consolidation has moved, with the moves that it has decided. */
export interface MoveHistory {
  /** When consolidation replaced nodes by this one, by NodeClaim. */
  readonly launchedAtMs: ReadonlyMap<string, number>;
  /** By workload. */
  readonly moved: ReadonlyMap<string, Moved>;
}

export interface Moved {
  readonly lastAtMs: number;
  /** The evictions of the last hour. */
  readonly inLastHour: readonly Pick<Evictions, 'atMs' | 'pods'>[];
}

/** The number of pods that were evicted in the last hour. */
export function evictedLately({ inLastHour }: Moved): number {
  return inLastHour.reduce((sum, { pods }) => sum + pods, 0);
}

/** When so many evictions have left the hour that at most this number is in it. *Shape:* undefined if no number suffices. */
export function fewerFromMs(moved: Moved, most: number): number | undefined {
  let left = evictedLately(moved);
  for (const { atMs, pods } of moved.inLastHour.toSorted((a, b) => a.atMs - b.atMs)) {
    left -= pods;
    if (left <= most) return atMs + HOUR_MS;
  }
  return undefined;
}

/**
 * The history of a snapshot. The nodes of its commands count as moved now. *Shape:* undefined if no NodePool has an annotation that
 * needs it. *Cost:* O(past moves + pods of the nodes in commands).
 */
export function moveHistory(
  { nodePools, pastMoves = [], commands }: Pick<ClusterSnapshot, 'nodePools' | 'pastMoves' | 'commands'>,
  nodes: readonly StateNode[],
  nowMs: number,
): MoveHistory | undefined {
  if (keepsMovesMs(nodePools.map(({ nodePool }) => nodePool)) === undefined) return undefined;
  const launchedAtMs = new Map(
    pastMoves.flatMap(({ launched, atMs }) => launched.map((name) => [name, atMs] as const)),
  );
  const past = pastMoves.flatMap(({ evicted, atMs }) =>
    Object.entries(evicted).map(([workload, pods]) => ({ workload, atMs, pods })),
  );
  const leaving = new Set(
    commands.filter(isConsolidation).flatMap((one) => one.candidates.map((node) => node.nodeClaim)),
  );
  const mine = nodes.filter(({ nodeClaim }) => leaving.has(nodeClaim?.name ?? ''));
  return withEvictions({ launchedAtMs, moved: new Map() }, [...past, ...nowFrom(mine, nowMs)], nowMs);
}

/** The history after nodes were removed by consolidation. *Shape:* undefined if there is none to keep. */
export function historyAfter(
  history: MoveHistory | undefined,
  nodes: readonly StateNode[],
  nowMs: number,
): MoveHistory | undefined {
  return history && withEvictions(history, nowFrom(nodes, nowMs), nowMs);
}

/** The number of pods that the removal of the node evicts, by workload. Pods without a controller are not counted. */
export const evictedFrom: (stateNode: StateNode) => ReadonlyMap<string, number> = onceFor(({ pods }: StateNode) =>
  counts(pods.filter(isReschedulable).flatMap((pod) => workloadOf(pod) ?? [])),
);

/** The pods that the removal of the nodes evicts, by workload. */
export function evictedFromAll(nodes: readonly StateNode[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const one of nodes)
    for (const [workload, pods] of evictedFrom(one)) sums.set(workload, (sums.get(workload) ?? 0) + pods);
  return sums;
}

/** What a command of consolidation moves, to be remembered. *Shape:* undefined if nothing must be remembered. */
export function pastMoveOf(
  command: DisruptionCommand,
  nodes: readonly StateNode[],
  { nodePools, nowMs }: Pick<ClusterSnapshot, 'nodePools'> & { readonly nowMs: number },
): PastMove | undefined {
  const keepsMs = keepsMovesMs(nodePools.map(({ nodePool }) => nodePool));
  if (keepsMs === undefined || !isConsolidation(command)) return undefined;
  return {
    command: command.id,
    atMs: nowMs,
    untilMs: nowMs + keepsMs,
    launched: isReplacing(command) ? command.replacementClaims : [],
    evicted: Object.fromEntries(evictedFromAll(nodes)),
  };
}

function isConsolidation({ reason }: DisruptionCommand): boolean {
  return reason === 'Underutilized';
}

interface Evictions {
  readonly workload: string;
  readonly atMs: number;
  readonly pods: number;
}

function nowFrom(nodes: readonly StateNode[], nowMs: number): readonly Evictions[] {
  return [...evictedFromAll(nodes)].map(([workload, pods]) => ({ workload, atMs: nowMs, pods }));
}

function withEvictions(before: MoveHistory, evictions: readonly Evictions[], nowMs: number): MoveHistory {
  const moved = new Map(before.moved);
  for (const { workload, atMs, pods } of evictions) {
    const { lastAtMs, inLastHour } = moved.get(workload) ?? { lastAtMs: 0, inLastHour: [] };
    const recent = atMs > nowMs - HOUR_MS ? [{ atMs, pods }] : [];
    moved.set(workload, { lastAtMs: Math.max(lastAtMs, atMs), inLastHour: [...inLastHour, ...recent] });
  }
  return { ...before, moved };
}

function counts(names: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1);
  return found;
}
