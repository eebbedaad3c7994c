import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import { type Due, nextTick, requeueAt } from '../../core/model/decision.ts';
import { PortError } from '../../ports/errors.ts';
import type { Wake, WakeTarget } from '../../ports/messages.ts';
import type { HasClock, SendsWakes } from './ports.ts';

/** Ticks come every minute. A later tick sends the wake for a later due time, so that wakes do not accumulate. */
const TICK_MS = MINUTE_MS;

/** The repetition of a run. */
interface Repetition {
  readonly due: readonly Due[];
  /** @default the run had no conflict */
  readonly conflicts?: number;
}

/**
 * When a run with a conflict is repeated: after a second, and after twice the time for each repetition that has a conflict too.
 * Others may write the same objects for minutes. The tick begins again with a second.
 */
export function conflictRetry({ conflicts = 0 }: Wake, hasConflict: boolean, nowMs: number): Repetition {
  if (!hasConflict) return { due: [] };
  const pauseMs = SECOND_MS * 2 ** conflicts;
  return { due: [pauseMs < TICK_MS ? requeueAt(nowMs + pauseMs) : nextTick(nowMs)], conflicts: conflicts + 1 };
}

/** Sends the function a delayed wake for the first due time, if it is before the next tick. */
export async function armWakeUp(
  ports: SendsWakes & HasClock,
  target: WakeTarget,
  { cluster, due, conflicts }: Repetition & { readonly cluster: string },
): Promise<void> {
  const now = ports.clock.now();
  const next = Math.min(...due.flatMap(({ atMs, kind }) => (kind === 'tick' ? [] : atMs)));
  if (next >= now + TICK_MS) return;
  await ports.messages.wake(
    target,
    { cluster, reason: 'due', dueMs: next, ...optional({ conflicts }) },
    Math.max(0, next - now),
  );
}

/** The failures of wakes that could not be sent. */
export type LostWakes = readonly PortError[];

/**
 * Sends each wake, also if another one cannot be sent. A wake only makes a function run earlier: the next tick finds the same
 * work, so a lost wake does not make an action fail. *Shape:* the failures.
 */
export async function sendWakes(
  { messages }: SendsWakes,
  wakes: readonly (readonly [WakeTarget, Wake])[],
): Promise<LostWakes> {
  const lost: PortError[] = [];
  for (const [target, wake] of wakes) {
    try {
      await messages.wake(target, wake);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      lost.push(error);
    }
  }
  return lost;
}
