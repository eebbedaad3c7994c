/** The closed set of failures of ports. `retryable` is true if the same call, unchanged, may succeed later. */
export abstract class PortError extends Error {
  abstract readonly retryable: boolean;
}

/** Another run recorded a decision for this cluster since the epoch was read: observe again. */
export class EpochMovedError extends PortError {
  override readonly name = 'EpochMovedError';
  readonly retryable = true;
}

/** Another run has written the record since it was read: read it again. */
export class StaleRecordError extends PortError {
  override readonly name = 'StaleRecordError';
  readonly retryable = true;
}

/** The lease has expired, and another run may hold it and do its work. */
export class StaleLeaseError extends PortError {
  override readonly name = 'StaleLeaseError';
  readonly retryable = true;
}

/** The service was overloaded or did not answer. It is unknown whether the call took effect. */
export class UnreachableError extends PortError {
  override readonly name = 'UnreachableError';
  readonly retryable = true;
}

/** The call was not made, because the account has used all calls that AWS allows. */
export class CallBudgetError extends UnreachableError {}

/** The service refuses the call. It can succeed only after a change of the configuration or permissions. */
export class RefusedError extends PortError {
  override readonly name: string = 'RefusedError';
  readonly retryable = false;
}

/** An error that is not one of a port: a bug, or an answer of an unknown shape. It counts as a refusal of the object that it is about. */
export class UnexpectedError extends RefusedError {
  override readonly name = 'UnexpectedError';
}

/** The item exists in the table, and this version of Kerf cannot read it. Other items are not affected. */
export class UnreadableError extends RefusedError {
  override readonly name = 'UnreadableError';
}

/** The instance runs and does not have the ownership tags of the cluster, so it was not changed (promise 4). */
export class NotOwnedError extends RefusedError {
  override readonly name = 'NotOwnedError';
}

/** The instance belongs to another NodeClaim, so it was not recorded for this one (promise 1). */
export class InstanceTakenError extends RefusedError {
  override readonly name = 'InstanceTakenError';
}

/** The Kubernetes object has changed since it was read (HTTP 409): read it again. */
export class ConflictError extends PortError {
  override readonly name = 'ConflictError';
  readonly retryable = true;
}

/** Whether another run or user wrote first. This is not a failure: reconcile again. */
export function isConflict(error: unknown): boolean {
  return [EpochMovedError, StaleRecordError, StaleLeaseError, ConflictError].some((kind) => error instanceof kind);
}

/** The failure of work on one object, after which the work on others goes on. */
export function portErrorOf(cause: unknown): PortError {
  return cause instanceof PortError ? cause : new UnexpectedError(`unexpected error: ${String(cause)}`, { cause });
}
