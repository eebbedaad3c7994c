import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { isQuantity } from '../../apis/formats/quantity.ts';
import { quote } from '../../apis/formats/quote.ts';
import { compileKubeletExpression, type ExpressionVariables } from '../../apis/kubelet-expression.ts';
import { optional } from '../../apis/optional.ts';

/** A3.29. */
export interface KubeletExpressionProblem {
  readonly reason: 'KubeletExpressionInvalid' | 'KubeletExpressionEvaluationFailed';
  readonly message: string;
}

export interface ReservedAmount {
  readonly field: 'kubeReserved' | 'systemReserved';
  readonly resource: string;
  readonly amountFor: (variables: ExpressionVariables) => string | KubeletExpressionProblem;
}

/** The compiled expressions in the kubelet settings of a NodeClass, evaluated for each type. */
export interface KubeletExpressions {
  readonly maxPods?: (variables: ExpressionVariables) => number | KubeletExpressionProblem;
  readonly reservations: readonly ReservedAmount[];
  /** Texts that do not compile. */
  readonly invalid: readonly KubeletExpressionProblem[];
}

/** Compiles the expressions of a NodeClass; undefined if it has none. *Source:* A3.17. */
export function kubeletExpressionsOf({ metadata, spec }: EC2NodeClass): KubeletExpressions | undefined {
  const { maxPods, kubeReserved, systemReserved } = spec.kubelet ?? {};
  const at = `EC2NodeClass ${metadata.name}: spec.kubelet.`;
  const invalid: KubeletExpressionProblem[] = [];
  const reservations = [
    ...textsOf(kubeReserved).map(([resource, text]) => ({ field: 'kubeReserved' as const, resource, text })),
    ...textsOf(systemReserved).map(([resource, text]) => ({ field: 'systemReserved' as const, resource, text })),
  ].flatMap(({ field, resource, text }) => {
    const amount = compiled(text, { where: `${at}${field}.${resource}`, invalid });
    return amount === undefined ? [] : [{ field, resource, amountFor: inUnitOf(resource, amount) }];
  });
  const pods = typeof maxPods === 'string' ? compiled(maxPods, { where: `${at}maxPods`, invalid }) : undefined;
  if (pods === undefined && reservations.length === 0 && invalid.length === 0) return undefined;
  return { ...optional({ maxPods: pods }), reservations, invalid };
}

function textsOf(amounts: Readonly<Record<string, string>> = {}): readonly (readonly [string, string])[] {
  return Object.entries(amounts).filter(([, text]) => !isQuantity(text));
}

type Evaluate = (variables: ExpressionVariables) => number | KubeletExpressionProblem;

/** The largest value of the kubelet's integer settings. */
const MAX_VALUE = 2 ** 31 - 1;

function compiled(
  text: string,
  { where, invalid }: { readonly where: string; readonly invalid: KubeletExpressionProblem[] },
): Evaluate | undefined {
  const expression = compileKubeletExpression(text);
  const prefix = `${where}: the expression ${quote(text)}`;
  if (expression.kind === 'invalid') {
    const message = `${prefix} does not compile: ${expression.message}: write CEL over ${EXAMPLE}`;
    invalid.push({ reason: 'KubeletExpressionInvalid', message });
    return undefined;
  }
  return (variables) => {
    const result = expression.evaluate(variables);
    if (result.kind === 'value' && result.value <= MAX_VALUE) return result.value;
    const got = result.kind === 'value' ? `the result is ${result.value}` : result.message;
    const message = `${prefix} fails for ${variables.instance_type}: ${got}: the result must be a number from 0 to ${MAX_VALUE}`;
    return { reason: 'KubeletExpressionEvaluationFailed', message };
  };
}

const EXAMPLE =
  'vcpus, memory_mib, default_enis, ips_per_eni, max_pods and instance_type, for example min(max_pods, vcpus * 8)';

/** A3.17: the unit of the result, and the multiple to which it is rounded up. */
const UNITS: Readonly<Record<string, { readonly step: number; readonly suffix: string }>> = {
  cpu: { step: 10, suffix: 'm' },
  memory: { step: 16, suffix: 'Mi' },
  'ephemeral-storage': { step: 1, suffix: 'Gi' },
};

function inUnitOf(resource: string, evaluate: Evaluate): ReservedAmount['amountFor'] {
  const { step, suffix } = UNITS[resource] ?? { step: 1, suffix: '' };
  return (variables) => {
    const result = evaluate(variables);
    return typeof result === 'number' ? `${Math.ceil(result / step) * step}${suffix}` : result;
  };
}
