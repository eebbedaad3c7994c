import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { isQuantity } from '../../apis/formats/quantity.ts';
import type { ExpressionVariables } from '../../apis/kubelet-expression.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { optional } from '../../apis/optional.ts';
import type { TypeKubelet } from '../model/instance-type.ts';
import { type CapacitySettings, maxPodsOf, needsMaxPods, podsByNetwork } from './capacity.ts';
import type { InstanceTypeFacts } from './facts.ts';
import { type KubeletExpressionProblem, type KubeletExpressions, kubeletExpressionsOf } from './kubelet-expressions.ts';

/** The kubelet settings computed for one type, and the expressions that failed for it. */
export interface WorkedOutKubelet {
  /** Absent if nothing is computed. */
  readonly kubelet?: TypeKubelet;
  readonly problems: readonly KubeletExpressionProblem[];
}

/**
 * Returns a function that computes the kubelet settings of a type. Expressions are enabled in Kerf; in Karpenter they need
 * the feature gate NodeClassCEL.
 * *Errors:* values; an expression without a result for a type leaves the default there, as in Karpenter. *Cost:* compiles the
 * expressions once. *Source:* A3.17; where the image may count other pods than the plan, C7 and C56.
 */
export function kubeletWorker(
  nodeClass: EC2NodeClass,
  settings: CapacitySettings = {},
): (facts: InstanceTypeFacts) => WorkedOutKubelet {
  const expressions = kubeletExpressionsOf(nodeClass);
  if (expressions === undefined && !needsMaxPods(nodeClass, settings)) return () => NOTHING;
  const plan: Plan = {
    nodeClass: withTypeKubelet(nodeClass, {}),
    expressions: expressions ?? NO_EXPRESSIONS,
    settings,
  };
  return (facts) => workOut(facts, plan);
}

const NOTHING: WorkedOutKubelet = { problems: [] };
const NO_EXPRESSIONS: KubeletExpressions = { reservations: [], invalid: [] };

/**
 * The first expression of the NodeClass that does not compile, or that has no result for one of the types.
 * *Shape:* undefined if there is none. *Cost:* O(types × expressions). *Source:* A3.17, A3.29.
 */
export function kubeletExpressionProblem(
  nodeClass: EC2NodeClass,
  facts: readonly InstanceTypeFacts[],
  settings: CapacitySettings = {},
): KubeletExpressionProblem | undefined {
  const expressions = kubeletExpressionsOf(nodeClass);
  if (expressions === undefined) return undefined;
  const [invalid] = expressions.invalid;
  if (invalid !== undefined) return invalid;
  const plan: Plan = { nodeClass: withTypeKubelet(nodeClass, {}), expressions, settings };
  for (const one of facts) {
    const [problem] = workOut(one, plan).problems;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The NodeClass with the kubelet settings of one type, without expressions. Computed values replace those of the user. */
export function withTypeKubelet(nodeClass: EC2NodeClass, computed: TypeKubelet | undefined): EC2NodeClass {
  const { kubelet } = nodeClass.spec;
  if (computed === undefined) return nodeClass;
  const { maxPods: written, kubeReserved, systemReserved, ...rest } = kubelet ?? {};
  const maxPods = computed.maxPods ?? (typeof written === 'number' ? written : undefined);
  return {
    ...nodeClass,
    spec: {
      ...nodeClass.spec,
      kubelet: {
        ...rest,
        ...optional({ maxPods }),
        ...(kubeReserved === undefined ? {} : { kubeReserved: overlaid(kubeReserved, computed.kubeReserved) }),
        ...(systemReserved === undefined ? {} : { systemReserved: overlaid(systemReserved, computed.systemReserved) }),
      },
    },
  };
}

function overlaid(written: Labels, computed: Labels | undefined): Labels {
  return { ...Object.fromEntries(Object.entries(written).filter(([, amount]) => isQuantity(amount))), ...computed };
}

interface Plan {
  /** Without its expressions. */
  readonly nodeClass: EC2NodeClass;
  readonly expressions: KubeletExpressions;
  readonly settings: CapacitySettings;
}

function workOut(facts: InstanceTypeFacts, { nodeClass, expressions, settings }: Plan): WorkedOutKubelet {
  const problems: KubeletExpressionProblem[] = [...expressions.invalid];
  const variables: ExpressionVariables = {
    vcpus: facts.vcpus,
    memory_mib: facts.memoryMib,
    default_enis: facts.maxNetworkInterfaces,
    ips_per_eni: facts.ipv4PerInterface,
    max_pods: podsByNetwork(facts, nodeClass, settings),
    instance_type: facts.name,
  };
  const evaluated = expressions.maxPods?.(variables);
  if (typeof evaluated === 'object') problems.push(evaluated);
  const counted = needsMaxPods(nodeClass, settings) ? variables.max_pods : undefined;
  const maxPods = typeof evaluated === 'number' ? evaluated : counted;
  const computed: TypeKubelet = maxPods === undefined ? {} : { maxPods };
  const max_pods = maxPodsOf(facts, withTypeKubelet(nodeClass, computed), settings);
  const reserved = reservations(expressions, { ...variables, max_pods }, problems);
  return { kubelet: { ...computed, ...reserved }, problems };
}

function reservations(
  { reservations: written }: KubeletExpressions,
  variables: ExpressionVariables,
  problems: KubeletExpressionProblem[],
): Pick<TypeKubelet, 'kubeReserved' | 'systemReserved'> {
  const amounts: { kubeReserved?: Record<string, string>; systemReserved?: Record<string, string> } = {};
  for (const { field, resource, amountFor } of written) {
    const amount = amountFor(variables);
    if (typeof amount === 'string') amounts[field] = { ...amounts[field], [resource]: amount };
    else problems.push(amount);
  }
  return amounts;
}
