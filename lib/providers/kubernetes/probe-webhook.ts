import * as http from 'node:http';
import * as https from 'node:https';
import type { WebhookEndpoint } from '../../core/install/webhook-configuration.ts';
import { fieldsOf } from './project.ts';

/** The API server does not wait any longer either. */
const ANSWER_WITHIN_MS = 1_000;
/** Nobody who answers a review says more. */
const LONGEST_ANSWER_BYTES = 64 * 1024;

const UID = 'kerf-probe';

/** Of a resource that wakes nobody. */
const REVIEW = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: UID, resource: { group: 'kerf.dev', version: 'v1', resource: 'probes' }, operation: 'CREATE' },
});

export interface ProbeOptions {
  /** Whether it is not well where no connection comes about. Without a way there from here, that says nothing of others. */
  readonly needsConnection: boolean;
  /** When to give up. @default after the second that the API server waits */
  readonly signal?: AbortSignal;
}

/** Asks an endpoint as an API server does. *Shape:* why it is not well; the secret is not in it. */
export async function probeWebhook(endpoint: WebhookEndpoint, options: ProbeOptions): Promise<string | undefined> {
  const { needsConnection, signal = AbortSignal.timeout(ANSWER_WITHIN_MS) } = options;
  const reached = { connected: false };
  try {
    const { status, text } = await ask(endpoint, signal, reached);
    if (status !== 200) return `the webhook answered ${status}`;
    return isYes(text) ? undefined : 'the webhook answered something that is no AdmissionReview';
  } catch (error) {
    if (!reached.connected && !needsConnection) return undefined;
    if (signal.aborted) return `the webhook did not answer within ${ANSWER_WITHIN_MS} ms`;
    return `the webhook did not answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function ask(
  { url: base, cluster, secret, certificateAuthority }: WebhookEndpoint,
  signal: AbortSignal,
  reached: { connected: boolean },
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const url = new URL(`${base}${cluster}/${secret}?timeout=1s`);
  const send = url.protocol === 'http:' ? http.request : https.request;
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(REVIEW) };
  const ca = certificateAuthority === undefined ? {} : { ca: Buffer.from(certificateAuthority, 'base64') };
  // A connection of its own each time: one that is kept says nothing of whether the next would come about.
  const call = send(url, { method: 'POST', headers, agent: false, signal, ...ca }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > LONGEST_ANSWER_BYTES) response.destroy(new Error('the answer does not end'));
    });
    response.on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
  });
  call.on('socket', (socket) => socket.once('connect', () => (reached.connected = true)));
  call.on('error', reject);
  call.end(REVIEW);
  return await promise;
}

function isYes(text: string): boolean {
  try {
    const review: unknown = JSON.parse(text);
    const { uid, allowed } = fieldsOf(fieldsOf(review)['response']);
    return uid === UID && allowed === true;
  } catch {
    return false;
  }
}
