import * as http from 'node:http';
import * as https from 'node:https';
import { errorMessage } from '../../../core/error-message.ts';
import type { WebhookEndpoint } from '../../../core/install/webhook-configuration.ts';
import { fieldsOf } from '../project/project.ts';

/** The timeout of the API server. */
const ANSWER_WITHIN_MS = 1_000;
/** The maximum size of a valid response. */
const LONGEST_ANSWER_BYTES = 64 * 1024;

const UID = 'kerf-probe';

/** A review for a resource that triggers no function. */
const REVIEW = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: UID, resource: { group: 'kerf.dev', version: 'v1', resource: 'probes' }, operation: 'CREATE' },
});

export interface ProbeOptions {
  /** Whether a failed connection counts as a failure. It does not if this function may have no route to the endpoint. */
  readonly needsConnection: boolean;
  /** The timeout. @default one second, the timeout of the API server */
  readonly signal?: AbortSignal;
}

/** Calls an endpoint as an API server does. *Shape:* why the call failed, without the secret. */
export async function probeWebhook(endpoint: WebhookEndpoint, options: ProbeOptions): Promise<string | undefined> {
  const { needsConnection, signal = AbortSignal.timeout(ANSWER_WITHIN_MS) } = options;
  const reached = { connected: false };
  try {
    const { status, text } = await ask(endpoint, signal, reached);
    if (status !== 200) return `the webhook answered ${status}`;
    return isYes(text) ? undefined : 'the response of the webhook is not an AdmissionReview';
  } catch (error) {
    if (!reached.connected && !needsConnection) return undefined;
    if (signal.aborted) return `the webhook did not answer within ${ANSWER_WITHIN_MS} ms`;
    return `the webhook did not answer: ${errorMessage(error)}`;
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
  // A new connection for each probe, because an open connection does not show whether a new one is possible.
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
