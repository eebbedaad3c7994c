import { MINUTE_MS } from '../../apis/formats/time.ts';
import { EVENT_LIVES, type EventLife } from '../delivery/deliveries.ts';
import { type InterruptionMessage, parseInterruption } from './message.ts';

/**
 * How long a message matters after the time of its event. A warning: EC2 gives two minutes, then the instance ends. The end of an
 * instance and a scheduled change: as long as lifecycle may need to find them in EC2's lists (D15) after an outage.
 */
const LIFE_OF: Readonly<Record<InterruptionMessage['kind'], EventLife>> = {
  'spot-interruption': 'minutes',
  'reservation-interruption': 'minutes',
  'rebalance-recommendation': 'minutes',
  'state-change': 'quarter-hour',
  'scheduled-change': 'quarter-hour',
};

/** An event that cannot be parsed may be a warning. */
export function eventLife(event: unknown): EventLife {
  const parsed = parseInterruption(event);
  return parsed.kind === 'message' ? LIFE_OF[parsed.message.kind] : 'minutes';
}

/** The clocks of EventBridge and of a function may differ by as much. */
const CLOCK_SKEW_MS = 2 * MINUTE_MS;

/** Whether what the message announces has happened, by any clock. */
export function isOver({ kind, atMs }: Pick<InterruptionMessage, 'kind' | 'atMs'>, nowMs: number): boolean {
  return nowMs > atMs + EVENT_LIVES[LIFE_OF[kind]].lastsMs + CLOCK_SKEW_MS;
}
