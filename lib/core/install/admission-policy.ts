import { INSTALLED_LABELS, KERF_GROUPS } from './rbac.ts';

interface Metadata {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Validation {
  /** CEL. */
  readonly expression: string;
  readonly message: string;
}

export interface ValidatingAdmissionPolicy {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingAdmissionPolicy';
  readonly metadata: Metadata;
  readonly spec: {
    readonly failurePolicy: 'Fail';
    readonly matchConstraints: { readonly resourceRules: readonly Readonly<Record<string, readonly string[]>>[] };
    readonly matchConditions: readonly { readonly name: string; readonly expression: string }[];
    readonly validations: readonly Validation[];
  };
}

export interface ValidatingAdmissionPolicyBinding {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingAdmissionPolicyBinding';
  readonly metadata: Metadata;
  readonly spec: { readonly policyName: string; readonly validationActions: readonly 'Deny'[] };
}

export type AdmissionPolicy = ValidatingAdmissionPolicy | ValidatingAdmissionPolicyBinding;

const API = 'admissionregistration.k8s.io/v1';
const BY_KERF = `request.userInfo.?groups.orValue([]).exists(group, group.startsWith('${KERF_GROUPS}'))`;

/**
 * A policy for the requests of Kerf's own groups, and its binding. It concerns no other requests, so `failurePolicy: Fail` denies
 * nothing to others. *Source:* Kubernetes has the API since 1.30.
 */
export function policyForKerf(
  name: string,
  rule: Readonly<Record<string, readonly string[]>>,
  validations: readonly Validation[],
): readonly [AdmissionPolicy, AdmissionPolicy] {
  const metadata = { name, labels: INSTALLED_LABELS };
  return [
    {
      apiVersion: API,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: { resourceRules: [rule] },
        matchConditions: [{ name: 'by-kerf', expression: BY_KERF }],
        validations,
      },
    },
    {
      apiVersion: API,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}
