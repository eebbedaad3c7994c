import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import type { ExpressionVariables } from '../../apis/kubelet-expression.ts';
import type { Labels } from '../../apis/kubernetes.ts';
import { isQuantity } from '../../apis/quantity.ts';
import { type CapacitySettings, delegatesPrefixes, maxPodsOf, podsByNetwork } from './capacity.ts';
import type { InstanceTypeFacts } from './facts.ts';
import type { TypeKubelet } from './instance-type.ts';
import { type KubeletExpressionProblem, type KubeletExpressions, kubeletExpressionsOf } from './kubelet-expressions.ts';

/** What one type's kubelet is told beside what the user wrote, and what could not be worked out for it. */
export interface WorkedOutKubelet {
  /** Absent where nothing is worked out. */
  readonly kubelet?: TypeKubelet;
  readonly problems: readonly KubeletExpressionProblem[];
}

/**
 * Works the NodeClass's kubelet out for one type after the other. Kerf has expressions on, where Karpenter's gate NodeClassCEL
 * is off.
 * *Errors:* values; an expression that gives nothing for a type leaves the default there, as in Karpenter. *Cost:* expressions
 * are compiled here, once. *Source:* A3.17; prefix delegation is Kerf's own (C7).
 */
export function kubeletWorker(
  nodeClass: EC2NodeClass,
  settings: CapacitySettings = {},
): (facts: InstanceTypeFacts) => WorkedOutKubelet {
  const expressions = kubeletExpressionsOf(nodeClass);
  if (expressions === undefined && (nodeClass.spec.ipPrefixCount ?? 0) === 0) return () => NOTHING;
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
 * Why the NodeClass is not to be used: an expression that is none, or that gives nothing for one of the types.
 * *Shape:* the first one; undefined where all is well. *Cost:* O(types × expressions). *Source:* A3.17, A3.29.
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

/** The NodeClass with the kubelet that a node of one type gets: amounts throughout, what is worked out over what is written. */
export function withTypeKubelet(nodeClass: EC2NodeClass, told: TypeKubelet | undefined): EC2NodeClass {
  const { kubelet } = nodeClass.spec;
  if (told === undefined) return nodeClass;
  const { maxPods: written, kubeReserved, systemReserved, ...rest } = kubelet ?? {};
  const maxPods = told.maxPods ?? (typeof written === 'number' ? written : undefined);
  return {
    ...nodeClass,
    spec: {
      ...nodeClass.spec,
      kubelet: {
        ...rest,
        ...(maxPods === undefined ? {} : { maxPods }),
        ...(kubeReserved === undefined ? {} : { kubeReserved: overlaid(kubeReserved, told.kubeReserved) }),
        ...(systemReserved === undefined ? {} : { systemReserved: overlaid(systemReserved, told.systemReserved) }),
      },
    },
  };
}

function overlaid(written: Labels, told: Labels | undefined): Labels {
  return { ...Object.fromEntries(Object.entries(written).filter(([, amount]) => isQuantity(amount))), ...told };
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
  const isWritten = nodeClass.spec.kubelet?.maxPods !== undefined;
  const byPrefix = !isWritten && delegatesPrefixes(facts, nodeClass) ? variables.max_pods : undefined;
  const maxPods = typeof evaluated === 'number' ? evaluated : byPrefix;
  const told: TypeKubelet = maxPods === undefined ? {} : { maxPods };
  const max_pods = maxPodsOf(facts, withTypeKubelet(nodeClass, told), settings);
  const reserved = reservations(expressions, { ...variables, max_pods }, problems);
  return { kubelet: { ...told, ...reserved }, problems };
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
