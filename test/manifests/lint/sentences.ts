import type { FieldProblem } from '../../../lib/core/validation/field-problem.ts';

/** Returns each problem as `field: what is wrong; write what is allowed`. */
export function sentences(problems: readonly FieldProblem[]): readonly string[] {
  return problems.map(({ path, message, allowed }) => `${path.join('.')}: ${message}; write ${allowed}`);
}
