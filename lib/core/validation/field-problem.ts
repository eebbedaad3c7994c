/** Why a value that matches its schema is rejected. */
export interface FieldProblem {
  /** The path from the checked field; empty for that field itself. */
  readonly path: readonly (string | number)[];
  /** What is wrong. The text continues a sentence that begins with the field. */
  readonly message: string;
  /** Completes "write …". */
  readonly allowed: string;
  /** The valid names, where the last part of the path is an unknown name. */
  readonly known?: readonly string[];
}

/** Prefixes the paths of problems with the path of the part that contains them. */
export function under(path: FieldProblem['path'], problems: readonly FieldProblem[]): readonly FieldProblem[] {
  return problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
}
