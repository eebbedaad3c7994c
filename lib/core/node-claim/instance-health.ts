import { SECOND_MS } from '../../apis/formats/time.ts';
import type { Action } from '../model/decision.ts';
import type { NodeClaimRecord } from '../model/node-claim-record.ts';

/** The failed status checks and scheduled events of an instance. */
export interface InstanceHealth {
  readonly id: string;
  /** The instance status check fails. @default it does not, or its status is not known */
  readonly instanceImpairedSinceMs?: number;
  /** The system status check fails. @default as above */
  readonly systemImpairedSinceMs?: number;
  /** Scheduled events, including completed ones. */
  readonly events: readonly { readonly code: string; readonly description: string }[];
}

/** C82: a check must fail for this time before the instance is replaced. */
const IMPAIRED_MS = 120 * SECOND_MS;

/** C82. */
const ENDING_EVENTS: ReadonlySet<string> = new Set([
  'instance-reboot',
  'instance-retirement',
  'instance-stop',
  'system-maintenance',
  'system-reboot',
]);

/** Whether a check fails that has to fail for longer before the instance is replaced. It may recover before. */
export function mayRecover(health: InstanceHealth, nowMs: number): boolean {
  const broken = brokenSince(health);
  return broken !== undefined && nowMs - broken.sinceMs < IMPAIRED_MS;
}

type Deletion = Action & { readonly kind: 'delete-node-claim' };

/**
 * Decides whether an unhealthy instance is replaced. *Shape:* for a failed status check, the deadline is now, because pods on
 * the instance cannot terminate gracefully; for a scheduled reboot, stop or retirement, there is no deadline. Undefined if the
 * instance stays. *Source:* C82, D18.
 */
export function decideHealth(record: NodeClaimRecord, health: InstanceHealth, nowMs: number): Deletion | undefined {
  const nodeClaim = record.name;
  const broken = brokenSince(health);
  if (broken !== undefined && nowMs - broken.sinceMs >= IMPAIRED_MS) {
    if (record.deletion?.deadlineMs !== undefined && record.deletion.deadlineMs <= nowMs) return undefined;
    const seconds = Math.floor((nowMs - broken.sinceMs) / SECOND_MS);
    const message = `the ${broken.what} status check of ${health.id} has failed for ${seconds} s`;
    return { kind: 'delete-node-claim', nodeClaim, reason: 'unhealthy', message, deadlineMs: nowMs };
  }
  const event = health.events.find(({ code, description }) => ENDING_EVENTS.has(code) && !isOver(description));
  if (event === undefined || record.deletion !== undefined) return undefined;
  const message = `EC2 scheduled ${event.code} for ${health.id}: ${event.description}`;
  return { kind: 'delete-node-claim', nodeClaim, reason: 'scheduled_change', message };
}

function brokenSince(health: InstanceHealth): { readonly what: string; readonly sinceMs: number } | undefined {
  const { instanceImpairedSinceMs: instance, systemImpairedSinceMs: system } = health;
  if (system !== undefined && (instance === undefined || system <= instance))
    return { what: 'system', sinceMs: system };
  return instance === undefined ? undefined : { what: 'instance', sinceMs: instance };
}

/** EC2 lists an event for a week after it ends, with a prefix in its description. */
function isOver(description: string): boolean {
  return /^\[(Completed|Canceled)\]/i.test(description);
}
