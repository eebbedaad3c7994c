/** Why a value that its schema lets through is refused all the same. */
export interface FieldProblem {
  /** From the field that was looked at; empty for that field itself. */
  readonly path: readonly (string | number)[];
  /** What is wrong, as the end of a sentence that begins with the field. */
  readonly message: string;
  /** Completes "write …". */
  readonly allowed: string;
  /** The names that could have been meant, where the last part of the path is a name that does not exist. */
  readonly known?: readonly string[];
}

/** The problems of a part, seen from what is around it. */
export function under(path: FieldProblem['path'], problems: readonly FieldProblem[]): readonly FieldProblem[] {
  return problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
}
