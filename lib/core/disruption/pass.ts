import { optional } from '../../apis/optional.ts';
import { withoutWaitingPods } from '../cluster/at-rest.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Blocked, Due } from '../model/decision.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import { withinLimits } from './command/within-limits.ts';
import type { Method, Move, World } from './method.ts';
import { worldsOf } from './world.ts';

/** What could not be read. A voluntary disruption waits for everything that could keep a node: budgets, buffers, nominations. */
export function unreadIn({ ignoredObjects = [] }: ClusterSnapshot): readonly Blocked[] {
  return ignoredObjects.filter(({ reason }) => reason === 'NotRead');
}

/** One look at the cluster. */
export interface Pass {
  readonly snapshot: ClusterSnapshot;
  readonly all: readonly StateNode[];
  /** The nodes, without the pods that do not keep a node (ignoreAtZero). */
  readonly nodes: readonly StateNode[];
  /** The names of nodes whose only pods can wait (ignoreAtZero). */
  readonly atRest: ReadonlySet<string>;
  readonly nowMs: number;
  /** The world outside these commands: their nodes are not candidates and count as being disrupted. Each world has its own ledger. */
  worldBeside(commands: readonly DisruptionCommand[]): World;
}

export interface PassContext {
  readonly nowMs: number;
  /** NodeClaims whose deletion was refused a short time ago. They are not candidates, so that the others are. @default none */
  readonly refused?: ReadonlySet<string>;
}

/** *Cost:* O(nodes + claims + pods); `whatIf` is prepared when a method first calls it. */
export function passOver(snapshot: ClusterSnapshot, { nowMs, refused = new Set() }: PassContext): Pass {
  const all = stateNodes(snapshot);
  const nodes = withoutWaitingPods(all, snapshot, nowMs);
  const atRest = new Set(all.flatMap(({ name }, index) => (nodes[index] === all[index] ? [] : [name])));
  return { snapshot, all, nodes, atRest, nowMs, worldBeside: worldsOf(snapshot, { all, nodes, refused, nowMs }) };
}

interface NamedProposal extends Pick<DisruptionCommand, 'method' | 'reason'>, Pick<Method, 'validateAfterMs'> {
  readonly moves: readonly Move[];
}

/**
 * E2: calls the methods in turn until one proposes a move that the limits of the NodePools have room for. *Shape:* includes the
 * refusals and due times of all methods that were called.
 */
export function firstProposal(
  methods: readonly Method[],
  pass: Pass,
): { readonly proposal?: NamedProposal; readonly blocked: readonly Blocked[]; readonly due: readonly Due[] } {
  const blocked = new Map<string, Blocked>();
  const due: Due[] = [];
  for (const method of methods) {
    const { name, reason, validateAfterMs } = method;
    const found = method.propose(pass.worldBeside(pass.snapshot.commands));
    const { moves, over } = withinLimits(found.moves, pass);
    // Two methods may refuse a node for the same reason. This counts as one refusal.
    for (const one of [...found.blocked, ...over]) blocked.set(JSON.stringify(one), one);
    due.push(...found.due);
    if (moves.length === 0) continue;
    const proposal = { method: name, reason, moves, ...optional({ validateAfterMs }) };
    return { proposal, blocked: [...blocked.values()], due };
  }
  return { blocked: [...blocked.values()], due };
}
