import { type PortError, RefusedError, UnreachableError } from '../../ports/errors.ts';

/** Maps the error codes of DynamoDB and S3 to port errors. Failed conditions are outcomes, not errors. */
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
  // Reasons of a cancelled transaction.
  ProvisionedThroughputExceeded: 'unreachable',
  ThrottlingError: 'unreachable',
  TransactionConflict: 'unreachable',
  // Kerf does not create the table, and does not work without it.
  ResourceNotFoundException: 'refused',
  AccessDenied: 'refused',
  AccessDeniedException: 'refused',
  NoSuchBucket: 'refused',
  ItemCollectionSizeLimitExceeded: 'refused',
  UnrecognizedClientException: 'refused',
  ValidationError: 'refused',
  ValidationException: 'refused',
  // No response, or a timeout.
  AbortError: 'unreachable',
  TimeoutError: 'unreachable',
};

/** *Shape:* the port error of an SDK error, with its `cause`; other errors are returned unchanged. */
export function dynamoDbPortError(thrown: unknown, doing: string): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const kind = TRANSLATION[thrown.name] ?? kindOfUnknown(thrown);
  if (kind === undefined) return thrown;
  const advice = thrown.name === 'ResourceNotFoundException' ? '; check the name, account and region of the table' : '';
  return portError(kind, `${doing}: ${thrown.name}: ${thrown.message}${advice}`, thrown);
}

/** The port error for the reason of one item in a cancelled transaction. */
export function portErrorOfReason(code: string, doing: string, cause: unknown): PortError {
  return portError(TRANSLATION[code] ?? 'refused', `${doing}: the transaction was cancelled: ${code}`, cause);
}

function portError(kind: 'unreachable' | 'refused', message: string, cause: unknown): PortError {
  return kind === 'unreachable' ? new UnreachableError(message, { cause }) : new RefusedError(message, { cause });
}

/** As in `awsPortError`: an answer with the status of a success that cannot be read may be that of a write. */
function kindOfUnknown(error: Error): 'unreachable' | 'refused' | undefined {
  if ('$metadata' in error) {
    const metadata = error.$metadata;
    const status =
      typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
        ? Number(metadata.httpStatusCode)
        : 500;
    return status < 300 || status >= 500 || status === 429 ? 'unreachable' : 'refused';
  }
  return 'code' in error && typeof error.code === 'string' && /^E[A-Z_]+$/.test(error.code) ? 'unreachable' : undefined;
}
