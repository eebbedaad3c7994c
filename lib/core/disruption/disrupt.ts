import { SECOND_MS } from '../../apis/formats/time.ts';
import { stateNodes } from '../cluster/state-node.ts';
import { equalData } from '../equal-data.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { type Blocked, type Due, pollAfter, requeueAt, type Verdict } from '../model/decision.ts';
import { NO_MEMORY } from '../model/disruption/pass-memory.ts';
import { type DisruptionCommand, isReplacing } from '../model/disruption-command.ts';
import { budgetsChangeMs } from './budgets.ts';
import { pendingUntilMs } from './command/await-replacements.ts';
import { taintChanges } from './command/node-taints.ts';
import { givesUpAtMs } from './command/patience.ts';
import { describeMove } from './command/start-replacing.ts';
import { type Stepping, stepCommands } from './execute.ts';
import { ignoredAnnotations } from './ignored-annotations.ts';
import { withFailures } from './memory/failing-pools.ts';
import { pauseEnds, withRejected } from './memory/rejected.ts';
import type { Method } from './method.ts';
import { ALL_METHODS } from './methods/all-methods.ts';
import { firstProposal, type PassContext, passOver, unreadIn } from './pass.ts';
import { bestProposal } from './play-out.ts';
import { softTaintChanges } from './soft-taints.ts';
import { removeSurplus } from './static-surplus.ts';
import { type StepLedger, shareOf } from './step-ledger.ts';

/** E13, E29: how long a command waits before it is validated and executed. */
const VALIDATION_MS = 15 * SECOND_MS;

export interface DisruptContext extends PassContext {
  readonly decisionId: string;
  /** E1: whether taints are added and removed. Not in shadow, where they belong to another autoscaler. @default true */
  readonly taints?: boolean;
  /** E38: nodes whose taints could not be changed a short time ago. They are left as they are. @default none */
  readonly refusedTaints?: ReadonlySet<string>;
}

/**
 * Decides which nodes to disrupt. A command is first proposed, which has no effect. After 15 s it is validated, and the part that
 * is still valid is executed: its nodes are deleted, or first replaced. *Shape:* the actions of commands that have a next step, else
 * one `start-disruption` for each move of the first method that proposes one; beside both, taints that are added and removed.
 * *Source:* E1–E13, E29, E33–E36.
 */
export function disrupt(snapshot: ClusterSnapshot, context: DisruptContext): Verdict {
  return disruptBy(ALL_METHODS, snapshot, context);
}

/** Decides with other methods. */
export function disruptBy(methods: readonly Method[], snapshot: ClusterSnapshot, context: DisruptContext): Verdict {
  const { decisionId, nowMs, taints: changesTaints = true } = context;
  const { cluster, commands, passMemory = NO_MEMORY } = snapshot;
  const unread = unreadIn(snapshot);
  if (unread.length > 0) return unsure(unread, commands, nowMs);
  const pass = passOver(snapshot, context);
  const { passMemory: current = NO_MEMORY } = pass.snapshot;
  const step = stepCommands(pass, { ...context, methods, cluster });
  const nodes = step.actions.length === 0 ? pass.all : stateNodes(step.snapshot);
  const taints = changesTaints ? taintChanges(nodes, step.snapshot.commands) : [];
  const preferences = changesTaints
    ? softTaintChanges(pass.worldBeside(step.snapshot.commands), context.refusedTaints)
    : [];
  const beside = { ...(preferences.length > 0 && { softTaints: preferences }) };
  // A taint has no effect if the node has changed meanwhile.
  const later = [
    ...dueTimes(step.snapshot, nowMs),
    ...pauseEnds(current, nowMs),
    ...(taints.length === 0 ? [] : [pollAfter(nowMs)]),
  ];
  if (step.actions.length > 0) {
    const ended = { before: pass.snapshot, ...step, nodes, nowMs };
    const kept = withRejected(ended, withFailures(ended));
    return {
      actions: [...step.actions, ...taints],
      blocked: [],
      due: [...later, ...dueAfterStep(step, { methods, context, steps: pass.steps })],
      ...(kept !== passMemory && { passMemory: kept }),
      ...beside,
    };
  }
  const surplus = removeSurplus(snapshot, pass.all, context);
  if (surplus.length > 0)
    return { actions: [...surplus, ...taints], blocked: [], due: [...later, requeueAt(nowMs + SECOND_MS)], ...beside };
  const { proposal, blocked: kept, due, stopped } = bestProposal(methods, pass);
  const blocked = [...kept, ...ignoredAnnotations(pass.all)];
  const isSame = current === passMemory && equalData(stopped, passMemory.stopped);
  const remembered = { ...(!isSame && { passMemory: { ...current, stopped } }), ...beside };
  // The next run goes on where this one has stopped.
  const next = stopped.length === 0 ? [] : [requeueAt(nowMs + SECOND_MS)];
  if (proposal === undefined) return { actions: taints, blocked, due: [...due, ...later, ...next], ...remembered };
  const { method, reason, validateAfterMs = VALIDATION_MS } = proposal;
  const validateAtMs = nowMs + validateAfterMs;
  const proposed = proposal.moves.map((move, index): DisruptionCommand => {
    const id = index === 0 ? decisionId : `${decisionId}-${index + 1}`;
    return { id, method, reason, ...describeMove(move), state: 'proposed', decidedAtMs: nowMs, validateAtMs };
  });
  return {
    actions: [...proposed.map((command) => ({ kind: 'start-disruption' as const, command })), ...taints],
    blocked,
    due: [...due, requeueAt(validateAtMs), ...later],
    ...remembered,
  };
}

interface AfterStep {
  readonly methods: readonly Method[];
  readonly context: DisruptContext;
  /** Those that are left to the run. */
  readonly steps: StepLedger;
}

/**
 * A second later, if commands are left, if replacements are launched, or if the methods have something for the cluster after the commands.
 * Otherwise, such a run would find nothing, and the next tick looks at the cluster.
 */
function dueAfterStep({ snapshot: after, isWhole }: Stepping, { methods, context, steps }: AfterStep): readonly Due[] {
  const again = requeueAt(context.nowMs + SECOND_MS);
  if (!isWhole || steps.left() <= 0 || after.commands.some(isReplacing)) return [again];
  const pass = passOver(after, context, shareOf(steps));
  if (removeSurplus(after, pass.all, context).length > 0) return [again];
  // Which proposal is the best is decided by the next run.
  const { proposal, due, stopped } = firstProposal(methods, pass);
  return proposal === undefined && stopped.length === 0 ? due : [again];
}

/** A voluntary disruption waits for everything that could keep a node: budgets, buffers, nominations and earlier commands. */
function unsure(blocked: readonly Blocked[], commands: readonly DisruptionCommand[], nowMs: number): Verdict {
  const retry = pollAfter(nowMs);
  const isDue = commands.some((one) => !isReplacing(one) && one.validateAtMs <= retry.atMs);
  return { actions: [], blocked, due: isDue ? [retry] : [] };
}

/** When commands are validated, when budgets may allow their deletions, and when they give up waiting for their replacements. */
function dueTimes(
  { commands, nodePools, nodeClaims }: Pick<ClusterSnapshot, 'commands' | 'nodePools' | 'nodeClaims'>,
  nowMs: number,
): readonly Due[] {
  const waiting = commands.filter(isReplacing).flatMap(({ candidates }) => candidates.map(({ nodePool }) => nodePool));
  const budgets = nodePools.flatMap(({ nodePool }) =>
    waiting.includes(nodePool.metadata.name) ? [budgetsChangeMs(nodePool, nowMs)] : [],
  );
  const inFlight = commands.filter(isReplacing).length;
  const times = commands.flatMap((one) =>
    isReplacing(one) ? [...givesUpAtMs(one, inFlight), pendingUntilMs(one, nodeClaims)] : [one.validateAtMs],
  );
  return [...times, ...budgets].filter((atMs) => atMs > nowMs && Number.isFinite(atMs)).map(requeueAt);
}
