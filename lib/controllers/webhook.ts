/**
 * Answers the admission webhook of the API server. A call is a hint to reconcile, never data, and the answer always allows
 * (promise 5): a failure of Kerf does not affect the cluster.
 */
import { optional } from '../apis/optional.ts';
import { ownField } from '../apis/record.ts';
import type { Messages, Wake, WakeTarget } from '../ports/messages.ts';

/** The longest time that the API server waits for the queue. The API server itself waits for at most 1 s. */
export const ANSWER_WITHIN_MS = 300;

/** An Event is about 2 kB and a node update 30 kB; the API server itself refuses objects above 1.5 MB. @internal */
export const MAX_REQUEST_BODY_BYTES = 256 * 1024;

export interface WebhookRequest {
  readonly method: string;
  /** `/CLUSTER/SECRET`: an admission webhook's URL may carry neither query nor user, and the API server signs nothing. */
  readonly path: string;
  readonly body: Uint8Array;
}

export interface WebhookAnswer {
  readonly status: 200 | 400 | 404 | 405 | 413;
  readonly body: unknown;
  /** Why a wake was not sent, for the log. The next tick replaces the wake. */
  readonly failures: readonly Error[];
}

export interface WebhookPorts {
  readonly messages: Pick<Messages, 'wake'>;
  readonly clusters: ReadonlySet<string>;
  /** Compares in constant time. */
  readonly isSecret: (candidate: string) => boolean;
  /** Resolves after ANSWER_WITHIN_MS. */
  readonly deadline: () => Promise<void>;
}

/** The names that the API server accepts for objects. Other names are ignored. */
const OBJECT_NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;

/** Wakes the function for the resource, and allows the request. Never throws. */
export async function answerWebhook(ports: WebhookPorts, request: WebhookRequest): Promise<WebhookAnswer> {
  const cluster = authenticate(ports, request.path);
  if (cluster === undefined) return refuse(404, 'not found');
  if (request.method !== 'POST')
    return refuse(405, `${request.method} is not allowed: an AdmissionReview is sent by POST`);
  if (request.body.byteLength > MAX_REQUEST_BODY_BYTES) {
    return refuse(413, `${request.body.byteLength} bytes are too many: at most ${MAX_REQUEST_BODY_BYTES} are read`);
  }
  const review = parseReview(request.body);
  if (review === undefined) return refuse(400, 'this is not an AdmissionReview of admission.k8s.io/v1');
  return {
    status: 200,
    body: {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: review.uid, allowed: true },
    },
    failures: await wake(ports, cluster, review),
  };
}

function refuse(status: WebhookAnswer['status'], message: string): WebhookAnswer {
  return { status, body: { message }, failures: [] };
}

/** The secret is compared for every cluster name, so that the response time does not show which names exist. */
function authenticate(ports: WebhookPorts, path: string): string | undefined {
  const [, cluster = '', secret = '', ...rest] = path.split('/');
  const authentic = ports.isSecret(secret);
  return authentic && rest.length === 0 && ports.clusters.has(cluster) ? cluster : undefined;
}

interface Review {
  readonly uid: string;
  readonly resource: string;
  /** The name of the claim, if the object is a claim. */
  readonly nodeClaim?: string;
  /** Whether Kerf wrote the Event. A wake for it would cause an endless loop. */
  readonly own: boolean;
}

/** Reads only the fields that the answer needs. The content of the object is not trusted and not read. */
function parseReview(body: Uint8Array): Review | undefined {
  let review: unknown;
  try {
    review = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
  if (ownField(review, 'kind') !== 'AdmissionReview' || ownField(review, 'apiVersion') !== 'admission.k8s.io/v1')
    return undefined;
  const request = ownField(review, 'request');
  const uid = ownField(request, 'uid');
  const resource = ownField(ownField(request, 'resource'), 'resource');
  const name = ownField(request, 'name');
  if (typeof uid !== 'string' || uid === '' || typeof resource !== 'string') return undefined;
  const own = ownField(ownField(request, 'object'), 'reportingController') === 'kerf';
  const named = resource === 'nodeclaims' && typeof name === 'string' && OBJECT_NAME.test(name);
  return { uid, resource, own, ...(named && { nodeClaim: name }) };
}

/**
 * One function for each resource, so that the API server waits for only one call to SQS. This function wakes others where
 * needed: lifecycle records that a claim or its node was deleted, and wakes termination.
 */
const TARGETS: Readonly<Record<string, WakeTarget>> = {
  events: 'provisioning',
  nodepools: 'provisioning',
  // Lifecycle resolves the class first (A3.28), and then wakes provisioning.
  ec2nodeclasses: 'lifecycle',
  nodes: 'lifecycle',
  nodeclaims: 'lifecycle',
};

/** *Shape:* why no function was woken, if one should have been. */
async function wake(ports: WebhookPorts, cluster: string, review: Review): Promise<readonly Error[]> {
  const target = Object.hasOwn(TARGETS, review.resource) && !review.own ? TARGETS[review.resource] : undefined;
  if (target === undefined) return [];
  const { nodeClaim } = review;
  const failure = await Promise.race([
    whyNotSent(ports, target, { cluster, reason: 'webhook', ...optional({ nodeClaim }) }),
    ports
      .deadline()
      .then(() => new Error(`the queue of ${target} took more than ${ANSWER_WITHIN_MS} ms: the wake may be lost`)),
  ]);
  return failure === undefined ? [] : [failure];
}

async function whyNotSent(ports: WebhookPorts, target: WakeTarget, message: Wake): Promise<Error | undefined> {
  try {
    await ports.messages.wake(target, message);
    return undefined;
  } catch (cause) {
    return new Error(`${target} of cluster ${message.cluster} was not woken`, { cause });
  }
}
