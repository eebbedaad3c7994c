/** Calls the API server that `npm run test:cluster` started, and returns its statuses and warnings. */
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { globalAgent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { ApiClient } from '../../../lib/providers/kubernetes/client/api-client.ts';
import { textAt } from '../../stack/json.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** What kubectl prints as `Warning:`. */
  readonly warnings: readonly string[];
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, everything else as JSON. */
  readonly body?: unknown;
}

/** Kerf's own client with the administrator's token. The caller closes it. */
export function adminClient(): ApiClient {
  return new ApiClient({
    endpoint: variable('KERF_CLUSTER_ENDPOINT'),
    certificateAuthority: readFileSync(variable('KERF_CLUSTER_CA'), 'utf8'),
    token: async () => variable('KERF_CLUSTER_TOKEN'),
  });
}

export async function callApi(call: Call): Promise<Answer> {
  const answer = await callOnce(call);
  if (answer.status !== 429 || call.method !== 'GET') return answer;
  // Just after a restart, the API server has not loaded its objects, and requests a retry after a second.
  await setTimeout(1_000);
  return await callApi(call);
}

async function callOnce({ method, path, query = {}, headers = {}, body }: Call): Promise<Answer> {
  const url = new URL(path, variable('KERF_CLUSTER_ENDPOINT'));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const content = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request(
    url,
    {
      method,
      ca: readFileSync(variable('KERF_CLUSTER_CA')),
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        // Trap: node:http sends the body of a DELETE with no length, and the server waits for its end.
        'content-length': Buffer.byteLength(content),
        authorization: `Bearer ${variable('KERF_CLUSTER_TOKEN')}`,
        ...headers,
      },
    },
    (response) => {
      const warnings = response.headersDistinct['warning'] ?? [];
      text(response)
        .then((answer) => resolve({ status: response.statusCode ?? 0, body: bodyOf(answer, response), warnings }))
        .catch(reject);
    },
  );
  sent.on('error', reject);
  sent.end(content);
  return await promise;
}

/** A restarted API server resets its earlier connections, and the next call would use one of them. */
export function forgetConnections(): void {
  globalAgent.destroy();
}

/** The API server refuses paths that it does not serve with plain text. */
function bodyOf(answer: string, { headers }: IncomingMessage): unknown {
  return headers['content-type']?.startsWith('text/plain') === true ? { message: answer } : JSON.parse(answer);
}

export async function read(path: string): Promise<unknown> {
  return (await succeed({ method: 'GET', path })).body;
}

export async function mergePatch(path: string, body: unknown): Promise<Answer> {
  return await callApi({
    method: 'PATCH',
    path,
    headers: { 'content-type': 'application/merge-patch+json' },
    body,
  });
}

/** *Errors:* an Error with the server's message, unless the status is a success. */
export async function succeed(call: Call): Promise<Answer> {
  const answer = await callApi(call);
  if (answer.status < 300) return answer;
  throw new Error(`${call.method} ${call.path}: ${answer.status} ${textAt(answer.body, 'message')}`);
}

export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run these tests by npm run test:cluster`);
  return value;
}
