/** Kerf's webhook for the API server of the rig: working, or with one of the faults of an endpoint. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { answerWebhook, type WebhookPorts } from '../../lib/controllers/webhook.ts';
import { webhookRegistrationOf } from '../../lib/operator/wiring/webhook-registration.ts';
import type { WebhookRegistration } from '../../lib/ports/webhook-registration.ts';
import type { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { at, textAt } from '../stack/json.ts';
import { caBundle, serveTls, type TlsServer } from './tls-server.ts';

const RIG_SECRET = 'a1b2c3D4e5F6';

export interface Review {
  /** `nodes/status`. */
  readonly resource: string;
  readonly operation: string;
  readonly user: string;
  readonly object: unknown;
  readonly atMs: number;
}

export type Health = 'answers' | 'hangs' | 'fails' | 'talks-rubbish';

export interface WebhookEndpoint extends TlsServer {
  /** The calls in the order of arrival, without those of the probe. */
  readonly reviews: Review[];
  /** The functions that the webhook woke. */
  readonly woken: string[];
  health: Health;
}

export async function serveWebhook(): Promise<WebhookEndpoint> {
  const reviews: Review[] = [];
  const woken: string[] = [];
  const ports: WebhookPorts = {
    messages: { wake: async (target) => void woken.push(target) },
    clusters: new Set(['demo']),
    isSecret: (candidate) => candidate === RIG_SECRET,
    deadline: async () => await new Promise(() => {}),
  };
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const review = reviewOf(JSON.parse(body.toString()));
    if (review.resource !== 'probes') reviews.push(review);
    if (endpoint.health === 'hangs') return;
    if (endpoint.health === 'fails') response.writeHead(502).end();
    else if (endpoint.health === 'talks-rubbish') response.end('<html>');
    else {
      const [path = ''] = (incoming.url ?? '').split('?');
      const said = await answerWebhook(ports, { method: incoming.method ?? '', path, body });
      response.writeHead(said.status, { 'content-type': 'application/json' }).end(JSON.stringify(said.body));
    }
  };
  const server = await serveTls((incoming, response) => void answer(incoming, response));
  const endpoint: WebhookEndpoint = { ...server, reviews, woken, health: 'answers' };
  return endpoint;
}

function reviewOf(review: unknown): Review {
  const request = at(review, 'request');
  const subresource = at(request, 'subResource');
  const resource = textAt(request, 'resource', 'resource');
  const user = at(request, 'userInfo', 'username');
  return {
    resource: typeof subresource === 'string' ? `${resource}/${subresource}` : resource,
    operation: textAt(request, 'operation'),
    user: typeof user === 'string' ? user : '',
    object: at(request, 'object') ?? at(request, 'oldObject'),
    atMs: performance.now(),
  };
}

/** The webhook registration for the cluster of the rig, with this address. */
export function registrationAt(address: string, client: ApiClient, secret = RIG_SECRET): WebhookRegistration {
  const options = { name: 'demo', webhookUrl: `${address}/`, webhookCertificateAuthority: caBundle() };
  const registration = webhookRegistrationOf(options, { url: '', secret, fromVpc: false }, client);
  if (registration === undefined) throw new Error('this cluster has install: false');
  return registration;
}
