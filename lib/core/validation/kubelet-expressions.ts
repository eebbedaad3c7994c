import { isQuantity } from '../../apis/formats/quantity.ts';
import { quote } from '../../apis/formats/quote.ts';
import { compileKubeletExpression, type ExpressionVariables } from '../../apis/kubelet-expression.ts';
import type { FieldProblem } from './field-problem.ts';

/** A3.29: a problem with the reason of the condition that reports it. */
export interface ExpressionProblem extends FieldProblem {
  readonly reason: 'KubeletExpressionInvalid' | 'KubeletExpressionEvaluationFailed';
}

/**
 * Checks the CEL expressions in `spec.kubelet` (A3.17): whether they compile, and whether they can be evaluated for a type
 * that every region has. Failures for other types are reported per instance type.
 * *Shape:* paths from `spec.kubelet`; empty where all expressions are valid.
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
    // Go decodes null as empty text.
    const text = written === null ? '' : written;
    return isExpression(text) ? problemOf(text, [field, resource]) : [];
  });
}

/** Text that begins with "-" is rejected as a negative amount, not as an expression. */
function isExpression(text: unknown): text is string {
  return typeof text === 'string' && !isQuantity(text) && !text.startsWith('-');
}

function problemOf(text: string, path: FieldProblem['path']): readonly ExpressionProblem[] {
  const expression = compileKubeletExpression(text);
  if (expression.kind === 'invalid') {
    const message = `${quote(text)} is not a valid expression: ${expression.message}`;
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
  return `${amount}, or a CEL expression over ${variables} with such a value, for example ${example}`;
}

/** The values that EC2 reports. */
const M5_LARGE: ExpressionVariables = {
  vcpus: 2,
  memory_mib: 8192,
  default_enis: 3,
  ips_per_eni: 10,
  max_pods: 29,
  instance_type: 'm5.large',
};
