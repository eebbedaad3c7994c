import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { type Address, type Answer, ApiStore, failure, fieldsOf, type Json, notFound } from './api-store.ts';
import { ApiWatches } from './api-watches.ts';
import { TEST_CERTIFICATE, TEST_KEY } from './tls.ts';

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Json;
}

/** How the next request fails. `hang`: no response; `none`: the request succeeds. */
export type Failure =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
      /** The reason in the details of the Status. @default none */
      readonly cause?: string;
    }
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' };

const INSTALLED: readonly string[] = [
  '/api/v1/pods',
  '/api/v1/nodes',
  '/api/v1/limitranges',
  '/api/v1/podtemplates',
  '/api/v1/namespaces',
  '/api/v1/persistentvolumeclaims',
  '/api/v1/persistentvolumes',
  '/apis/storage.k8s.io/v1/storageclasses',
  '/apis/storage.k8s.io/v1/csinodes',
  '/apis/storage.k8s.io/v1/volumeattachments',
  '/apis/apps/v1/daemonsets',
  '/apis/apps/v1/deployments',
  '/apis/apps/v1/statefulsets',
  '/apis/apps/v1/replicasets',
  '/apis/coordination.k8s.io/v1/leases',
  '/apis/policy/v1/poddisruptionbudgets',
  '/apis/events.k8s.io/v1/events',
  '/apis/karpenter.sh/v1/nodepools',
  '/apis/karpenter.sh/v1/nodeclaims',
  '/apis/karpenter.sh/v1alpha1/nodeoverlays',
  '/apis/karpenter.k8s.aws/v1/ec2nodeclasses',
  '/apis/autoscaling.x-k8s.io/v1beta1/capacitybuffers',
  '/apis/apiregistration.k8s.io/v1/apiservices',
];

/** How clients connect. */
type Protocol = 'http' | 'https';

/** An in-memory Kubernetes API server with the endpoints that Kerf uses. It listens on 127.0.0.1 only. */
export class FakeApiServer {
  readonly store = new ApiStore();
  readonly watches = new ApiWatches(this.store);
  readonly requests: RecordedRequest[] = [];
  /** The users that may create NodeClaims. */
  readonly nodeClaimWriters = new Set<string>();
  /** The required bearer token; undefined accepts any. */
  token: string | undefined;
  readonly #server: Server;
  readonly #installed = new Set(INSTALLED);
  readonly #failures: Failure[] = [];
  readonly #appliers = new Map<string, string>();
  readonly #snapshots = new Map<string, readonly Json[]>();
  readonly #protocol: Protocol;

  constructor(protocol: Protocol = 'http') {
    this.#protocol = protocol;
    const answer = (request: IncomingMessage, response: ServerResponse): void => void this.#handle(request, response);
    this.#server =
      protocol === 'http' ? createServer(answer) : createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, answer);
  }

  static async start(protocol: Protocol = 'http'): Promise<FakeApiServer> {
    const fake = new FakeApiServer(protocol);
    const { promise, resolve } = Promise.withResolvers<void>();
    fake.#server.listen(0, '127.0.0.1', resolve);
    await promise;
    return fake;
  }

  get endpoint(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the fake API server does not listen');
    return `${this.#protocol}://127.0.0.1:${address.port}`;
  }

  /** The failures of the next requests, one for each request. */
  failNext(...failures: readonly Failure[]): void {
    this.#failures.push(...failures);
  }

  /** Expires all continue tokens. */
  lapseTokens(): void {
    this.#snapshots.clear();
  }

  /** Simulates a restart: the server keeps the objects, but not the history. */
  restart(): void {
    this.store.compact();
    this.lapseTokens();
    this.#server.closeAllConnections();
  }

  uninstall(path: string): void {
    this.#installed.delete(path);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => {
      resolve();
    });
    await promise;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.accept === 'application/vnd.kubernetes.protobuf') {
      // This server supports JSON only. It records that the client then requests JSON.
      response.writeHead(406).end();
      return;
    }
    const url = new URL(request.url ?? '/', 'http://fake');
    const recorded: RecordedRequest = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: fieldsOfBody(await readJson(request)),
    };
    this.requests.push(recorded);
    const fail = this.#failures.shift();
    if (fail?.kind === 'hang') return;
    if (fail?.kind === 'reset') {
      request.socket.destroy();
      return;
    }
    if (fail?.kind === 'status') {
      const retry = fail.retryAfterSeconds;
      const headers = retry === undefined ? {} : { 'retry-after': String(retry) };
      const { status, body } = failure(fail.status, 'Scripted', fail.message ?? 'scripted');
      const details = fail.cause === undefined ? {} : { details: { causes: [{ reason: fail.cause }] } };
      respond(response, { status, body: { ...fieldsOf(body), ...details } }, { asked: recorded, headers });
      return;
    }
    const answer = this.#answer(recorded);
    if (answer !== 'watch') respond(response, answer, { asked: recorded, headers: {} });
    else this.watches.serve(recorded, response);
  }

  #answer(request: RecordedRequest): Answer | 'watch' {
    if (this.token !== undefined && request.headers.authorization !== `Bearer ${this.token}`) {
      return failure(401, 'Unauthorized', 'Unauthorized');
    }
    if (request.path === '/version') return { status: 200, body: { gitVersion: 'v1.35.4' } };
    const match =
      /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([a-z0-9]+)(?:\/([^/]+))?(?:\/([a-z]+))?$/.exec(
        request.path,
      );
    const [, group = '', namespace, resource = '', name, subresource] = match ?? [];
    if (resource === 'subjectaccessreviews') return this.#review(request.body);
    const where = { group, resource, ...(namespace === undefined ? {} : { namespace }) };
    if (!this.#installed.has(`${group}/${resource}`)) return failure(404, 'NotFound', '404 page not found');
    if (name === undefined && request.method === 'POST') return this.#create(where, request.body);
    if (request.query.get('watch') === '1') return 'watch';
    if (name === undefined) return this.#list(where, request.query);
    return this.#one({ ...where, name }, subresource, request);
  }

  /** Server-side apply without force fails if another field manager has applied the object. */
  #isOwnedByAnother(address: Address, { query }: RecordedRequest): boolean {
    const manager = query.get('fieldManager');
    if (manager === null || query.get('force') === 'true' || address.resource !== 'leases') return false;
    const key = `${address.namespace}/${address.name}`;
    const owner = this.store.get(address) === undefined ? undefined : this.#appliers.get(key);
    this.#appliers.set(key, owner ?? manager);
    return owner !== undefined && owner !== manager;
  }

  #review(body: Json): Answer {
    const { user, resourceAttributes } = fieldsOf(body['spec']);
    const { group, resource, verb } = fieldsOf(resourceAttributes);
    const isAsked = `${String(verb)} ${String(resource)}.${String(group)}` === 'create nodeclaims.karpenter.sh';
    return { status: 201, body: { ...body, status: { allowed: isAsked && this.nodeClaimWriters.has(String(user)) } } };
  }

  #create(where: Omit<Address, 'name'>, object: Json): Answer {
    const name = String(fieldsOf(object['metadata'])['name']);
    if (this.store.get({ ...where, name }) !== undefined) {
      return failure(409, 'AlreadyExists', `${where.resource} "${name}" already exists`);
    }
    return { status: 201, body: this.store.put({ ...where, name }, object) };
  }

  #one(address: Address, subresource: string | undefined, request: RecordedRequest): Answer {
    switch (request.method) {
      case 'GET': {
        const object = this.store.get(address);
        return object === undefined ? notFound(address) : { status: 200, body: object };
      }
      case 'PATCH':
        if (request.headers['content-type'] === 'application/json-patch+json')
          return this.store.patchStatus(address, Object.values(request.body), request.query.get('fieldManager') ?? '');
        if (this.#isOwnedByAnother(address, request)) return failure(409, 'Conflict', 'Apply failed with 1 conflict');
        return this.store.patch(address, request.body, {
          create: request.headers['content-type'] === 'application/apply-patch+yaml' && subresource === undefined,
          ...(subresource === undefined ? {} : { subresource }),
        });
      case 'DELETE':
        return this.store.delete(address, request.body);
      case 'POST':
        if (subresource === 'eviction') return this.store.evict(address, request.body);
    }
    return failure(405, 'MethodNotAllowed', `${request.method} ${request.path}`);
  }

  /** Pages of one version: the later pages show the state at the time of the first page. */
  #list(where: Omit<Address, 'name'>, query: URLSearchParams): Answer {
    const limit = Number(query.get('limit') ?? 0);
    const [snapshot = '', at = '0'] = (query.get('continue') ?? '').split('@');
    const items = snapshot === '' ? this.#select(where, query) : this.#snapshots.get(snapshot);
    if (items === undefined) {
      return failure(410, 'Expired', 'The provided continue parameter is too old to display a consistent list result.');
    }
    const end = limit === 0 ? items.length : Number(at) + limit;
    const version = snapshot === '' ? `${this.store.version}-${this.#snapshots.size}` : snapshot;
    if (end < items.length) this.#snapshots.set(version, items);
    const metadata = {
      resourceVersion: this.store.version,
      ...(end < items.length ? { continue: `${version}@${end}`, remainingItemCount: items.length - end } : {}),
    };
    return { status: 200, body: { kind: 'List', metadata, items: items.slice(Number(at), end) } };
  }

  #select(where: Omit<Address, 'name'>, query: URLSearchParams): readonly Json[] {
    const items = this.store.list(where);
    const selector = query.get('fieldSelector');
    if (selector === null) return items;
    const [field, wanted = ''] = selector.split('=');
    if (field === 'spec.nodeName') return items.filter((item) => (fieldsOf(item['spec'])['nodeName'] ?? '') === wanted);
    if (field === 'metadata.name') return items.filter((item) => fieldsOf(item['metadata'])['name'] === wanted);
    throw new Error(`the fake API server does not support the field selector ${selector}`);
  }
}

/** The operations of a JSON patch by their index. */
function fieldsOfBody(body: unknown): Json {
  return Array.isArray(body) ? Object.fromEntries(body.entries()) : fieldsOf(body);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(String(chunk)));
  const text = Buffer.concat(chunks).toString('utf8');
  const parsed: unknown = text === '' ? {} : JSON.parse(text);
  return parsed;
}

function respond(
  response: ServerResponse,
  { status, body }: Answer,
  { asked, headers }: { readonly asked: RecordedRequest; readonly headers: Readonly<Record<string, string>> },
): void {
  const text = Buffer.from(JSON.stringify(body));
  const zipped = asked.headers['accept-encoding'] === 'gzip' && text.byteLength > 128;
  const encoding = zipped ? { 'content-encoding': 'gzip' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...encoding, ...headers });
  response.end(zipped ? gzipSync(text) : text);
}
