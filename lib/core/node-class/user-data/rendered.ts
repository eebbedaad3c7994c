/** User data in the format of its AMI family, or why it cannot be written. */
export type Rendered = { readonly kind: 'text'; readonly text: string } | Refused;

export type Refused = RefusedSetting | RefusedUserData;

interface RefusedSetting {
  readonly kind: 'refused';
  readonly reason: Exclude<RefusalReason, 'UnreadableUserData'>;
  /** Without the name of the NodeClass. */
  readonly message: string;
}

interface RefusedUserData {
  readonly kind: 'refused';
  readonly reason: 'UnreadableUserData';
  readonly message: string;
  /** The parts of the message. */
  readonly problem: UserDataProblem;
}

/** Why the user data of a NodeClass cannot be merged. */
export interface UserDataProblem {
  /** A sentence without its subject, which is the user data. */
  readonly message: string;
  /** What to write instead. */
  readonly allowed: string;
}

/** User data that a reader does not understand. */
export interface Unreadable extends UserDataProblem {
  readonly kind: 'unreadable';
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

export function refused(reason: RefusedSetting['reason'], message: string): Refused {
  return { kind: 'refused', reason, message };
}

export function refusedUserData({ message, allowed }: UserDataProblem): Refused {
  return {
    kind: 'refused',
    reason: 'UnreadableUserData',
    message: `userData ${message}; write ${allowed}`,
    problem: { message, allowed },
  };
}

export function unreadable(message: string, allowed: string): Unreadable {
  return { kind: 'unreadable', message, allowed };
}
