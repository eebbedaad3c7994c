import { optional } from '../../../apis/optional.ts';
import type { FoundWebhookConfiguration, WebhookPatch } from '../../../core/install/guard-webhook.ts';
import type { ValidatingWebhookConfiguration } from '../../../core/install/webhook-configuration.ts';
import type { WebhookRegistration } from '../../../ports/webhook-registration.ts';
import type { ApiClient, ApiRequest } from '../client/api-client.ts';
import { type ApiResponse, kubernetesPortError, messageOf } from '../client/errors.ts';
import { objectPath } from '../client/object-path.ts';
import { fieldsOf } from '../project/project.ts';

export interface WebhookRegistrationOptions {
  readonly client: ApiClient;
  readonly wanted: ValidatingWebhookConfiguration;
  readonly probe: WebhookRegistration['probe'];
}

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

/** Kerf's ValidatingWebhookConfiguration in one cluster. */
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

  /** Uses a merge patch, which replaces the list of webhooks, including changes of other clients. */
  async patch({ resourceVersion }: FoundWebhookConfiguration, { annotations, webhooks }: WebhookPatch): Promise<void> {
    await send(this.#client, this.wanted, {
      method: 'PATCH',
      query: { fieldManager: 'kerf' },
      contentType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion, annotations }, ...optional({ webhooks }) },
    });
  }
}

/** Uses server-side apply, because only then RBAC can limit creation to one name. *Errors:* without the secret. */
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
  if (answer.status === 404) throw kubernetesPortError(answer, `apply ${wanted.kind} ${wanted.metadata.name}`);
}

/** Accepts success and "not found": if the object was deleted by another client, the next tick creates it again. */
async function send(
  client: ApiClient,
  wanted: ValidatingWebhookConfiguration,
  request: Omit<ApiRequest, 'path'>,
): Promise<ApiResponse> {
  const path = objectPath(CONFIGURATIONS, wanted.metadata.name);
  const answer = await client.send({ ...request, path });
  if (answer.status < 300 || answer.status === 404) return answer;
  const message = withoutSecrets(messageOf(answer), wanted);
  throw kubernetesPortError({ status: answer.status, body: { message } }, `${request.method} ${path}`);
}

/** Removes the secret from messages of the API server, which may contain the URL and are logged. */
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
