import { SECOND_MS } from '../../apis/formats/time.ts';
import { withoutWaitingPods } from '../cluster/at-rest.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { type Blocked, type Due, pollAfter, requeueAt, type Verdict } from '../model/decision.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import { whatIfOf } from '../provisioning/what-if.ts';
import { budgetLedger } from './budget-ledger.ts';
import { bufferedNodes } from './buffered-nodes.ts';
import { candidateOf, describeCandidate } from './candidates.ts';
import { executeDue } from './execute.ts';
import type { Method, Move, World } from './method.ts';
import { emptiness } from './methods/emptiness.ts';

/** E2: the first method that proposes a command wins the pass. */
const METHODS: readonly Method[] = [emptiness];

/** E13, E29: how long a command waits before it is validated and executed. */
const VALIDATION_MS = 15 * SECOND_MS;

/** The number of steps that the searches of one pass may take. */
const MAX_STEPS = 10_000;

export interface DisruptContext {
  readonly decisionId: string;
  readonly nowMs: number;
  /** NodeClaims whose deletion was refused a short time ago. They are not candidates, so that the others are. @default none */
  readonly refused?: ReadonlySet<string>;
}

/**
 * Decides which nodes to disrupt. A command is first proposed, which has no effect. After 15 s it is validated, and the part that
 * is still valid is executed. *Shape:* `end-disruption` and `delete-node-claim` for commands that are due, else one
 * `start-disruption` for each move of the first method that proposes one. *Source:* E1–E13, E29.
 */
export function disrupt(snapshot: ClusterSnapshot, context: DisruptContext): Verdict {
  return disruptBy(METHODS, snapshot, context);
}

/** A voluntary disruption waits for everything that could keep a node: budgets, buffers, nominations and earlier commands. */
function unsure(blocked: readonly Blocked[], commands: readonly DisruptionCommand[], nowMs: number): Verdict {
  const retry = pollAfter(nowMs);
  const isDue = commands.some(({ validateAtMs }) => validateAtMs <= retry.atMs);
  return { actions: [], blocked, due: isDue ? [retry] : [] };
}

/** Decides with other methods. @internal */
export function disruptBy(methods: readonly Method[], snapshot: ClusterSnapshot, context: DisruptContext): Verdict {
  const { decisionId, nowMs, refused = new Set<string>() } = context;
  const { commands } = snapshot;
  const unread = (snapshot.ignoredObjects ?? []).filter(({ reason }) => reason === 'NotRead');
  if (unread.length > 0) return unsure(unread, commands, nowMs);
  const all = stateNodes(snapshot);
  const nodes = withoutWaitingPods(all, snapshot, nowMs);
  const worldBeside = worldsOf(snapshot, { all, nodes, refused, nowMs });
  const later = commands.flatMap(({ validateAtMs }) => (validateAtMs > nowMs ? [requeueAt(validateAtMs)] : []));
  if (later.length < commands.length) {
    const actions = executeDue({ methods, commands, nowMs, worldBeside, atRest: atRestAmong(all, nodes) });
    return { actions, blocked: [], due: [...later, requeueAt(nowMs + SECOND_MS)] };
  }
  const { proposal, blocked, due } = firstProposal(methods, () => worldBeside(commands));
  if (proposal === undefined) return { actions: [], blocked, due: [...due, ...later] };
  const validateAtMs = nowMs + VALIDATION_MS;
  const proposed = proposal.moves.map((move, index): DisruptionCommand => {
    const id = index === 0 ? decisionId : `${decisionId}-${index + 1}`;
    const { method, reason } = proposal;
    return { id, method, reason, ...describeMove(move), state: 'proposed', decidedAtMs: nowMs, validateAtMs };
  });
  return {
    actions: proposed.map((command) => ({ kind: 'start-disruption', command })),
    blocked,
    due: [...due, requeueAt(validateAtMs), ...later],
  };
}

function describeMove({ candidates, replacements }: Move): Pick<DisruptionCommand, 'candidates' | 'replacements'> {
  return {
    candidates: candidates.map(describeCandidate),
    replacements: replacements.map(({ template, instanceTypes, cheapest }) => ({
      nodePool: template.nodePool.metadata.name,
      instanceTypes: instanceTypes.map(({ name }) => name),
      priceUsdPerHour: cheapest.offering.priceUsdPerHour,
    })),
  };
}

interface NamedProposal extends Pick<DisruptionCommand, 'method' | 'reason'> {
  readonly moves: readonly Move[];
}

/** E2: calls the methods in turn until one proposes a move. *Shape:* includes the refusals and due times of all methods that were called. */
function firstProposal(
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
function worldsOf(
  snapshot: ClusterSnapshot,
  { all, nodes, refused, nowMs }: Seen,
): (commands: readonly DisruptionCommand[]) => World {
  const buffered = bufferedNodes(snapshot, nodes, nowMs);
  const whatIf = whatIfOf(snapshot, nowMs, all);
  return (commands) => {
    const beside = { ...snapshot, commands };
    const judge: World['candidates']['judge'] = (stateNode) =>
      refused.has(stateNode.nodeClaim?.name ?? '') ? undefined : candidateOf(stateNode, beside, nowMs);
    return {
      candidates: { nodes, judge },
      budgets: budgetLedger(beside, nodes, nowMs),
      whatIf,
      buffered,
      nowMs,
      steps: MAX_STEPS,
    };
  };
}

/** The names of nodes from which waiting pods were removed. */
function atRestAmong(all: readonly StateNode[], relieved: readonly StateNode[]): ReadonlySet<string> {
  return new Set(all.flatMap(({ name }, index) => (relieved[index] === all[index] ? [] : [name])));
}
