import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Blocked, Due } from '../model/decision.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import type { Method, Move, World } from './method.ts';

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
