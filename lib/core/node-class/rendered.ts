/** User data in the language of its AMI family, or why there is none. */
export type Rendered = { readonly kind: 'text'; readonly text: string } | Refused;

export interface Refused {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  /** Without the name of the NodeClass. */
  readonly message: string;
}

/** As the NodeClass's condition names it (A3.29). */
export type RefusalReason =
  /** A3.18: a field of `kubelet` that nodes of the family would not get. */
  | 'UnsupportedKubeletConfiguration'
  /** A3.17: an expression that was not worked out for the type. */
  | 'KubeletExpressionEvaluationFailed'
  /** What the user wrote is nothing that ours can be joined with. */
  | 'UnreadableUserData'
  | 'UserDataSizeLimitExceeded';

export function asText(text: string): Rendered {
  return { kind: 'text', text };
}

export function refused(reason: RefusalReason, message: string): Refused {
  return { kind: 'refused', reason, message };
}
