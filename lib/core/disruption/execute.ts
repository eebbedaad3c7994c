import type { StateNode } from '../cluster/state-node.ts';
import { compareText } from '../compare-text.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import type { Action } from '../model/decision.ts';
import { type DisruptionCommand, isReplacing, type ProposedCommand } from '../model/disruption-command.ts';
import { afterActions } from './command/after-actions.ts';
import { awaitReplacements } from './command/await-replacements.ts';
import { deletionOf } from './command/deletion.ts';
import { endOf } from './command/end-of.ts';
import { movedBy } from './command/moved-by.ts';
import { type StartContext, startReplacing } from './command/start-replacing.ts';
import { withinLimits } from './command/within-limits.ts';
import type { Method, Move } from './method.ts';
import { type Pass, type PassContext, passOver } from './pass.ts';
import { stepsOfPass } from './step-ledger.ts';

export interface Stepping {
  readonly actions: readonly Action[];
  /** The cluster while the actions are carried out. */
  readonly snapshot: ClusterSnapshot;
  /** Whether the steps of the run sufficed for all commands. */
  readonly isWhole: boolean;
}

export interface Execution extends PassContext, StartContext {
  readonly methods: readonly Method[];
}

/**
 * Takes the next step of each command. Commands that wait for replacements come first. Those that are due are validated; without
 * replacements, the part that is still valid is executed, and with replacements, these are launched first. Two runs may have proposed
 * the same node, or used the same budget. The command that was decided first comes first, ties by id, and the later ones are decided
 * on the cluster after it. If the steps of the run are used up, those after the first one that changes something are left to the next
 * run. *Cost:* one pass over the cluster, and one more for each command that changes it and has another after it.
 * *Source:* E13, E29, E33–E36.
 */
export function stepCommands(before: Pass, { methods, ...context }: Execution): Stepping {
  const actions: Action[] = [];
  const ahead: DisruptionCommand[] = [];
  const { steps } = before;
  let { snapshot } = before;
  let current: Pass | undefined = before;
  const { commands } = snapshot;
  const inFlight = commands.filter(isReplacing).length;
  for (const command of commands.toSorted(byDecision)) {
    if (isReplacing(command) || command.validateAtMs <= context.nowMs) {
      if (actions.length > 0 && steps.left() <= 0) return { actions, snapshot, isWhole: false };
      if (current === undefined) steps.spend(stepsOfPass(snapshot));
      current ??= passOver(snapshot, context, steps);
      const step = isReplacing(command)
        ? awaitReplacements(command, { pass: current, ahead, inFlight })
        : validated(command, { methods, ahead, context, pass: current, decided: actions });
      if (step.length > 0) {
        actions.push(...step);
        snapshot = afterActions(snapshot, step, context.nowMs);
        current = undefined;
        steps.spend(command.candidates.length);
      }
    }
    ahead.push(...snapshot.commands.filter(({ id }) => id === command.id));
  }
  return { actions, snapshot, isWhole: true };
}

function byDecision(a: DisruptionCommand, b: DisruptionCommand): number {
  const byState = Number(isReplacing(b)) - Number(isReplacing(a));
  return byState || a.decidedAtMs - b.decidedAtMs || compareText(a.id, b.id);
}

interface Validation {
  readonly methods: readonly Method[];
  readonly ahead: readonly DisruptionCommand[];
  readonly context: StartContext;
  readonly pass: Pass;
  /** The actions of the commands ahead, in the same decision. */
  readonly decided: readonly Action[];
}

function validated(
  command: ProposedCommand,
  { methods, ahead, context, pass, decided }: Validation,
): readonly Action[] {
  const method = methods.find(({ name }) => name === command.method);
  const validate = (one: Pass | undefined): Move | undefined => {
    const move = one && method?.validate(command, one.worldBeside(ahead));
    return move?.candidates.length === 0 ? undefined : move;
  };
  const move = validate(pass) ?? validate(pass.firstFit());
  if (move === undefined) return [endOfValidation(command, 0)];
  if (move.replacements.length === 0) {
    const deletions = move.candidates.map((candidate) => deletionOf(candidate, { command, atRest: pass.atRest }));
    return [
      ...deletions,
      { ...endOfValidation(command, move.candidates.length), ...movedBy(command, move.candidates, pass) },
    ];
  }
  const { moves, over } = withinLimits([move], { snapshot: pass.snapshot, all: holdingNodes(pass.all, decided) });
  const [fitting] = moves;
  if (fitting !== undefined) return startReplacing(command, fitting, context);
  const why = over[0]?.message ?? 'the limits of the NodePools have no room for its replacements';
  return [endOf(command, 'rejected', why)];
}

/** B23, promise 2: a node that the same decision deletes holds its share of the limits, because its deletion may fail. */
function holdingNodes(all: readonly StateNode[], decided: readonly Action[]): readonly StateNode[] {
  const deleted = new Set(decided.flatMap((one) => (one.kind === 'delete-node-claim' ? [one.nodeClaim] : [])));
  if (deleted.size === 0) return all;
  return all.map((one) => (deleted.has(one.nodeClaim?.name ?? '') ? { ...one, replaced: true } : one));
}

function endOfValidation(command: DisruptionCommand, valid: number): ReturnType<typeof endOf> {
  const { length } = command.candidates;
  const lost = length - valid;
  const why = lost === 0 ? 'all candidates are valid' : `${lost} of ${length} candidates are no longer valid`;
  return endOf(command, valid > 0 ? 'executed' : 'rejected', why);
}
