import { quote } from '../../apis/formats/quote.ts';
import type { LabelSelector, NodeSelectorRequirement } from '../../apis/kubernetes.ts';
import type { Path, Report } from '../explain/problem.ts';

/** Checks the Kubernetes rules for the node affinity of a pod. */
export function checkNodeSelectorRequirements(
  requirements: readonly NodeSelectorRequirement[] | undefined,
  at: Path,
  report: Report,
): void {
  for (const [index, requirement] of (requirements ?? []).entries()) {
    checkValueCount(requirement, [...at, index], report);
    checkNoValues(requirement, [...at, index], report);
    if (requirement.operator === 'NotIn') checkSomeValues(requirement, [...at, index], report);
  }
}

export function checkLabelSelector(selector: LabelSelector | undefined, at: Path, report: Report): void {
  for (const [index, expression] of (selector?.matchExpressions ?? []).entries()) {
    const here = [...at, 'matchExpressions', index];
    checkNoValues(expression, here, report);
    if (expression.operator === 'In' || expression.operator === 'NotIn') checkSomeValues(expression, here, report);
  }
}

function checkValueCount({ operator, values = [] }: NodeSelectorRequirement, at: Path, report: Report): void {
  if (operator === 'In') checkSomeValues({ operator, values }, at, report);
  if (operator !== 'Gt' && operator !== 'Lt' && operator !== 'Gte' && operator !== 'Lte') return;
  const [value = ''] = values;
  if (values.length === 1 && /^\d+$/.test(value)) return;
  const message =
    values.length === 1
      ? `${quote(value)} is not a whole number of zero or more`
      : `${operator} has ${values.length} values`;
  report([...at, 'values'], message, 'exactly one whole number of zero or more in quotes, such as ["4"]');
}

function checkSomeValues(
  { operator, values = [] }: Pick<NodeSelectorRequirement, 'operator' | 'values'>,
  at: Path,
  report: Report,
): void {
  if (values.length === 0) report([...at, 'values'], `${operator} has no values`, 'at least one value, such as ["a"]');
}

function checkNoValues(
  { operator, values = [] }: Pick<NodeSelectorRequirement, 'operator' | 'values'>,
  at: Path,
  report: Report,
): void {
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    report(
      [...at, 'values'],
      `the operator ${operator} takes no values, but ${values.length} ${values.length === 1 ? 'is' : 'are'} given`,
      'no values, or use the operator In or NotIn',
    );
  }
}
