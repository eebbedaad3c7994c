import { guardWebhook } from '../../core/install/guard-webhook.ts';
import { ConflictError, PortError } from '../../ports/errors.ts';
import type { Wake } from '../../ports/messages.ts';
import type { HasClock, HasSettings, MayHaveWebhook } from '../run/ports.ts';

/**
 * Each tick asks the webhook's endpoint and keeps the cluster's configuration by the answer. *Shape:* what somebody should
 * know of it; a cluster that cannot be written to is no reason to leave its claims alone.
 */
export async function syncWebhook(
  { webhook, clock, settings }: MayHaveWebhook & HasClock & HasSettings,
  { reason }: Wake,
): Promise<readonly Error[]> {
  if (webhook === undefined || settings.shadow || !reason.split('+').includes('tick')) return [];
  try {
    const [found, whyUnwell] = await Promise.all([webhook.read(), webhook.probe()]);
    const step = guardWebhook({ wanted: webhook.wanted, found, whyUnwell }, clock.now());
    if (step.kind === 'create') await webhook.create();
    if (step.kind === 'patch' && found !== undefined) await webhook.patch(found, step.patch);
    return step.complaint === undefined ? [] : [new Error(step.complaint)];
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    // Overtaken: the next tick sees what the other one made of it.
    return error instanceof ConflictError ? [] : [error];
  }
}
