import { PortError, RefusedError, UnreachableError } from '../../ports/errors.ts';

/** The one table from the words of EC2, EKS, IAM, SSM, SQS and EventBridge to ours; a code that is not here goes by its status. */
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
  // No reply, or none in time.
  AbortError: 'unreachable',
  TimeoutError: 'unreachable',
  // Somebody must change something first.
  CredentialsProviderError: 'refused',
  IdempotentParameterMismatch: 'refused',
  QueueDoesNotExist: 'refused',
  ResourceNotFoundException: 'refused',
  UnauthorizedOperation: 'refused',
};

/** How far a lack of capacity reaches. */
export type CapacityScope = 'offering' | 'subnet' | 'capacity-type';

/** C33: no capacity of this kind there, just now. */
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
  Unsupported: 'offering',
  VcpuLimitExceeded: 'offering',
  InsufficientFreeAddressesInSubnet: 'subnet',
  // The service-linked role for spot is missing: no spot at all until somebody creates it.
  'AuthFailure.ServiceLinkedRoleCreationNotPermitted': 'capacity-type',
};

export interface CapacityProblem {
  readonly scope: CapacityScope;
  /** The code without its prefix. */
  readonly reason: string;
}

/** Undefined for an error that does not speak of capacity. EC2 puts `Server.` or `Client.` before some codes. */
export function capacityProblem(code: string | undefined, message = ''): CapacityProblem | undefined {
  const reason = (code ?? '').replace(/^(Server|Client)\./, '');
  // C33: the bare code means many things; only the message tells that it is about the role.
  if (reason === 'AuthFailure' && /service-linked role/i.test(message)) return { scope: 'capacity-type', reason };
  // The catalogue may be older than EC2's zones; the code also stands for requests that are wrong.
  if (reason === 'InvalidFleetConfiguration' && /not supported in your requested Availability Zone/i.test(message)) {
    return { scope: 'offering', reason };
  }
  const scope = Object.hasOwn(CAPACITY_CODES, reason) ? CAPACITY_CODES[reason] : undefined;
  return scope === undefined ? undefined : { scope, reason };
}

/** True for a code that says nothing against the request itself. */
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

/** AWS refused the call because there are too many of its kind. */
export function isThrottled(thrown: unknown): boolean {
  return THROTTLES.has(nameOf(thrown));
}

/** An instance id that EC2 does not know: it was terminated long ago, or never was. */
export function isUnknownInstance(thrown: unknown): boolean {
  return nameOf(thrown) === 'InvalidInstanceID.NotFound' || nameOf(thrown) === 'InvalidInstanceID.Malformed';
}

export function isEntityMissing(thrown: unknown): boolean {
  return /^NoSuchEntity(Exception)?$/.test(nameOf(thrown));
}

export function isEntityTaken(thrown: unknown): boolean {
  return /^EntityAlreadyExists(Exception)?$/.test(nameOf(thrown));
}

export function isEntityLimit(thrown: unknown): boolean {
  return /^LimitExceeded(Exception)?$/.test(nameOf(thrown));
}

export function isUnknownReservation(thrown: unknown): boolean {
  return /^InvalidCapacityReservationId\.(NotFound|Malformed)$/.test(nameOf(thrown));
}

export function isUnknownPlacementGroup(thrown: unknown): boolean {
  return /^InvalidPlacementGroup(Id)?\.(Unknown|NotFound|Malformed)$/.test(nameOf(thrown));
}

export function isTemplateTaken(thrown: unknown): boolean {
  return nameOf(thrown) === 'InvalidLaunchTemplateName.AlreadyExistsException';
}

export function isTemplateMissing(code: string | undefined): boolean {
  return code !== undefined && TEMPLATE_MISSING.has(code);
}

/** The last one EC2 may say of a template that was made a moment ago. */
const TEMPLATE_MISSING: ReadonlySet<string> = new Set([
  'InvalidLaunchTemplateName.NotFoundException',
  'InvalidLaunchTemplateId.NotFound',
  'InvalidLaunchTemplateId.VersionNotFound',
]);

/** The client token was used before, and what came with it then was not the same. */
export function isTokenSpent(thrown: unknown): boolean {
  return nameOf(thrown) === 'IdempotentParameterMismatch';
}

/** How often the SDK called before it threw this: what it threw is the last answer only. */
export function callsOf(thrown: unknown): number {
  if (!(thrown instanceof Error) || !('$metadata' in thrown)) return 1;
  const metadata = thrown.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('attempts' in metadata)) return 1;
  return Number(metadata.attempts);
}

/** The code of an AWS error, or an empty text. */
export function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : '';
}

/** Runs one call of an SDK; what it throws becomes a port error that says what was tried. */
export async function translated<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    throw portErrorOf(thrown, doing);
  }
}

/** *Shape:* the port error for what the SDK threw, `cause` kept; anything that is no SDK error comes back as it is. */
export function portErrorOf(thrown: unknown, doing: string): unknown {
  // Of our own making already: the call was never made.
  if (!(thrown instanceof Error) || thrown instanceof PortError) return thrown;
  const kind = TRANSLATION[thrown.name] ?? kindOfUnknown(thrown);
  if (kind === undefined) return thrown;
  const message = `${doing}: ${thrown.name}: ${readable(thrown.message)}`;
  return kind === 'unreachable'
    ? new UnreachableError(message, { cause: thrown })
    : new RefusedError(message, { cause: thrown });
}

/** Without the text that only `aws sts decode-authorization-message` can read: it is long, and another each time. */
export function readable(message: string): string {
  return message.replace(/\s*Encoded authorization failure message:.*$/s, '').trim();
}

/** A status of the service decides; a system code (`ECONNRESET`) means that no reply came. */
function kindOfUnknown(error: Error): 'unreachable' | 'refused' | undefined {
  if ('$metadata' in error) {
    const metadata = error.$metadata;
    const answered = typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata;
    const status = answered ? Number(metadata.httpStatusCode) : 500;
    return status >= 500 || status === 429 ? 'unreachable' : 'refused';
  }
  return 'code' in error && typeof error.code === 'string' && /^E[A-Z_]+$/.test(error.code) ? 'unreachable' : undefined;
}
