import type { StateNode } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Blocked, Due } from '../model/decision.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import { simulationOf } from '../provisioning/what-if.ts';
import { budgetLedger } from './budget-ledger.ts';
import { bufferedNodes } from './buffered-nodes.ts';
import { candidateOf } from './candidates.ts';
import type { Method, Move, World } from './method.ts';

/** The number of steps that the searches of one pass may take. */
const MAX_STEPS = 10_000;

/** What could not be read. A voluntary disruption waits for everything that could keep a node: budgets, buffers, nominations. */
export function unreadIn({ ignoredObjects = [] }: ClusterSnapshot): readonly Blocked[] {
  return ignoredObjects.filter(({ reason }) => reason === 'NotRead');
}

interface NamedProposal extends Pick<DisruptionCommand, 'method' | 'reason'> {
  readonly moves: readonly Move[];
}

/** E2: calls the methods in turn until one proposes a move. *Shape:* includes the refusals and due times of all methods that were called. */
export function firstProposal(
  methods: readonly Method[],
  world: () => World,
): { readonly proposal?: NamedProposal; readonly blocked: readonly Blocked[]; readonly due: readonly Due[] } {
  const blocked = new Map<string, Blocked>();
  const due: Due[] = [];
  for (const method of methods) {
    const { name, reason } = method;
    const proposal = method.propose(world());
    // Two methods may refuse a node for the same reason. This counts as one refusal.
    for (const one of proposal.blocked) blocked.set(JSON.stringify(one), one);
    due.push(...proposal.due);
    const { moves } = proposal;
    if (moves.length > 0) return { proposal: { method: name, reason, moves }, blocked: [...blocked.values()], due };
  }
  return { blocked: [...blocked.values()], due };
}

interface Seen {
  readonly all: readonly StateNode[];
  /** The nodes, without the pods that do not keep a node (ignoreAtZero). */
  readonly nodes: readonly StateNode[];
  readonly refused: ReadonlySet<string>;
  readonly nowMs: number;
}

/** The world outside these commands: their nodes are not candidates and count as being disrupted. Each world has its own ledger. */
export function worldsOf(
  snapshot: ClusterSnapshot,
  { all, nodes, refused, nowMs }: Seen,
): (commands: readonly DisruptionCommand[]) => World {
  const buffered = bufferedNodes(snapshot, nodes, nowMs);
  const { whatIf, bounds } = simulationOf(snapshot, nowMs, all);
  return (commands) => {
    const beside = { ...snapshot, commands };
    const judge: World['candidates']['judge'] = (stateNode) =>
      refused.has(stateNode.nodeClaim?.name ?? '') ? undefined : candidateOf(stateNode, beside, nowMs);
    return {
      candidates: { nodes, judge },
      budgets: budgetLedger(beside, nodes, nowMs),
      whatIf,
      bounds,
      buffered,
      nowMs,
      steps: MAX_STEPS,
    };
  };
}
