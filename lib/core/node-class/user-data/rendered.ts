/** User data in the format of its AMI family, or why it cannot be written. */
export type Rendered = { readonly kind: 'text'; readonly text: string } | Refused;

export interface Refused {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  /** Without the name of the NodeClass. */
  readonly message: string;
}

/** The reasons in the conditions of a NodeClass (A3.29). */
export type RefusalReason =
  /** A3.18: a field of `kubelet` that the AMI family does not support. */
  | 'UnsupportedKubeletConfiguration'
  /** A3.17: an expression without a value for the type. */
  | 'KubeletExpressionEvaluationFailed'
  /** The user data of the NodeClass cannot be merged. */
  | 'UnreadableUserData'
  | 'UserDataSizeLimitExceeded';

export function asText(text: string): Rendered {
  return { kind: 'text', text };
}

export function refused(reason: RefusalReason, message: string): Refused {
  return { kind: 'refused', reason, message };
}
