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

/** Sends the function a delayed wake for the first due time, if it is before the next tick. *Shape:* that time. */
export async function armWakeUp(
  ports: SendsWakes & HasClock,
  target: WakeTarget,
  { cluster, due, conflicts }: Repetition & { readonly cluster: string },
): Promise<number> {
  const now = ports.clock.now();
  const next = Math.min(...due.flatMap(({ atMs, kind }) => (kind === 'tick' ? [] : atMs)));
  if (next >= now + TICK_MS) return next;
  await ports.messages.wake(
    target,
    { cluster, reason: 'due', dueMs: next, ...optional({ conflicts }) },
    Math.max(0, next - now),
  );
  return next;
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

/** A queue collects messages for a second, so a run that is woken once in this time reads what all wakes are for. */
const TOGETHER_MS = SECOND_MS;

/**
 * Messages for a run that sends many alike wakes: for each function and reason, one a second at most, and one at the end for those that
 * were left out. Ten claims that are deleted together need one run, and a message costs as much as a write. A wake with a time of its own
 * is sent at once.
 */
export function wakesTogether({ messages, clock }: SendsWakes & HasClock): SendsWakes & {
  /** *Shape:* the failures. */
  readonly sendRest: () => Promise<LostWakes>;
} {
  const sentMs = new Map<string, number>();
  const rest = new Map<string, readonly [WakeTarget, Wake]>();
  return {
    messages: {
      async wake(target, wake, delayMs) {
        const { cluster, reason, nodeClaim, ...times } = wake;
        if (delayMs !== undefined || Object.keys(times).length > 0) return messages.wake(target, wake, delayMs);
        const key = `${cluster} ${target} ${reason}`;
        const nowMs = clock.now();
        if (nowMs >= (sentMs.get(key) ?? Number.NEGATIVE_INFINITY) + TOGETHER_MS) {
          sentMs.set(key, nowMs);
          return messages.wake(target, wake);
        }
        const isAlone = !rest.has(key) || rest.get(key)?.[1].nodeClaim === nodeClaim;
        rest.set(key, [target, { cluster, reason, ...(isAlone && optional({ nodeClaim })) }]);
      },
    },
    sendRest: async () => sendWakes({ messages }, [...rest.values()]),
  };
}
