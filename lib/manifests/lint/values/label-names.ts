import type { ObjectMeta } from '../../../apis/kubernetes.ts';
import type { FieldProblem } from '../../../core/validation/field-problem.ts';

const LONGEST_LABEL_VALUE = 63;

/** Warns of a name that is too long for the label that its nodes get: label values are shorter than object names. */
export function longName({ name }: Pick<ObjectMeta, 'name'>, label: string): readonly FieldProblem[] {
  if (name.length <= LONGEST_LABEL_VALUE) return [];
  const message = `has ${name.length} characters, but the label ${label} of its nodes allows ${LONGEST_LABEL_VALUE}, so no node can register`;
  return [{ path: ['metadata', 'name'], message, allowed: `a name of at most ${LONGEST_LABEL_VALUE} characters` }];
}
