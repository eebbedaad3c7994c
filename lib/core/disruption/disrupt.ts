import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { withoutWaitingPods } from '../cluster/at-rest.ts';
import { type StateNode, stateNodes } from '../cluster/state-node.ts';
import { compareText } from '../compare-text.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Action, Blocked, Due, Verdict } from '../model/decision.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import type { DeletionReason } from '../model/node-claim-record.ts';
import type { Refusal } from '../model/refusal.ts';
import { budgetRoom } from './budgets.ts';
import { type BufferedNodes, bufferedNodes } from './buffered-nodes.ts';
import { type Candidate, candidateOf, describeCandidate, isCandidate, poolCounts } from './candidates.ts';
import type { Method } from './method.ts';
import { emptiness } from './methods/emptiness.ts';

/** E2: the first method that has something to do wins the pass. */
const METHODS: readonly Method[] = [emptiness];

/** E13, E29: how long a command waits before it is looked at again and carried out. */
const VALIDATION_MS = 15 * SECOND_MS;

export interface DisruptContext {
  readonly decisionId: string;
  readonly nowMs: number;
}

/**
 * Which nodes to disrupt. A command is first written down, then looked at again after 15 s, and only what still holds is
 * carried out. *Shape:* `end-disruption` and `delete-node-claim` for commands that are due, else at most one
 * `start-disruption`. *Source:* E1–E13, E29.
 */
export function disrupt(snapshot: ClusterSnapshot, context: DisruptContext): Verdict {
  const all = stateNodes(snapshot);
  const nodes = withoutWaitingPods(all, snapshot, context.nowMs);
  const pass: Pass = {
    snapshot,
    nodes,
    atRest: atRestAmong(all, nodes),
    buffered: bufferedNodes(snapshot, nodes, context.nowMs),
    nowMs: context.nowMs,
  };
  const due = snapshot.commands.filter((command) => command.validateAtMs <= context.nowMs);
  const later: readonly Due[] = snapshot.commands
    .filter((command) => command.validateAtMs > context.nowMs)
    .map((command) => ({ atMs: command.validateAtMs, kind: 'settling' }));
  if (due.length > 0) {
    const actions = due.flatMap((command) => carryThrough(command, pass));
    return { actions, blocked: [], due: [...later, { atMs: context.nowMs + SECOND_MS, kind: 'settling' }] };
  }
  for (const method of METHODS) {
    const verdict = propose(method, pass, context.decisionId);
    if (verdict.actions.length > 0) return { ...verdict, due: [...verdict.due, ...later] };
    if (method === METHODS.at(-1)) return { ...verdict, due: [...verdict.due, ...later] };
  }
  return { actions: [], blocked: [], due: later };
}

/** The nodes that were relieved of pods. */
function atRestAmong(all: readonly StateNode[], relieved: readonly StateNode[]): ReadonlySet<string> {
  return new Set(all.flatMap(({ name }, index) => (relieved[index] === all[index] ? [] : [name])));
}

interface Pass {
  readonly snapshot: ClusterSnapshot;
  readonly nodes: readonly StateNode[];
  /** Names of nodes on which there is nothing but pods that can wait. */
  readonly atRest: ReadonlySet<string>;
  readonly buffered: BufferedNodes;
  readonly nowMs: number;
}

function propose(method: Method, pass: Pass, decisionId: string): Verdict {
  const { nodes, nowMs } = pass;
  const considered = nodes
    .filter(method.concerns)
    .map((stateNode) => ({ stateNode, result: judge(method, stateNode, pass) }));
  const wanted = considered.flatMap(({ result }) => (isCandidate(result) ? [result] : []));
  const due: readonly Due[] = wanted.flatMap((candidate) => {
    const ripe = method.eligibleAtMs(candidate);
    return ripe === undefined || ripe <= nowMs ? [] : [{ atMs: ripe, kind: 'settling' as const }];
  });
  const ripe = wanted.filter((candidate) => (method.eligibleAtMs(candidate) ?? Number.POSITIVE_INFINITY) <= nowMs);
  const { within, over } = withinBudgets(ripe, method, pass);
  const refused = considered.flatMap(({ stateNode, result }) =>
    result === undefined || isCandidate(result) ? [] : [blockedNode(stateNode, result)],
  );
  const blocked = [...refused, ...over];
  // A budget that is spent now may have room at the next look: a schedule closes, a drain ends.
  const retry: readonly Due[] = over.length === 0 ? [] : [{ atMs: nowMs + MINUTE_MS, kind: 'settling' }];
  if (within.length === 0) return { actions: [], blocked, due: [...due, ...retry] };
  const command: DisruptionCommand = {
    id: decisionId,
    method: method.name,
    reason: method.reason,
    candidates: within.map(describeCandidate),
    decidedAtMs: nowMs,
    validateAtMs: nowMs + VALIDATION_MS,
  };
  const validation: Due = { atMs: command.validateAtMs, kind: 'settling' };
  return { actions: [{ kind: 'start-disruption', command }], blocked, due: [...due, ...retry, validation] };
}

/** The node as a candidate of the method, or why it is none; undefined for one that nobody need be told of. */
function judge(
  method: Method,
  stateNode: StateNode,
  { snapshot, buffered, nowMs }: Pass,
): Candidate | Refusal | undefined {
  const result = candidateOf(stateNode, snapshot, nowMs);
  return isCandidate(result) ? (method.whyExcluded(result, buffered) ?? result) : result;
}

/** E29, E13: candidates that are gone, promised or busy by now are let be; the rest is deleted. */
function carryThrough(command: DisruptionCommand, pass: Pass): readonly Action[] {
  const others = pass.snapshot.commands.filter((one) => one.id !== command.id);
  const now: Pass = { ...pass, snapshot: { ...pass.snapshot, commands: others } };
  const method = METHODS.find((one) => one.name === command.method);
  const within = method === undefined ? [] : standing(command, method, now);
  const lost = command.candidates.length - within.length;
  const why =
    lost === 0 ? 'all candidates stand' : `${lost} of ${command.candidates.length} candidates do not stand any more`;
  return [
    ...within.map((candidate) => deletionOf(candidate, command, pass)),
    { kind: 'end-disruption', command: command.id, outcome: within.length > 0 ? 'executed' : 'rejected', why },
  ];
}

function standing(command: DisruptionCommand, method: Method, pass: Pass): readonly Candidate[] {
  const mine = new Set(command.candidates.map(({ nodeClaim }) => nodeClaim));
  const candidates = pass.nodes
    .filter(({ nodeClaim }) => nodeClaim !== undefined && mine.has(nodeClaim.name))
    .flatMap((stateNode) => {
      const result = method.concerns(stateNode) ? judge(method, stateNode, pass) : undefined;
      return isCandidate(result) && isRipe(method, result, pass.nowMs) ? [result] : [];
    });
  return withinBudgets(candidates, method, pass).within;
}

function isRipe(method: Method, candidate: Candidate, nowMs: number): boolean {
  return (method.eligibleAtMs(candidate) ?? Number.POSITIVE_INFINITY) <= nowMs;
}

function deletionOf({ nodeClaim, stateNode }: Candidate, command: DisruptionCommand, { atRest }: Pass): Action {
  const reason = DELETION_REASON[command.reason];
  const waiting = atRest.has(stateNode.name);
  return {
    kind: 'delete-node-claim',
    nodeClaim: nodeClaim.name,
    reason,
    message: `node ${stateNode.name} is ${reason} (${command.method})${waiting ? ', but for pods that can wait' : ''}`,
    ...(waiting && { atRest: true as const }),
  };
}

const DELETION_REASON = {
  Empty: 'empty',
  Underutilized: 'underutilized',
  Drifted: 'drifted',
} as const satisfies Record<DisruptionCommand['reason'], DeletionReason>;

/** The dearest nodes first (E17), as many of each pool as its budgets leave room for. */
function withinBudgets(
  candidates: readonly Candidate[],
  method: Method,
  { snapshot, nodes, nowMs }: Pass,
): { readonly within: readonly Candidate[]; readonly over: readonly Blocked[] } {
  const within: Candidate[] = [];
  const over: Blocked[] = [];
  for (const [pool, mine] of Map.groupBy(candidates, ({ nodeClaim }) => nodeClaim.nodePool)) {
    const [first] = mine;
    if (first === undefined) continue;
    const room = budgetRoom(first.nodePool, method.reason, { ...poolCounts(pool, nodes, snapshot), nowMs });
    const dearest = mine.toSorted((a, b) => priceOf(b) - priceOf(a) || compareText(a.stateNode.name, b.stateNode.name));
    within.push(...dearest.slice(0, room.left));
    over.push(
      ...dearest.slice(room.left).map(({ stateNode }) =>
        blockedNode(stateNode, {
          reason: 'BudgetExhausted',
          message: `the budget for ${method.reason} allows ${room.allowed} at once, ${room.disrupting} are under way`,
          numbers: { allowed: room.allowed, disrupting: room.disrupting },
        }),
      ),
    );
  }
  return { within, over };
}

function priceOf(candidate: Candidate): number {
  return describeCandidate(candidate).priceUsdPerHour;
}

function blockedNode(stateNode: StateNode, refusal: Refusal): Blocked {
  return {
    subject: { kind: 'Node', name: stateNode.name },
    ...(stateNode.nodePool === undefined ? {} : { nodePool: stateNode.nodePool }),
    ...refusal,
  };
}
