import { parseDuration } from '../../apis/duration.ts';
import type { ResourceList } from '../../apis/kubernetes.ts';
import { isQuantity } from '../../apis/quantity.ts';
import { quote } from '../../apis/quote.ts';
import type { FieldProblem } from './field-problem.ts';

/** What the API server's patterns let pass and no program can read: with one such object Karpenter sees none of its kind. */

export function amountProblems(amounts: ResourceList | undefined, path: FieldProblem['path']): readonly FieldProblem[] {
  return Object.entries(amounts ?? {}).flatMap(([name, amount]) =>
    isQuantity(amount)
      ? []
      : [
          {
            path: [...path, name],
            message: `${quote(amount)} is no quantity`,
            allowed: 'a quantity such as 500m, 2, 512Mi or 1e3',
          },
        ],
  );
}

/** Go counts nanoseconds in 63 bits, some 292 years. */
export function durationProblems(
  durations: Readonly<Record<string, string | undefined>>,
  path: FieldProblem['path'],
): readonly FieldProblem[] {
  return Object.entries(durations).flatMap(([name, text = 'Never']) => {
    if (text === 'Never' || parseDuration(text) !== undefined) return [];
    return [{ path: [...path, name], message: `${quote(text)} is too long`, allowed: 'at most 2562047h, or Never' }];
  });
}
