import { type Problem, ProblemError, type ProblemKind } from '../../core/problems/problems.ts';
import { CallBudgetError, UnexpectedError } from '../../ports/errors.ts';
import type { RunReport } from '../run/ports.ts';

/** The problems of a run: those that it has found, and those that its failures show. One for each kind. */
export function problemsIn({ problems = [], failures }: Pick<RunReport, 'problems' | 'failures'>): readonly Problem[] {
  const failed = failures.flatMap((failure) => {
    const kind = problemOf(failure);
    return kind === undefined ? [] : [{ kind, message: failure.message }];
  });
  const ofFailures = [...Map.groupBy(failed, ({ kind }) => kind)].flatMap(([kind, all]) =>
    all.slice(0, 1).map(({ message }) => ({ kind, message, numbers: { failures: all.length } })),
  );
  return [...problems, ...ofFailures];
}

function problemOf(failure: unknown): ProblemKind | undefined {
  if (failure instanceof ProblemError) return failure.problem;
  if (failure instanceof CallBudgetError) return 'CallBudgetSpent';
  if (failure instanceof UnexpectedError) return 'UnexpectedError';
  return failure instanceof Error && failure.cause !== undefined ? problemOf(failure.cause) : undefined;
}
