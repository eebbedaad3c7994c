/** Records the HTTP calls of this process: the API, the start and the end. */
import { subscribe } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';

export interface Call {
  /** `EC2 CreateFleet`, `DynamoDB GetItem`, `Kubernetes GET pods`. */
  readonly api: string;
  readonly startedMs: number;
  /** Infinity until the response is read completely. */
  endedMs: number;
}

export class Traffic {
  readonly #kubernetesPort: string;
  readonly #calls: Call[] = [];
  readonly #onCall: (call: Call) => void;

  /** @param onCall is called when a call is sent. */
  constructor(kubernetesEndpoint: string, onCall: (call: Call) => void) {
    this.#kubernetesPort = new URL(kubernetesEndpoint).port;
    this.#onCall = onCall;
    subscribe('http.client.request.created', (message) => {
      const request = typeof message === 'object' && message !== null ? Reflect.get(message, 'request') : undefined;
      if (request instanceof ClientRequest) this.#follow(request);
    });
  }

  /** The calls since the last `take`. */
  take(): readonly Call[] {
    return this.#calls.splice(0);
  }

  /** EC2 and IAM name the action only in the body, so the body is recorded when it is written. */
  #follow(request: ClientRequest): void {
    let body = '';
    const write = request.write.bind(request);
    const end = request.end.bind(request);
    const see = (chunk: unknown): void => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) body += chunk.toString();
    };
    Reflect.set(request, 'write', (chunk: unknown, ...rest: readonly unknown[]) => {
      see(chunk);
      return Reflect.apply(write, request, [chunk, ...rest]);
    });
    Reflect.set(request, 'end', (chunk: unknown, ...rest: readonly unknown[]) => {
      see(chunk);
      const call: Call = { api: this.#apiOf(request, body), startedMs: performance.now(), endedMs: Infinity };
      this.#calls.push(call);
      this.#onCall(call);
      request.once('close', () => {
        call.endedMs = performance.now();
      });
      return Reflect.apply(end, request, [chunk, ...rest]);
    });
  }

  #apiOf(request: ClientRequest, body: string): string {
    const [, port] = String(request.getHeader('host')).split(':');
    const path = request.path.split('?')[0] ?? '';
    if (port === this.#kubernetesPort) return `Kubernetes ${request.method} ${resourceOf(path)}`;
    const target = String(request.getHeader('x-amz-target') ?? '');
    if (target !== '') return `${target.split(/[._]/)[0]?.replace(/^Amazon|^AWS/, '')} ${target.split('.').at(-1)}`;
    const action = /(?:^|&)Action=(\w+)/.exec(body)?.[1];
    return action === undefined ? `other ${request.method} ${path}` : `EC2 ${action}`;
  }
}

/** `/apis/karpenter.sh/v1/nodeclaims/general-a/status` → `nodeclaims`. */
function resourceOf(path: string): string {
  return /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+)?\/([a-z0-9]+)/.exec(path)?.[1] ?? path;
}

/** The part of an interval in which at least one call was in progress. *Units:* ms. */
export function waitedMs(calls: readonly Call[], fromMs: number, toMs: number): number {
  let waited = 0;
  let covered = fromMs;
  for (const call of calls.toSorted((a, b) => a.startedMs - b.startedMs)) {
    const from = Math.max(call.startedMs, covered);
    const to = Math.min(call.endedMs, toMs);
    if (to <= from) continue;
    waited += to - from;
    covered = to;
  }
  return waited;
}
