/** Disables the webhook of a cluster while its endpoint does not answer, and enables it again. Runs on every tick. */

import { formatTime, parseTime, SECOND_MS } from '../../apis/formats/time.ts';
import { ownField } from '../../apis/record.ts';
import { sameContent } from '../canonical-json.ts';
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from './webhook-configuration.ts';

/** Annotations of the webhook configuration, which is kept while its webhooks are removed. */
export const FAILED_PROBES = 'kerf.dev/failed-probes';
export const FAILED_AT = 'kerf.dev/last-failed-probe';

/** Three ticks: an outage of less than two minutes costs a cluster less than disabling the webhook. */
const MAX_FAILED_PROBES = 3;
/** Probes within this time count as one, because a tick may be delivered more than once. */
const SAME_TICK_MS = 30 * SECOND_MS;

/** The configuration in the API server. */
export interface FoundWebhookConfiguration {
  readonly resourceVersion: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly webhooks: readonly unknown[];
}

export interface WebhookView {
  readonly wanted: ValidatingWebhookConfiguration;
  readonly found: FoundWebhookConfiguration | undefined;
  /** Why the endpoint did not answer the probe; undefined where it did. */
  readonly whyUnwell: string | undefined;
}

/** A merge patch: null removes an annotation. Without `webhooks`, the webhooks are unchanged. */
export interface WebhookPatch {
  readonly annotations: Readonly<Record<typeof FAILED_PROBES | typeof FAILED_AT, string | null>>;
  readonly webhooks?: readonly ValidatingWebhook[];
}

export type WebhookStep = (
  | { readonly kind: 'keep' }
  | { readonly kind: 'create' }
  | { readonly kind: 'patch'; readonly patch: WebhookPatch }
) & {
  /** A message for the log. */
  readonly complaint?: string;
  /** Whether the cluster has no webhook after this step. @default false */
  readonly isDisabled?: true;
};

/**
 * Decides what to do with the webhook configuration of a cluster.
 *
 * *Shape:* if the endpoint answers, the configuration is restored where it was edited or deleted. If it does not answer, the
 * failure is counted, and the third failure removes the webhooks, so no write to the cluster waits for them (promise 5).
 */
export function guardWebhook(view: WebhookView, nowMs: number): WebhookStep {
  return view.whyUnwell === undefined ? restoreWebhooks(view) : countFailure(view, view.whyUnwell, nowMs);
}

function restoreWebhooks({ wanted, found }: WebhookView): WebhookStep {
  if (found === undefined) return { kind: 'create' };
  const inPlace = isInPlace(wanted.webhooks, found.webhooks);
  const isCleared = found.annotations[FAILED_PROBES] === undefined && found.annotations[FAILED_AT] === undefined;
  if (inPlace && isCleared) return { kind: 'keep' };
  const annotations = { [FAILED_PROBES]: null, [FAILED_AT]: null };
  return { kind: 'patch', patch: { annotations, ...(!inPlace && { webhooks: wanted.webhooks }) } };
}

function countFailure({ wanted, found }: WebhookView, why: string, nowMs: number): WebhookStep {
  if (found === undefined)
    return disabled({ kind: 'keep' }, `webhook not installed because its endpoint does not answer: ${why}`);
  if (found.webhooks.length === 0) return disabled({ kind: 'keep' }, `webhook disabled; polling every minute: ${why}`);
  const before = failuresOf(found);
  if (Math.abs(nowMs - before.atMs) < SAME_TICK_MS) return { kind: 'keep' };
  const count = before.count + 1;
  const annotations = { [FAILED_PROBES]: String(count), [FAILED_AT]: formatTime(nowMs) };
  if (count >= MAX_FAILED_PROBES) {
    const complaint = `webhook disabled after ${count} failed probes; polling every minute: ${why}`;
    return disabled({ kind: 'patch', patch: { annotations, webhooks: [] } }, complaint);
  }
  const repair = isInPlace(wanted.webhooks, found.webhooks) ? {} : { webhooks: wanted.webhooks };
  const complaint = `webhook probe ${count} of ${MAX_FAILED_PROBES} failed: ${why}`;
  return { kind: 'patch', patch: { annotations, ...repair }, complaint };
}

function disabled(step: WebhookStep, complaint: string): WebhookStep {
  return { ...step, complaint, isDisabled: true };
}

/** The number and time of failed probes; zero where the annotations are invalid. */
function failuresOf({ annotations }: FoundWebhookConfiguration): { readonly count: number; readonly atMs: number } {
  const count = Number(annotations[FAILED_PROBES]);
  return { count: Number.isInteger(count) && count > 0 ? count : 0, atMs: timeOf(annotations[FAILED_AT]) };
}

function timeOf(text: string | undefined): number {
  try {
    return text === undefined ? -Infinity : parseTime(text);
  } catch {
    return -Infinity;
  }
}

/** Compares only the fields that Kerf sets, because a later API server may add fields with defaults. */
function isInPlace(wanted: readonly ValidatingWebhook[], found: readonly unknown[]): boolean {
  return found.length === wanted.length && wanted.every((webhook, index) => isSame(webhook, found[index]));
}

function isSame(wanted: ValidatingWebhook, found: unknown): boolean {
  return Object.entries(wanted).every(([field, value]) => sameContent(ownField(found, field), value));
}
