import { compareText } from '../compare-text.ts';
import type { Action } from '../model/decision.ts';
import type { DisruptionCommand } from '../model/disruption-command.ts';
import type { DeletionReason } from '../model/node-claim-record.ts';
import { type Candidate, describeCandidate } from './candidates.ts';
import type { Method, World } from './method.ts';

export interface Execution {
  readonly methods: readonly Method[];
  /** Every command of the cluster, due or not. */
  readonly commands: readonly DisruptionCommand[];
  readonly nowMs: number;
  /** The world outside the commands that are executed before. */
  readonly worldBeside: (commands: readonly DisruptionCommand[]) => World;
  /** Names of nodes whose only pods can wait (ignoreAtZero). */
  readonly atRest: ReadonlySet<string>;
}

/**
 * Validates the commands that are due and executes the part that is still valid. Two runs may have proposed the same node, or used
 * the same budget. The command that was decided first comes first, ties by id, and the later ones count its nodes as disrupted.
 * *Shape:* deletions, and one `end-disruption` for each command. *Source:* E13, E29.
 */
export function executeDue({ methods, commands, nowMs, worldBeside, atRest }: Execution): readonly Action[] {
  const actions: Action[] = [];
  const ahead: DisruptionCommand[] = [];
  for (const command of commands.toSorted(byDecision)) {
    if (command.validateAtMs > nowMs) {
      ahead.push(command);
      continue;
    }
    const method = methods.find(({ name }) => name === command.method);
    const valid = method?.validate(command, worldBeside(ahead))?.candidates ?? [];
    actions.push(...valid.map((candidate) => deletionOf(candidate, command, atRest)), endOf(command, valid.length));
    if (valid.length > 0) ahead.push({ ...command, candidates: valid.map(describeCandidate) });
  }
  return actions;
}

function byDecision(a: DisruptionCommand, b: DisruptionCommand): number {
  return a.decidedAtMs - b.decidedAtMs || compareText(a.id, b.id);
}

function endOf({ id, candidates }: DisruptionCommand, valid: number): Action {
  const lost = candidates.length - valid;
  const why =
    lost === 0 ? 'all candidates are valid' : `${lost} of ${candidates.length} candidates are no longer valid`;
  return { kind: 'end-disruption', command: id, outcome: valid > 0 ? 'executed' : 'rejected', why };
}

function deletionOf(
  { nodeClaim, stateNode }: Candidate,
  command: DisruptionCommand,
  atRest: ReadonlySet<string>,
): Action {
  const reason = DELETION_REASON[command.reason];
  const waiting = atRest.has(stateNode.name);
  return {
    kind: 'delete-node-claim',
    nodeClaim: nodeClaim.name,
    reason,
    message: `node ${stateNode.name} is ${reason} (${command.method})${waiting ? ' except for pods that can wait' : ''}`,
    ...(waiting && { atRest: true as const }),
  };
}

export const DELETION_REASON = {
  Empty: 'empty',
  Underutilized: 'underutilized',
  Drifted: 'drifted',
} as const satisfies Record<DisruptionCommand['reason'], DeletionReason>;
