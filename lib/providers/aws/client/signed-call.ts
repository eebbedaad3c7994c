import type { Clock } from '../../../ports/clock.ts';
import { type PortError, RefusedError, UnreachableError } from '../../../ports/errors.ts';
import { type AwsCredentials, awsDomain, requestSigner } from './request-signer.ts';

/** Where and as whom an API is called for which no client of the SDK is used. */
export interface SignedCallOptions {
  readonly region: string;
  readonly credentials: () => Promise<AwsCredentials>;
  readonly clock: Clock;
  /** Of an emulator. @default the service in the region */
  readonly endpoint?: string;
  /** @default the runtime's own */
  readonly fetch?: typeof fetch;
}

export interface SignedRequest {
  /** The name in the host and in the signature, such as `servicequotas`. */
  readonly service: string;
  readonly method: 'GET' | 'POST';
  /** Encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** For the error: what fails, and the name of the service. */
  readonly doing: string;
  readonly serviceName: string;
}

export interface SignedAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends one signed request. *Errors:* UnreachableError without an answer. *Shape:* an answer of any status. */
export async function signedCall(options: SignedCallOptions, request: SignedRequest): Promise<SignedAnswer> {
  const { region, credentials, clock, fetch: call = fetch } = options;
  const { service, method, path, body, timeoutMs } = request;
  const url = new URL(path, options.endpoint ?? `https://${service}.${region}.${awsDomain(region)}`);
  const signer = requestSigner({ service, region, credentials: await credentials() });
  const ofBody = body === undefined ? {} : { body };
  const headers = { ...request.headers, host: url.host };
  const signed = await signer.sign(
    { method, protocol: url.protocol, hostname: url.host, path, headers, ...ofBody },
    { signingDate: new Date(clock.now()) },
  );
  try {
    const answer = await call(url, {
      method,
      headers: signed.headers,
      signal: AbortSignal.timeout(timeoutMs),
      ...ofBody,
    });
    return { status: answer.status, text: await answer.text() };
  } catch (cause) {
    throw unreachable(request, `${request.serviceName} did not answer within ${timeoutMs} ms`, cause);
  }
}

/**
 * The same for an API that answers JSON. `hint`: what a refusal needs. *Shape:* undefined for a status of `absent`. *Errors:*
 * UnreachableError, also for a throttled call; RefusedError.
 */
export async function signedJson(
  options: SignedCallOptions,
  request: SignedRequest,
  { absent, hint }: { readonly absent?: number; readonly hint: string },
): Promise<unknown> {
  const { status, text } = await signedCall(options, request);
  if (status === absent) return undefined;
  if (status < 300) {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw unreachable(request, `${request.serviceName} did not answer with JSON`, cause);
    }
  }
  const problem = refusalOf(request, { status, text });
  throw problem instanceof RefusedError ? new RefusedError(`${problem.message}; ${hint}`) : problem;
}

/** The error of an answer that is not a success. */
export function refusalOf({ doing, serviceName }: SignedRequest, { status, text }: SignedAnswer): PortError {
  const message = `${doing}: ${serviceName} answered ${status}: ${text.slice(0, 300)}`;
  return status === 429 || status >= 500 || /TooManyRequests|Throttling/.test(text)
    ? new UnreachableError(message)
    : new RefusedError(message);
}

function unreachable({ doing }: SignedRequest, why: string, cause: unknown): UnreachableError {
  return new UnreachableError(`${doing}: ${why}; try again later`, { cause });
}
