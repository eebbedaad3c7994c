import { compileKubeletExpression, type ExpressionVariables } from '../../apis/kubelet-expression.ts';
import { isQuantity } from '../../apis/quantity.ts';
import { quote } from '../../apis/quote.ts';
import type { FieldProblem } from './field-problem.ts';

/** A3.29: with the reason of the condition that tells of it. */
export interface ExpressionProblem extends FieldProblem {
  readonly reason: 'KubeletExpressionInvalid' | 'KubeletExpressionEvaluationFailed';
}

/**
 * Why texts of `spec.kubelet` that stand for an amount of each instance type cannot be worked out (A3.17): as CEL, or for a type
 * that every region has. Of the others the instance types themselves are told.
 * *Shape:* paths from `spec.kubelet`; empty where all is well.
 */
export function kubeletExpressionProblems(kubelet: Readonly<Record<string, unknown>>): readonly ExpressionProblem[] {
  const { maxPods } = kubelet;
  return [
    ...(typeof maxPods === 'string' ? problemOf(maxPods, ['maxPods']) : []),
    ...['kubeReserved', 'systemReserved'].flatMap((field) => reservedProblems(kubelet[field], field)),
  ];
}

function reservedProblems(amounts: unknown, field: string): readonly ExpressionProblem[] {
  if (typeof amounts !== 'object' || amounts === null || Array.isArray(amounts)) return [];
  return Object.entries(amounts).flatMap(([resource, written]: [string, unknown]) => {
    // Null is empty text to Go.
    const text = written === null ? '' : written;
    return isExpression(text) ? problemOf(text, [field, resource]) : [];
  });
}

/** What begins like an amount below zero is refused as one. */
function isExpression(text: unknown): text is string {
  return typeof text === 'string' && !isQuantity(text) && !text.startsWith('-');
}

function problemOf(text: string, path: FieldProblem['path']): readonly ExpressionProblem[] {
  const expression = compileKubeletExpression(text);
  if (expression.kind === 'invalid') {
    const message = `${quote(text)} is no expression: ${expression.message}`;
    return [{ reason: 'KubeletExpressionInvalid', path, message, allowed: allowedAt(path) }];
  }
  const result = expression.evaluate(M5_LARGE);
  if (result.kind === 'value') return [];
  const message = `${quote(text)} fails for ${M5_LARGE.instance_type}: ${result.message}`;
  return [{ reason: 'KubeletExpressionEvaluationFailed', path, message, allowed: allowedAt(path) }];
}

function allowedAt([field]: FieldProblem['path']): string {
  const amount =
    field === 'maxPods' ? 'a whole number of zero or more without quotes' : 'a quantity such as 100m or 1Gi';
  const variables = Object.keys(M5_LARGE).join(', ');
  const example = field === 'maxPods' ? 'min(max_pods, vcpus * 8)' : 'memory_mib / 20';
  return `${amount}, or CEL over ${variables} that gives one, such as ${example}`;
}

/** As EC2 describes it. */
const M5_LARGE: ExpressionVariables = {
  vcpus: 2,
  memory_mib: 8192,
  default_enis: 3,
  ips_per_eni: 10,
  max_pods: 29,
  instance_type: 'm5.large',
};
