import type { FoundWebhookConfiguration, WebhookPatch } from '../core/install/guard-webhook.ts';
import type { ValidatingWebhookConfiguration } from '../core/install/webhook-configuration.ts';

/**
 * What one cluster's API server calls, and whether it answers.
 *
 * *Contract:* `patch` refuses with ConflictError where the configuration is not the one that was read any more. No error
 * holds the secret.
 *
 * *Errors:* ConflictError, UnreachableError, RefusedError; `probe` has none.
 */
export interface WebhookRegistration {
  /** As it must be. */
  readonly wanted: ValidatingWebhookConfiguration;
  /** *Shape:* undefined where there is none. */
  read(): Promise<FoundWebhookConfiguration | undefined>;
  create(): Promise<void>;
  patch(found: FoundWebhookConfiguration, patch: WebhookPatch): Promise<void>;
  /** Calls the endpoint as the API server does, for something that wakes nobody. *Shape:* why it is not well. */
  probe(): Promise<string | undefined>;
}
