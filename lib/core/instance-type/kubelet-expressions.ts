import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { compileKubeletExpression, type ExpressionVariables } from '../../apis/kubelet-expression.ts';
import { isQuantity } from '../../apis/quantity.ts';
import { quote } from '../../apis/quote.ts';

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

/** What of a NodeClass's kubelet is worked out for each type. */
export interface KubeletExpressions {
  readonly maxPods?: (variables: ExpressionVariables) => number | KubeletExpressionProblem;
  readonly reservations: readonly ReservedAmount[];
  /** Those that are none, whatever the type. */
  readonly invalid: readonly KubeletExpressionProblem[];
}

/** Compiles the expressions of a NodeClass; undefined where it has none. *Source:* A3.17. */
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
  return { ...(pods === undefined ? {} : { maxPods: pods }), reservations, invalid };
}

function textsOf(amounts: Readonly<Record<string, string>> = {}): readonly (readonly [string, string])[] {
  return Object.entries(amounts).filter(([, text]) => !isQuantity(text));
}

type Evaluate = (variables: ExpressionVariables) => number | KubeletExpressionProblem;

/** As much as the kubelet's own counts hold. */
const MOST = 2 ** 31 - 1;

function compiled(
  text: string,
  { where, invalid }: { readonly where: string; readonly invalid: KubeletExpressionProblem[] },
): Evaluate | undefined {
  const expression = compileKubeletExpression(text);
  const told = `${where}: the expression ${quote(text)}`;
  if (expression.kind === 'invalid') {
    const message = `${told} cannot be worked out: ${expression.message}: write CEL over ${EXAMPLE}`;
    invalid.push({ reason: 'KubeletExpressionInvalid', message });
    return undefined;
  }
  return (variables) => {
    const result = expression.evaluate(variables);
    if (result.kind === 'value' && result.value <= MOST) return result.value;
    const got = result.kind === 'value' ? `it gives ${result.value}` : result.message;
    const message = `${told} fails for ${variables.instance_type}: ${got}: it has to give a number from 0 to ${MOST}`;
    return { reason: 'KubeletExpressionEvaluationFailed', message };
  };
}

const EXAMPLE =
  'vcpus, memory_mib, default_enis, ips_per_eni, max_pods and instance_type, such as min(max_pods, vcpus * 8)';

/** A3.17: what the number means, and to what it is rounded up. */
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
