import type { FoundWebhookConfiguration, WebhookPatch } from '../core/install/guard-webhook.ts';
import type { ValidatingWebhookConfiguration } from '../core/install/webhook-configuration.ts';

/**
 * The webhook configuration of one cluster, and a probe of its endpoint.
 *
 * *Contract:* `patch` fails with ConflictError if the configuration has changed since it was read. No error contains the secret.
 *
 * *Errors:* ConflictError, UnreachableError, RefusedError; `probe` has none.
 */
export interface WebhookRegistration {
  /** The required configuration. */
  readonly wanted: ValidatingWebhookConfiguration;
  /** *Shape:* undefined if it does not exist. */
  read(): Promise<FoundWebhookConfiguration | undefined>;
  create(): Promise<void>;
  patch(found: FoundWebhookConfiguration, patch: WebhookPatch): Promise<void>;
  /** Calls the endpoint as the API server does, with a request that wakes no function. *Shape:* why the call failed. */
  probe(): Promise<string | undefined>;
}
