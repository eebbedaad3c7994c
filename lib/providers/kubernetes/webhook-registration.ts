import type { FoundWebhookConfiguration, WebhookPatch } from '../../core/install/guard-webhook.ts';
import type { ValidatingWebhookConfiguration } from '../../core/install/webhook-configuration.ts';
import type { WebhookRegistration } from '../../ports/webhook-registration.ts';
import type { ApiClient, ApiRequest } from './api-client.ts';
import { type ApiResponse, messageOf, portErrorOf } from './errors.ts';
import { fieldsOf } from './project.ts';

export interface WebhookRegistrationOptions {
  readonly client: ApiClient;
  readonly wanted: ValidatingWebhookConfiguration;
  /** What the API server says of a configuration may hold it, and must not be passed on. */
  readonly secret: string;
  readonly probe: WebhookRegistration['probe'];
}

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

/** One cluster's ValidatingWebhookConfiguration of Kerf. */
export class KubernetesWebhookRegistration implements WebhookRegistration {
  readonly wanted: ValidatingWebhookConfiguration;
  readonly probe: WebhookRegistration['probe'];
  readonly #client: ApiClient;
  readonly #secret: string;

  constructor({ client, wanted, secret, probe }: WebhookRegistrationOptions) {
    this.#client = client;
    this.#secret = secret;
    this.wanted = wanted;
    this.probe = probe;
  }

  async read(): Promise<FoundWebhookConfiguration | undefined> {
    const answer = await this.#send({ method: 'GET', path: this.#path });
    return answer.status === 404 ? undefined : foundOf(answer.body);
  }

  /** By server-side apply: so alone RBAC knows the name of what is created. */
  async create(): Promise<void> {
    await this.#send({
      method: 'PATCH',
      path: this.#path,
      query: { fieldManager: 'kerf', force: 'true' },
      contentType: 'application/apply-patch+yaml',
      body: this.wanted,
    });
  }

  /** By merge patch, which replaces the list of webhooks: what others wrote into it goes as well. */
  async patch({ resourceVersion }: FoundWebhookConfiguration, { annotations, webhooks }: WebhookPatch): Promise<void> {
    await this.#send({
      method: 'PATCH',
      path: this.#path,
      query: { fieldManager: 'kerf' },
      contentType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion, annotations }, ...(webhooks !== undefined && { webhooks }) },
    });
  }

  get #path(): string {
    return `${CONFIGURATIONS}/${this.wanted.metadata.name}`;
  }

  /** *Shape:* a success, or that it is not there: it goes without our doing, and the next tick makes it anew. */
  async #send(request: ApiRequest): Promise<ApiResponse> {
    const answer = await this.#client.send(request);
    if (answer.status < 300 || answer.status === 404) return answer;
    const message = messageOf(answer).replaceAll(this.#secret, '…');
    throw portErrorOf({ status: answer.status, body: { message } }, `${request.method} ${request.path}`);
  }
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
