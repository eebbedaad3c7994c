import type { FoundWebhookConfiguration, WebhookPatch } from '../../core/install/guard-webhook.ts';
import type { ValidatingWebhookConfiguration } from '../../core/install/webhook-configuration.ts';
import type { WebhookRegistration } from '../../ports/webhook-registration.ts';
import type { ApiClient, ApiRequest } from './api-client.ts';
import { type ApiResponse, messageOf, portErrorOf } from './errors.ts';
import { fieldsOf } from './project.ts';

export interface WebhookRegistrationOptions {
  readonly client: ApiClient;
  readonly wanted: ValidatingWebhookConfiguration;
  readonly probe: WebhookRegistration['probe'];
}

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

/** One cluster's ValidatingWebhookConfiguration of Kerf. */
export class KubernetesWebhookRegistration implements WebhookRegistration {
  readonly wanted: ValidatingWebhookConfiguration;
  readonly probe: WebhookRegistration['probe'];
  readonly #client: ApiClient;

  constructor({ client, wanted, probe }: WebhookRegistrationOptions) {
    this.#client = client;
    this.wanted = wanted;
    this.probe = probe;
  }

  async read(): Promise<FoundWebhookConfiguration | undefined> {
    const answer = await send(this.#client, this.wanted, { method: 'GET' });
    return answer.status === 404 ? undefined : foundOf(answer.body);
  }

  async create(): Promise<void> {
    await applyWebhookConfiguration(this.#client, this.wanted);
  }

  /** By merge patch, which replaces the list of webhooks: what others wrote into it goes as well. */
  async patch({ resourceVersion }: FoundWebhookConfiguration, { annotations, webhooks }: WebhookPatch): Promise<void> {
    await send(this.#client, this.wanted, {
      method: 'PATCH',
      query: { fieldManager: 'kerf' },
      contentType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion, annotations }, ...(webhooks !== undefined && { webhooks }) },
    });
  }
}

/** By server-side apply: so alone RBAC knows the name of what is created. *Errors:* none holds the secret. */
export async function applyWebhookConfiguration(
  client: ApiClient,
  wanted: ValidatingWebhookConfiguration,
): Promise<void> {
  const answer = await send(client, wanted, {
    method: 'PATCH',
    query: { fieldManager: 'kerf', force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: wanted,
  });
  if (answer.status === 404) throw portErrorOf(answer, `apply ${wanted.kind} ${wanted.metadata.name}`);
}

/** *Shape:* a success, or that it is not there: it went without our doing, and the next tick makes it anew. */
async function send(
  client: ApiClient,
  wanted: ValidatingWebhookConfiguration,
  request: Omit<ApiRequest, 'path'>,
): Promise<ApiResponse> {
  const path = `${CONFIGURATIONS}/${wanted.metadata.name}`;
  const answer = await client.send({ ...request, path });
  if (answer.status < 300 || answer.status === 404) return answer;
  const message = withoutSecrets(messageOf(answer), wanted);
  throw portErrorOf({ status: answer.status, body: { message } }, `${request.method} ${path}`);
}

/** The API server says what it objects to, the address with the secret for one, and that is logged. */
function withoutSecrets(message: string, { webhooks }: ValidatingWebhookConfiguration): string {
  const secrets = webhooks.map(({ clientConfig: { url } }) => url.slice(url.lastIndexOf('/') + 1));
  return secrets.filter((secret) => secret !== '').reduce((text, secret) => text.replaceAll(secret, '…'), message);
}

function foundOf(body: unknown): FoundWebhookConfiguration {
  const { metadata, webhooks } = fieldsOf(body);
  const { resourceVersion, annotations } = fieldsOf(metadata);
  return {
    resourceVersion: String(resourceVersion),
    annotations: Object.fromEntries(Object.entries(fieldsOf(annotations)).map(([key, value]) => [key, String(value)])),
    webhooks: Array.isArray(webhooks) ? webhooks : [],
  };
}
