import { MINUTE_MS } from '../../../apis/formats/time.ts';
import type { Condition, Node } from '../../../apis/kubernetes.ts';

/** A condition that makes a node unhealthy, and how long a node may have it before the node is replaced. */
export interface RepairPolicy {
  readonly type: string;
  readonly status: Condition['status'];
  readonly toleranceMs: number;
}

/** A condition of a node that a policy names. */
export interface UnhealthyCondition {
  readonly policy: RepairPolicy;
  readonly condition: Condition;
}

/** D29: the kubelet and the EKS node monitoring agent set these conditions. Keys are `TYPE=STATUS`. */
const TOLERANCES: Readonly<Record<string, number>> = {
  'Ready=False': 30 * MINUTE_MS,
  'Ready=Unknown': 30 * MINUTE_MS,
  'AcceleratedHardwareReady=False': 10 * MINUTE_MS,
  'ContainerRuntimeReady=False': 30 * MINUTE_MS,
  'KernelReady=False': 30 * MINUTE_MS,
  'NetworkingReady=False': 30 * MINUTE_MS,
  'StorageReady=False': 30 * MINUTE_MS,
};

const POLICY_KEY = /^([A-Za-z0-9][-A-Za-z0-9_./]*)=(True|False|Unknown)$/;

/** Whether a text is the key of a policy: `TYPE=STATUS`. */
export function isPolicyKey(key: string): boolean {
  return POLICY_KEY.test(key);
}

/** G17: the policies of D29, with the tolerances that a cluster changes or adds. *Shape:* texts that are no key are left out. */
export function repairPolicies(tolerances: Readonly<Record<string, number>> = {}): readonly RepairPolicy[] {
  return Object.entries({ ...TOLERANCES, ...tolerances }).flatMap(([key, toleranceMs]) => {
    const [, type, status] = POLICY_KEY.exec(key) ?? [];
    return type === undefined || !isStatus(status) ? [] : [{ type, status, toleranceMs }];
  });
}

function isStatus(text: string | undefined): text is Condition['status'] {
  return text === 'True' || text === 'False' || text === 'Unknown';
}

/** The conditions that make the node unhealthy, in the order of the policies. */
export function unhealthyConditions(
  { status }: Node,
  policies: readonly RepairPolicy[],
): readonly UnhealthyCondition[] {
  return policies.flatMap((policy) => {
    const condition = status?.conditions?.find(({ type }) => type === policy.type);
    return condition?.status === policy.status ? [{ policy, condition }] : [];
  });
}
