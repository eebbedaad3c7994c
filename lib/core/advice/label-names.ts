import type { ObjectMeta } from '../../apis/kubernetes.ts';
import type { FieldProblem } from '../validation/field-problem.ts';

const LONGEST_LABEL_VALUE = 63;

/** A name that its nodes bear as the value of a label, which may be shorter than the name of an object. */
export function longName({ name }: Pick<ObjectMeta, 'name'>, label: string): readonly FieldProblem[] {
  if (name.length <= LONGEST_LABEL_VALUE) return [];
  const message = `has ${name.length} characters, and the label ${label} of its nodes takes ${LONGEST_LABEL_VALUE}, so no node can ever register`;
  return [{ path: ['metadata', 'name'], message, allowed: `a name of at most ${LONGEST_LABEL_VALUE} characters` }];
}
