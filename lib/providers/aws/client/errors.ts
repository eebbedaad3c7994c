import { PortError, RefusedError, UnreachableError } from '../../../ports/errors.ts';

/** Maps the error codes of EC2, EKS, IAM, SSM, SQS and EventBridge to port errors. Other codes are mapped by their HTTP status. */
const TRANSLATION: Readonly<Record<string, 'unreachable' | 'refused'>> = {
  ConcurrentModificationException: 'unreachable',
  EC2ThrottledException: 'unreachable',
  EntityTemporarilyUnmodifiableException: 'unreachable',
  InternalError: 'unreachable',
  InternalException: 'unreachable',
  InternalFailure: 'unreachable',
  InternalServiceErrorException: 'unreachable',
  KmsThrottled: 'unreachable',
  OverLimit: 'unreachable',
  RequestLimitExceeded: 'unreachable',
  RequestThrottled: 'unreachable',
  ServerException: 'unreachable',
  ServiceUnavailable: 'unreachable',
  ServiceUnavailableException: 'unreachable',
  Throttling: 'unreachable',
  ThrottlingException: 'unreachable',
  Unavailable: 'unreachable',
  // No response, or a timeout.
  AbortError: 'unreachable',
  TimeoutError: 'unreachable',
  // Retrying does not help without a change.
  CredentialsProviderError: 'refused',
  IdempotentParameterMismatch: 'refused',
  QueueDoesNotExist: 'refused',
  ResourceNotFoundException: 'refused',
  UnauthorizedOperation: 'refused',
};

/** The scope of missing capacity. */
export type CapacityScope = 'offering' | 'node-class' | 'subnet' | 'capacity-type';

/** C33: no capacity at present. */
const CAPACITY_CODES: Readonly<Record<string, CapacityScope>> = {
  InsufficientCapacity: 'offering',
  InsufficientCapacityOnOutpost: 'offering',
  InsufficientHostCapacity: 'offering',
  InsufficientInstanceCapacity: 'offering',
  InsufficientReservedInstanceCapacity: 'offering',
  InsufficientVolumeCapacity: 'offering',
  MaxFleetCountExceeded: 'offering',
  MaxSpotInstanceCountExceeded: 'offering',
  ReservationCapacityExceeded: 'offering',
  SpotMaxPriceTooLow: 'offering',
  UnfulfillableCapacity: 'offering',
  // EC2 does not support the configuration, such as the image, with the type.
  Unsupported: 'node-class',
  VcpuLimitExceeded: 'offering',
  InsufficientFreeAddressesInSubnet: 'subnet',
  // The service-linked role for spot is missing, so no spot instance can be launched until it is created.
  'AuthFailure.ServiceLinkedRoleCreationNotPermitted': 'capacity-type',
};

export interface CapacityProblem {
  readonly scope: CapacityScope;
  /** The code without its prefix. */
  readonly reason: string;
}

/** Undefined for an error that is not about capacity. EC2 prefixes some codes with `Server.` or `Client.`. */
export function capacityProblem(code: string | undefined, message = ''): CapacityProblem | undefined {
  const reason = (code ?? '').replace(/^(Server|Client)\./, '');
  // C33: the code has many causes; only the message shows that it is about the role.
  if (reason === 'AuthFailure' && /service-linked role/i.test(message)) return { scope: 'capacity-type', reason };
  // The catalogue may be older than EC2's zones. The code is also used for invalid requests.
  if (reason === 'InvalidFleetConfiguration' && /not supported in your requested Availability Zone/i.test(message)) {
    return { scope: 'offering', reason };
  }
  const scope = Object.hasOwn(CAPACITY_CODES, reason) ? CAPACITY_CODES[reason] : undefined;
  return scope === undefined ? undefined : { scope, reason };
}

/** True for a code that does not concern the request itself. */
export function isTransientCode(code: string | undefined): boolean {
  return code !== undefined && TRANSLATION[code] === 'unreachable';
}

const THROTTLES: ReadonlySet<string> = new Set([
  'EC2ThrottledException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
]);

/** True if AWS throttled the call. */
export function isThrottled(thrown: unknown): boolean {
  return isThrottleCode(errorNameOf(thrown));
}

/** True for a code of a throttled call, also with the prefix that EC2 adds to some codes. */
export function isThrottleCode(code: string | undefined): boolean {
  return THROTTLES.has((code ?? '').replace(/^(Server|Client)\./, ''));
}

/** True for an unknown instance id: the instance was terminated long ago or never existed. */
export function isUnknownInstance(thrown: unknown): boolean {
  return errorNameOf(thrown) === 'InvalidInstanceID.NotFound' || errorNameOf(thrown) === 'InvalidInstanceID.Malformed';
}

export function isEntityMissing(thrown: unknown): boolean {
  return /^NoSuchEntity(Exception)?$/.test(errorNameOf(thrown));
}

export function isEntityTaken(thrown: unknown): boolean {
  return /^EntityAlreadyExists(Exception)?$/.test(errorNameOf(thrown));
}

export function isEntityLimit(thrown: unknown): boolean {
  return /^LimitExceeded(Exception)?$/.test(errorNameOf(thrown));
}

export function isUnknownReservation(thrown: unknown): boolean {
  return /^InvalidCapacityReservationId\.(NotFound|Malformed)$/.test(errorNameOf(thrown));
}

export function isUnknownPlacementGroup(thrown: unknown): boolean {
  return /^InvalidPlacementGroup(Id)?\.(Unknown|NotFound|Malformed)$/.test(errorNameOf(thrown));
}

export function isTemplateTaken(thrown: unknown): boolean {
  return errorNameOf(thrown) === 'InvalidLaunchTemplateName.AlreadyExistsException';
}

/** True if the region has as many launch templates as the account may have. */
export function isTemplateLimit(thrown: unknown): boolean {
  return errorNameOf(thrown) === 'MaxTemplateLimitExceeded';
}

export function isTemplateMissing(code: string | undefined): boolean {
  return code !== undefined && TEMPLATE_MISSING.has(code);
}

/** EC2 may return the last one for a template that was just created. */
const TEMPLATE_MISSING: ReadonlySet<string> = new Set([
  'InvalidLaunchTemplateName.NotFoundException',
  'InvalidLaunchTemplateId.NotFound',
  'InvalidLaunchTemplateId.VersionNotFound',
]);

/** True if the client token was used before with a different request. */
export function isTokenSpent(thrown: unknown): boolean {
  return errorNameOf(thrown) === 'IdempotentParameterMismatch';
}

/** The number of attempts of the SDK before it threw this error, which is that of the last attempt. */
export function callsOf(thrown: unknown): number {
  if (!(thrown instanceof Error) || !('$metadata' in thrown)) return 1;
  const metadata = thrown.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('attempts' in metadata)) return 1;
  return Number(metadata.attempts);
}

/** The code of an AWS error, or empty text. */
export function errorNameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : '';
}

/** Runs one SDK call, and converts its errors to port errors with a description of the operation. */
export async function translated<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    throw awsPortError(thrown, doing);
  }
}

/** *Shape:* the port error of an SDK error, with its `cause`; other errors are returned unchanged. */
export function awsPortError(thrown: unknown, doing: string): unknown {
  // A port error already: the call was not made.
  if (!(thrown instanceof Error) || thrown instanceof PortError) return thrown;
  const kind = TRANSLATION[thrown.name] ?? kindOfUnknown(thrown);
  if (kind === undefined) return thrown;
  // Node.js names the errors of connections `Error`.
  const code = thrown.name === 'Error' ? '' : `${thrown.name}: `;
  const message = `${doing}: ${code}${readable(thrown.message)}`;
  return kind === 'unreachable'
    ? new UnreachableError(message, { cause: thrown })
    : new RefusedError(message, { cause: thrown });
}

/** Removes the encoded authorization message, which is long and differs each time, and an advice of the SDK to its callers. */
export function readable(message: string): string {
  return message.replace(/\s*(Encoded authorization failure message|Deserialization error):.*$/s, '').trim();
}

/**
 * By the HTTP status of the service; a system code (`ECONNRESET`) means that there was no response. An error with the status of a success
 * means that the answer cannot be read, and the call may have taken effect.
 */
function kindOfUnknown(error: Error): 'unreachable' | 'refused' | undefined {
  if ('$metadata' in error) {
    const metadata = error.$metadata;
    const answered = typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata;
    const status = answered ? Number(metadata.httpStatusCode) : 500;
    return status < 300 || status >= 500 || status === 429 ? 'unreachable' : 'refused';
  }
  return 'code' in error && typeof error.code === 'string' && /^E[A-Z_]+$/.test(error.code) ? 'unreachable' : undefined;
}
