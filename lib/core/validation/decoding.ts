import { parseDuration } from '../../apis/formats/duration.ts';
import { isQuantity } from '../../apis/formats/quantity.ts';
import { quote } from '../../apis/formats/quote.ts';
import type { ResourceList } from '../../apis/kubernetes.ts';
import type { FieldProblem } from './field-problem.ts';

/** Values that match the API server's patterns but cannot be decoded. One object with such a value hides its whole kind from Karpenter. */

export function amountProblems(amounts: ResourceList | undefined, path: FieldProblem['path']): readonly FieldProblem[] {
  return Object.entries(amounts ?? {}).flatMap(([name, amount]) =>
    isQuantity(amount)
      ? []
      : [
          {
            path: [...path, name],
            message: `${quote(amount)} is not a quantity`,
            allowed: 'a quantity such as 500m, 2, 512Mi or 1e3',
          },
        ],
  );
}

/** Go stores durations as 63-bit nanoseconds, about 292 years. */
export function durationProblems(
  durations: Readonly<Record<string, string | undefined>>,
  path: FieldProblem['path'],
): readonly FieldProblem[] {
  return Object.entries(durations).flatMap(([name, text = 'Never']) => {
    if (text === 'Never' || parseDuration(text) !== undefined) return [];
    return [{ path: [...path, name], message: `${quote(text)} is too long`, allowed: 'at most 2562047h, or Never' }];
  });
}
