/** The problems that Kerf finds while it runs, and that a person must solve. `docs/runbook.md` has a section for each of them. */
export const PROBLEMS = {
  WaitingPods: 'Pods have been pending for more than five minutes, although Kerf has a node for them.',
  NodePoolNotReady:
    'A NodePool that is in use has not been Ready for more than ten minutes: no nodes are launched with it.',
  LaunchesFailing: 'EC2 refuses launches, and missing capacity is not the cause.',
  NodeClaimStuck: 'A NodeClaim does not become a node in time.',
  DrainStuck: 'The termination of a node does not end in time.',
  WebhookDisabled: 'The webhook of a cluster is disabled because its endpoint does not answer.',
  CallBudgetSpent: 'Calls of EC2 are put off because the account has used all calls that AWS allows.',
  UnexpectedError: 'Work on an object fails by a bug of Kerf, or by an answer of an unknown shape.',
} as const;

export type ProblemKind = keyof typeof PROBLEMS;

/** A problem that a run has found. */
export interface Problem {
  readonly kind: ProblemKind;
  /** The objects that are affected, the first of them by name, and the cause. */
  readonly message: string;
  readonly numbers: Readonly<Record<string, number>>;
}

/** A failure of a run that is one of the problems. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: ProblemKind;

  constructor(problem: ProblemKind, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** The number of objects that the message of a problem names. */
export const MAX_NAMES = 3;
