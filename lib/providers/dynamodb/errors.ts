import { type PortError, RefusedError, UnreachableError } from '../../ports/errors.ts';

/** The one table from DynamoDB's and S3's words to ours; conditions that fail are outcomes and never come here. */
const TRANSLATION: Readonly<Record<string, 'unreachable' | 'refused'>> = {
  InternalServerError: 'unreachable',
  ProvisionedThroughputExceededException: 'unreachable',
  ReplicatedWriteConflictException: 'unreachable',
  RequestLimitExceeded: 'unreachable',
  ServiceUnavailable: 'unreachable',
  SlowDown: 'unreachable',
  ThrottlingException: 'unreachable',
  TransactionConflictException: 'unreachable',
  TransactionInProgressException: 'unreachable',
  // Reasons inside a cancelled transaction.
  ProvisionedThroughputExceeded: 'unreachable',
  ThrottlingError: 'unreachable',
  TransactionConflict: 'unreachable',
  // The table may still be in creation, but Kerf does not create it: without it nothing works.
  ResourceNotFoundException: 'refused',
  AccessDenied: 'refused',
  AccessDeniedException: 'refused',
  NoSuchBucket: 'refused',
  ItemCollectionSizeLimitExceeded: 'refused',
  UnrecognizedClientException: 'refused',
  ValidationError: 'refused',
  ValidationException: 'refused',
  // No reply, or none in time.
  AbortError: 'unreachable',
  TimeoutError: 'unreachable',
};

/** *Shape:* the port error for what the SDK threw, `cause` kept; anything that is no SDK error comes back as it is. */
export function portErrorOf(thrown: unknown, doing: string): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const kind = TRANSLATION[thrown.name] ?? kindOfUnknown(thrown);
  if (kind === undefined) return thrown;
  const advice =
    thrown.name === 'ResourceNotFoundException' ? ': check the name of the table, its account and region' : '';
  return portError(kind, `${doing}: ${thrown.name}: ${thrown.message}${advice}`, thrown);
}

/** The same for the reason of one item of a cancelled transaction. */
export function portErrorOfReason(code: string, doing: string, cause: unknown): PortError {
  return portError(TRANSLATION[code] ?? 'refused', `${doing}: the transaction was cancelled: ${code}`, cause);
}

function portError(kind: 'unreachable' | 'refused', message: string, cause: unknown): PortError {
  return kind === 'unreachable' ? new UnreachableError(message, { cause }) : new RefusedError(message, { cause });
}

/** A status of the service decides; a system code (`ECONNRESET`) means that no reply came. */
function kindOfUnknown(error: Error): 'unreachable' | 'refused' | undefined {
  if ('$metadata' in error) {
    const metadata = error.$metadata;
    const status =
      typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
        ? Number(metadata.httpStatusCode)
        : 500;
    return status >= 500 || status === 429 ? 'unreachable' : 'refused';
  }
  return 'code' in error && typeof error.code === 'string' && /^E[A-Z_]+$/.test(error.code) ? 'unreachable' : undefined;
}
