import { guardWebhook } from '../../core/install/guard-webhook.ts';
import { ProblemError } from '../../core/problems/problems.ts';
import { ConflictError, PortError } from '../../ports/errors.ts';
import type { Wake } from '../../ports/messages.ts';
import { failureOf } from '../act/run-notes.ts';
import { reasonsOf } from '../run/coalesce-wakes.ts';
import type { HasClock, HasSettings, MayHaveWebhook } from '../run/ports.ts';

/**
 * Each tick calls the webhook's endpoint and updates the configuration in the cluster by the result. *Shape:* the problems to
 * report. If the cluster refuses the write, the run continues with its claims.
 */
export async function syncWebhook(
  { webhook, clock, settings }: MayHaveWebhook & HasClock & HasSettings,
  wake: Wake,
): Promise<readonly Error[]> {
  if (webhook === undefined || settings.shadow || !reasonsOf(wake).includes('tick')) return [];
  try {
    const [found, whyUnwell] = await Promise.all([webhook.read(), webhook.probe()]);
    const step = guardWebhook({ wanted: webhook.wanted, found, whyUnwell }, clock.now());
    if (step.kind === 'create') await webhook.create();
    if (step.kind === 'patch' && found !== undefined) await webhook.patch(found, step.patch);
    const { complaint, isDisabled } = step;
    if (complaint === undefined) return [];
    return [isDisabled === true ? new ProblemError('WebhookDisabled', complaint) : new Error(complaint)];
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    // After a conflict, the next tick reads the configuration again.
    return error instanceof ConflictError ? [] : [failureOf('webhook configuration', error)];
  }
}
