import { SECOND_MS } from '../../apis/formats/time.ts';
import { withoutWaitingPods } from '../cluster/at-rest.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { type Blocked, pollAfter, requeueAt, type Verdict } from '../model/decision.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import { describeCandidate } from './candidates.ts';
import { executeDue } from './execute.ts';
import type { Method, Move } from './method.ts';
import { emptiness } from './methods/emptiness.ts';
import { firstProposal, unreadIn } from './pass.ts';
import { worldsOf } from './world.ts';

/** E2: the first method that proposes a command wins the pass. */
const METHODS: readonly Method[] = [emptiness];

/** E13, E29: how long a command waits before it is validated and executed. */
const VALIDATION_MS = 15 * SECOND_MS;

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
  const unread = unreadIn(snapshot);
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
  const { validateAfterMs = VALIDATION_MS } = methods.find(({ name }) => name === proposal.method) ?? {};
  const validateAtMs = nowMs + validateAfterMs;
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

/** The names of nodes from which waiting pods were removed. */
function atRestAmong(all: readonly StateNode[], relieved: readonly StateNode[]): ReadonlySet<string> {
  return new Set(all.flatMap(({ name }, index) => (relieved[index] === all[index] ? [] : [name])));
}
