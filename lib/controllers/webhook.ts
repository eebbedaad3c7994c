/**
 * The API server's admission webhook, answered. A call is a hint to look, never data, and its answer is always yes
 * (promise 5): the cluster must not notice whether Kerf is well.
 */
import { ownField } from '../apis/record.ts';
import type { Messages, Wake, WakeTarget } from '../ports/messages.ts';

/** The longest that the API server is kept waiting for the queue; it gives up by itself after 1 s. */
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
  /** What kept a wake from being sent: to be logged. The next tick makes up for it. */
  readonly failures: readonly Error[];
}

export interface WebhookPorts {
  readonly messages: Pick<Messages, 'wake'>;
  readonly clusters: ReadonlySet<string>;
  /** Compares in constant time. */
  readonly isSecret: (candidate: string) => boolean;
  /** Settles after ANSWER_WITHIN_MS. */
  readonly deadline: () => Promise<void>;
}

/** What the API server can have in its storage under this name; a longer one is no hint of anything. */
const OBJECT_NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/;

/** Wakes whoever should look, and allows. Never throws. */
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

/** The secret is compared whatever the cluster's name, so that the time taken does not tell which names exist. */
function authenticate(ports: WebhookPorts, path: string): string | undefined {
  const [, cluster = '', secret = '', ...rest] = path.split('/');
  const authentic = ports.isSecret(secret);
  return authentic && rest.length === 0 && ports.clusters.has(cluster) ? cluster : undefined;
}

interface Review {
  readonly uid: string;
  readonly resource: string;
  /** The claim that it is about, where it is about one. */
  readonly nodeClaim?: string;
  /** An Event that Kerf itself wrote: it tells us nothing new, and answering it would never end. */
  readonly own: boolean;
}

/** Just enough of the review to answer it; what it says of the object is not believed and so not read. */
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
 * One function for each resource, so that one call to SQS is all that the API server waits for. Who else must look is woken
 * by that one, which knows more: lifecycle writes down that a claim or its node was deleted and wakes termination with it.
 */
const TARGETS: Readonly<Record<string, WakeTarget>> = {
  events: 'provisioning',
  nodepools: 'provisioning',
  // What it says of itself is found out first (A3.28); who waits for that is woken then.
  ec2nodeclasses: 'lifecycle',
  nodes: 'lifecycle',
  nodeclaims: 'lifecycle',
};

/** *Shape:* why nobody was woken who should be. */
async function wake(ports: WebhookPorts, cluster: string, review: Review): Promise<readonly Error[]> {
  const target = Object.hasOwn(TARGETS, review.resource) && !review.own ? TARGETS[review.resource] : undefined;
  if (target === undefined) return [];
  const { nodeClaim } = review;
  const failure = await Promise.race([
    whyNotSent(ports, target, { cluster, reason: 'webhook', ...(nodeClaim !== undefined && { nodeClaim }) }),
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
