/** Takes the webhook of a cluster away where nobody answers it, and puts it back: what a tick makes of what it sees. */
import { formatTime, parseTime, SECOND_MS } from '../../apis/time.ts';
import { sameContent } from '../canonical-json.ts';
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from './webhook-configuration.ts';

/** On the configuration itself, which therefore stays where its webhooks are taken away. */
export const FAILED_PROBES = 'kerf.dev/failed-probes';
export const FAILED_AT = 'kerf.dev/last-failed-probe';

/** Three ticks: what is over within two minutes costs a cluster less than to do without. */
const MOST_FAILED_PROBES = 3;
/** A tick that is delivered twice, or again after a failure, is one tick. */
const SAME_TICK_MS = 30 * SECOND_MS;

/** The configuration as the API server has it. */
export interface FoundWebhookConfiguration {
  readonly resourceVersion: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly webhooks: readonly unknown[];
}

export interface WebhookView {
  readonly wanted: ValidatingWebhookConfiguration;
  readonly found: FoundWebhookConfiguration | undefined;
  /** What kept the endpoint from answering the probe; undefined: it is well. */
  readonly whyUnwell: string | undefined;
}

/** A merge patch: null takes an annotation away; webhooks that are not named stay. */
export interface WebhookPatch {
  readonly annotations: Readonly<Record<typeof FAILED_PROBES | typeof FAILED_AT, string | null>>;
  readonly webhooks?: readonly ValidatingWebhook[];
}

export type WebhookStep = (
  | { readonly kind: 'keep' }
  | { readonly kind: 'create' }
  | { readonly kind: 'patch'; readonly patch: WebhookPatch }
) & {
  /** What somebody should know. */
  readonly complaint?: string;
};

/**
 * What is to be done about a cluster's webhook configuration.
 *
 * *Shape:* an endpoint that answers: the configuration is as it must be, whoever edited or deleted it. One that does not:
 * counted, and from the third time on without webhooks, so that no write to the cluster waits for it (promise 5).
 */
export function guardWebhook(view: WebhookView, nowMs: number): WebhookStep {
  return view.whyUnwell === undefined ? keepUp(view) : heedFailure(view, view.whyUnwell, nowMs);
}

function keepUp({ wanted, found }: WebhookView): WebhookStep {
  if (found === undefined) return { kind: 'create' };
  const inPlace = isInPlace(wanted.webhooks, found.webhooks);
  const isForgiven = found.annotations[FAILED_PROBES] === undefined && found.annotations[FAILED_AT] === undefined;
  if (inPlace && isForgiven) return { kind: 'keep' };
  const annotations = { [FAILED_PROBES]: null, [FAILED_AT]: null };
  return { kind: 'patch', patch: { annotations, ...(!inPlace && { webhooks: wanted.webhooks }) } };
}

function heedFailure({ wanted, found }: WebhookView, why: string, nowMs: number): WebhookStep {
  if (found === undefined) return { kind: 'keep', complaint: `there is no webhook, and none is made: ${why}` };
  if (found.webhooks.length === 0) return { kind: 'keep', complaint: `the webhook stays away: ${why}` };
  const before = failuresOf(found);
  if (Math.abs(nowMs - before.atMs) < SAME_TICK_MS) return { kind: 'keep' };
  const count = before.count + 1;
  const annotations = { [FAILED_PROBES]: String(count), [FAILED_AT]: formatTime(nowMs) };
  if (count >= MOST_FAILED_PROBES) {
    const complaint = `the webhook is taken away after ${count} failed probes, pods wait for the tick: ${why}`;
    return { kind: 'patch', patch: { annotations, webhooks: [] }, complaint };
  }
  const repair = isInPlace(wanted.webhooks, found.webhooks) ? {} : { webhooks: wanted.webhooks };
  const complaint = `the webhook failed probe ${count} of ${MOST_FAILED_PROBES}: ${why}`;
  return { kind: 'patch', patch: { annotations, ...repair }, complaint };
}

/** What somebody wrote in their place counts as nothing. */
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

/** Field by field: what a later API server fills in beside ours says nothing. */
function isInPlace(wanted: readonly ValidatingWebhook[], found: readonly unknown[]): boolean {
  const isSame = (webhook: ValidatingWebhook, is: unknown): boolean =>
    Object.entries(webhook).every(([field, value]) => sameContent(fieldOf(is, field), value));
  return found.length === wanted.length && wanted.every((webhook, index) => isSame(webhook, found[index]));
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
