/** The closed set of failures of the world. `retryable`: true where the same call may succeed later, unchanged. */
export abstract class PortError extends Error {
  abstract readonly retryable: boolean;
}

/** Another run recorded a decision for this cluster since the epoch was read: observe again. */
export class EpochMovedError extends PortError {
  override readonly name = 'EpochMovedError';
  readonly retryable = true;
}

/** The record was written by somebody else since it was read: read it again. */
export class StaleRecordError extends PortError {
  override readonly name = 'StaleRecordError';
  readonly retryable = true;
}

/** The lease lapsed, and somebody else may hold it: what it was for is theirs to do. */
export class StaleLeaseError extends PortError {
  override readonly name = 'StaleLeaseError';
  readonly retryable = true;
}

/** The service refused for load, or did not answer; nothing is known about whether the call took effect. */
export class UnreachableError extends PortError {
  override readonly name = 'UnreachableError';
  readonly retryable = true;
}

/** The service refuses the call as it stands: configuration or permissions must change first. */
export class RefusedError extends PortError {
  override readonly name = 'RefusedError';
  readonly retryable = false;
}

/** The Kubernetes object changed since it was read (HTTP 409): read it again. */
export class ConflictError extends PortError {
  override readonly name = 'ConflictError';
  readonly retryable = true;
}

/** Somebody else was faster: nothing is wrong, and another look will do. */
export function isConflict(error: unknown): boolean {
  return [EpochMovedError, StaleRecordError, StaleLeaseError, ConflictError].some((kind) => error instanceof kind);
}
