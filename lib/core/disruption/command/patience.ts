import { HOUR_MS, MINUTE_MS } from '../../../apis/formats/time.ts';
import type { ReplacingCommand } from '../../model/disruption-command.ts';

/** E35: for each command in flight. */
const PATIENCE_MS = 80;
/** E35: how long a command waits for its replacements at least. */
export const MIN_PATIENCE_MS = 10 * MINUTE_MS;
/** At most, and while only PodDisruptionBudgets that may allow evictions later keep the nodes. */
export const MAX_PATIENCE_MS = HOUR_MS;

/** E35: how long a command waits for its replacements. */
export function patienceMs(inFlight: number): number {
  return Math.min(MAX_PATIENCE_MS, Math.max(MIN_PATIENCE_MS, PATIENCE_MS * inFlight));
}

/** When a command may give up: while it waits for its replacements or a budget of the NodePool, and while it waits for evictions. */
export function givesUpAtMs({ replacingSinceMs }: ReplacingCommand, inFlight: number): readonly number[] {
  return [replacingSinceMs + patienceMs(inFlight), replacingSinceMs + MAX_PATIENCE_MS];
}
