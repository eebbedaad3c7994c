import * as http from 'node:http';
import * as https from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';
import { optional } from '../../../apis/optional.ts';
import { fieldsOf } from '../project/project.ts';
import { type ApiResponse, kubernetesPortError, noAnswer, withTrueStatus } from './errors.ts';
import { closingOld } from './kept-connections.ts';
import { Silence } from './silence.ts';

export interface ApiClientOptions {
  /** `https://…`, as returned by EKS. */
  readonly endpoint: string;
  /** PEM; absent where the certificate is issued by a system authority, or without TLS. */
  readonly certificateAuthority?: string;
  /** The host name in the server's certificate. @default that of the endpoint */
  readonly tlsServerName?: string;
  /** Called before each request, and once with a token that the server rejected (401). The source caches tokens. */
  readonly token?: (refused?: string) => Promise<string>;
  /** Removed from the messages of refused requests: an API server repeats invalid values. @default none */
  readonly secrets?: readonly string[];
  /** For a call, and for the next bytes of a streamed list. @default 10 s */
  readonly timeoutMs?: number;
  /** For the begin of a streamed response. @default 15 s */
  readonly streamTimeoutMs?: number;
  /** For a new connection. @default 3 s */
  readonly connectTimeoutMs?: number;
  /** In milliseconds. @default the time of the process */
  readonly now?: () => number;
  /** Between 0 and 1: spreads the retries of functions that were rejected at the same time. @default Math.random */
  readonly random?: () => number;
  /** Waits before a retry. @default a timer */
  readonly sleep?: (ms: number) => Promise<void>;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** @default application/json */
  readonly contentType?: string;
  /** @default application/json */
  readonly accept?: string;
  /** Whether a response is returned without a retry, because it has another meaning here. @default none is */
  readonly isFinal?: (response: ApiResponse) => boolean;
}

const TIMEOUT_MS = 10_000;
const ATTEMPTS = 3;
/** Of calls without a connection, each of which takes three seconds. */
const CONNECTIONS = 2;
/** For a longer Retry-After, the next run of the caller is the retry. */
const LONGEST_WAIT_MS = 2_000;
const FIRST_WAIT_MS = 100;
/** In bytes. A long list takes 20 % less CPU than with the default of 16 KiB. */
const UNZIPPED_AT_ONCE = 256 * 1024;
/** Answered without a token. */
const PROBE: ApiRequest = { method: 'GET', path: '/version' };
const LONGEST_PROBE_MS = 3_000;
const RETRIED: readonly number[] = [429, 500, 502, 503, 504];

/**
 * A JSON client of one API server: TLS with the cluster's certificate authority, bearer token, gzip, timeouts, few retries.
 * *Cost:* a quarter of the time and memory of `@kubernetes/client-node`, measured. Errors never contain the token.
 */
export class ApiClient {
  readonly #options: ApiClientOptions;
  readonly #agent: http.Agent;
  readonly #silence: Silence;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    this.#silence = new Silence(options.now ?? (() => performance.now()));
    const { endpoint, certificateAuthority, tlsServerName } = options;
    const agent = endpoint.startsWith('http:')
      ? new http.Agent({ keepAlive: true })
      : new https.Agent({
          keepAlive: true,
          ...optional({ ca: certificateAuthority, servername: tlsServerName }),
        });
    this.#agent = closingOld(agent, options.now);
  }

  /**
   * *Shape:* the response with any status that is not retried, including errors. *Errors:* UnreachableError.
   * *Cost:* ten seconds at most where the server does not answer, three more for a write, then no time while it is silent.
   */
  async send(request: ApiRequest): Promise<ApiResponse> {
    const doing = `${request.method} ${request.path}`;
    const beganMs = this.#silence.begin(doing);
    let answer = await this.#attempt(request, doing);
    for (let attempt = 1; attempt < attemptsFor(answer) && isWorthARetry(answer, request); attempt += 1) {
      const waitMs = Math.max(0, answer.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1));
      if (waitMs > LONGEST_WAIT_MS) break;
      // Adds up to half of the requested delay.
      const { sleep = wait, random = Math.random } = this.#options;
      await sleep(Math.round(waitMs * (1 + random() / 2)));
      answer = await this.#attempt(request, doing);
    }
    if (answer.kind === 'no-answer') {
      if (answer.silentWhile !== undefined)
        await this.#mayBeSilent(request, { beganMs, silentWhile: answer.silentWhile });
      throw noAnswer(doing, answer.cause);
    }
    if (isWorthARetry(answer, request)) throw kubernetesPortError(answer, doing);
    return { status: answer.status, body: answer.body };
  }

  /** *Shape:* the body of a successful response. *Errors:* by the status. */
  async expect(request: ApiRequest): Promise<unknown> {
    const answer = await this.send(request);
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    throw kubernetesPortError(answer, `${request.method} ${request.path}`);
  }

  close(): void {
    this.#agent.destroy();
  }

  /**
   * Streams an unzipped response: a long list or a watch. It ends when the reader destroys it, or with the signal. It is not
   * retried, because only the reader can resume it. *Errors:* UnreachableError, here or while it is read.
   */
  async stream(request: ApiRequest, signal: AbortSignal): Promise<ApiStream> {
    const doing = `${request.method} ${request.path}`;
    const beganMs = this.#silence.begin(doing);
    const late = AbortSignal.timeout(this.#options.streamTimeoutMs ?? 15_000);
    let turnedDown: http.IncomingMessage | undefined;
    const begin = async (token: string | undefined): Promise<http.IncomingMessage> => {
      turnedDown?.destroy();
      turnedDown = await this.#begin(request, token, { signal, late });
      return turnedDown;
    };
    try {
      const response = await this.#withToken(begin, ({ statusCode }) => statusCode === 401);
      const contentType = response.headers['content-type'] ?? '';
      return { status: response.statusCode ?? 0, contentType, body: unzipped(response) };
    } catch (cause) {
      // Without a connection, the caller reads the list again with `send`, which tries twice.
      if (late.aborted) this.#silence.timedOut(beganMs);
      throw noAnswer(doing, cause);
    }
  }

  /** The bytes of a streamed list. Where none arrive in the time of a call, the list fails, and the call counts as one without an answer. */
  async *bytes({ body }: ApiStream): AsyncGenerator<Buffer, void> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    let heardMs = this.#silence.now();
    const stalled = setTimeout(() => {
      this.#silence.timedOut(heardMs);
      body.destroy(new Error(`no byte within ${timeoutMs} ms`));
    }, timeoutMs);
    try {
      for await (const chunk of body) {
        if (!Buffer.isBuffer(chunk)) throw new TypeError('the stream returned a chunk that is not bytes');
        heardMs = this.#silence.now();
        stalled.refresh();
        yield chunk;
      }
    } finally {
      clearTimeout(stalled);
    }
  }

  /** @param limits `late` ends a call that has no response yet, `signal` also ends the response */
  async #begin(
    request: ApiRequest,
    token: string | undefined,
    { signal, late }: { readonly signal: AbortSignal; readonly late: AbortSignal },
  ): Promise<http.IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
    const url = urlOf(this.#options.endpoint, request);
    const { headers } = outgoing(request, token);
    const call = this.#request(url, { method: request.method, headers, signal }, resolve);
    call.on('error', reject);
    const isLate = (): void => void call.destroy(new Error('no response within the time limit'));
    late.addEventListener('abort', isLate);
    call.end();
    try {
      return await promise;
    } finally {
      late.removeEventListener('abort', isLate);
    }
  }

  /** A request with a time limit for its connection. */
  #request(
    url: URL,
    options: http.RequestOptions,
    onResponse: (response: http.IncomingMessage) => void,
  ): http.ClientRequest {
    const [send, connected] = url.protocol === 'http:' ? [http.request, 'connect'] : [https.request, 'secureConnect'];
    const call = send(url, { ...options, agent: this.#agent }, (response) => {
      this.#silence.answered();
      onResponse(response);
    });
    const ms = this.#options.connectTimeoutMs ?? 3_000;
    call.on('socket', (socket) => {
      if (!socket.connecting) return;
      const slow = setTimeout(() => call.destroy(new NoConnection(`no connection within ${ms} ms`)), ms);
      for (const event of [connected, 'close']) socket.once(event, () => clearTimeout(slow));
    });
    return call;
  }

  /**
   * A call took its whole time. A write may wait for an admission webhook that does not answer, so another call shows whether the server
   * does: otherwise one Node whose writes hang would stop the evictions of its pods. A write without a connection waits for no webhook.
   */
  async #mayBeSilent(
    { method }: ApiRequest,
    { beganMs, silentWhile }: { readonly beganMs: number; readonly silentWhile: SilentWhile },
  ): Promise<void> {
    const { timeoutMs = LONGEST_PROBE_MS } = this.#options;
    if (method !== 'GET' && silentWhile === 'answering') {
      const signal = AbortSignal.timeout(Math.min(timeoutMs, LONGEST_PROBE_MS));
      const sent = { method: PROBE.method, ...outgoing(PROBE, undefined), signal };
      // Every response shows that the server answers, and `#request` notes it.
      await this.#exchange(urlOf(this.#options.endpoint, PROBE), sent).catch(() => undefined);
    }
    this.#silence.timedOut(beganMs);
  }

  async #attempt(request: ApiRequest, doing: string): Promise<Attempt> {
    return await this.#withToken(
      async (token) => await this.#once(request, token, doing),
      (answer) => answer.kind === 'answered' && answer.status === 401,
    );
  }

  /** Credentials and tokens may expire during a run, so an unauthorized call (401) is repeated once with a new token. */
  async #withToken<T>(
    call: (token: string | undefined) => Promise<T>,
    isTurnedDown: (answer: T) => boolean,
  ): Promise<T> {
    const { token: tokenFor } = this.#options;
    const token = await tokenFor?.();
    const answer = await call(token);
    if (token === undefined || !isTurnedDown(answer)) return answer;
    const renewed = await tokenFor?.(token);
    return renewed === token ? answer : await call(renewed);
  }

  async #once(request: ApiRequest, token: string | undefined, doing: string): Promise<Attempt> {
    const signal = AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS);
    try {
      const sent = { method: request.method, ...outgoing(request, token), signal };
      return await this.#exchange(urlOf(this.#options.endpoint, request), sent);
    } catch (thrown) {
      const cause = thrown instanceof Error ? thrown : new Error(`${doing}: ${String(thrown)}`);
      return { kind: 'no-answer', cause, ...optional({ silentWhile: limitOf(cause, signal) }) };
    }
  }

  #exchange(
    url: URL,
    { body, ...options }: http.RequestOptions & { readonly body: string | undefined },
  ): Promise<Attempt> {
    const { promise, resolve, reject } = Promise.withResolvers<Attempt>();
    const call = this.#request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        try {
          resolve(withoutSecrets(answered(response, Buffer.concat(chunks)), this.#options.secrets));
        } catch (thrown) {
          reject(thrown instanceof Error ? thrown : new Error(String(thrown)));
        }
      });
    });
    call.on('error', reject);
    call.end(body);
    return promise;
  }
}

/** The content of a successful response is not changed. */
function withoutSecrets(answer: Attempt, secrets: readonly string[] = []): Attempt {
  if (answer.kind !== 'answered' || answer.status < 400 || secrets.length === 0) return answer;
  const { message, ...status } = fieldsOf(answer.body);
  if (typeof message !== 'string') return answer;
  const hidden = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), message);
  return { ...answer, body: { ...status, message: hidden } };
}

function outgoing(request: ApiRequest, token: string | undefined): Outgoing {
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const headers = {
    accept: request.accept ?? 'application/json',
    // Shown in audit logs and managedFields, which otherwise have `unknown`.
    'user-agent': 'kerf',
    'accept-encoding': 'gzip',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined
      ? {}
      : { 'content-type': request.contentType ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  return { headers, body };
}

/** The unzipped body. Reading it fails if the connection breaks. */
export interface ApiStream {
  readonly status: number;
  /** Empty where the server sends none. */
  readonly contentType: string;
  readonly body: Readable;
}

interface Outgoing {
  readonly headers: http.OutgoingHttpHeaders;
  readonly body: string | undefined;
}

type Attempt =
  | ({ readonly kind: 'answered'; readonly retryAfterMs?: number } & ApiResponse)
  | {
      readonly kind: 'no-answer';
      readonly cause: Error;
      /** The time limit that was reached. */
      readonly silentWhile?: SilentWhile;
      readonly retryAfterMs?: undefined;
    };

/** What did not happen in time: a connection, or an answer. */
type SilentWhile = 'answering' | 'connecting';

/** A connection did not come about in its time. */
class NoConnection extends Error {}

function limitOf(cause: Error, signal: AbortSignal): SilentWhile | undefined {
  if (cause instanceof NoConnection) return 'connecting';
  return signal.aborted ? 'answering' : undefined;
}

function attemptsFor(answer: Attempt): number {
  return answer.kind === 'no-answer' && answer.silentWhile === 'connecting' ? CONNECTIONS : ATTEMPTS;
}

function isWorthARetry(answer: Attempt, request: ApiRequest): boolean {
  // A server that has not answered for ten seconds would take another ten.
  if (answer.kind === 'no-answer') return answer.silentWhile !== 'answering';
  return RETRIED.includes(answer.status) && request.isFinal?.(answer) !== true;
}

function unzipped(response: http.IncomingMessage): Readable {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  const unzipper = createGunzip({ chunkSize: UNZIPPED_AT_ONCE });
  // Destroys both streams if either fails. The reader gets the error from the unzipped stream.
  pipeline(response, unzipper, () => {});
  return unzipper;
}

function answered(response: http.IncomingMessage, raw: Buffer): Attempt {
  const text = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString('utf8');
  const status = response.statusCode ?? 0;
  const seconds = Number(response.headers['retry-after']);
  const retryAfter = Number.isFinite(seconds) ? { retryAfterMs: seconds * 1_000 } : {};
  const isJson = (response.headers['content-type'] ?? '').startsWith('application/json');
  // A load balancer may respond with HTML.
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : { message: text };
  return { kind: 'answered', ...withTrueStatus({ status, body }), ...retryAfter };
}

function urlOf(endpoint: string, { path, query }: ApiRequest): URL {
  const url = new URL(path, endpoint);
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  return url;
}

function wait(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms);
  return promise;
}
