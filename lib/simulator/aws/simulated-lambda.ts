import { keptLeases } from '../../controllers/run/kept-leases.ts';
import type { ControllerPorts } from '../../controllers/run/ports.ts';
import { EVENT_PLAN, WAKE_PLAN } from '../../core/delivery/deliveries.ts';
import type { WakeTarget } from '../../ports/messages.ts';
import type { QueuedMessage } from '../../ports/redelivery.ts';
import type { Timer } from '../../ports/timer.ts';
import { around } from '../faults.ts';
import type { Random } from '../random.ts';
import type { Timetable } from '../timetable.ts';

/** How long a call of a port takes, if nothing else is said. */
const CALL_MS = { from: 1, to: 6 };

export type FunctionName = WakeTarget | 'interruption' | 'webhook';

/** One invocation of a function. */
export interface SimulatedInvocation {
  readonly function: FunctionName;
  /** Counted for each function, from 1. */
  readonly nth: number;
  /** The number of messages of its batch. */
  readonly messages: number;
  /** The highest number of deliveries of one of its messages, with this one. 0 if a schedule started it. */
  readonly receives: number;
  /** Resolves when it has answered or was stopped. */
  readonly ended: Promise<void>;
  /** Ends it now: none of its calls takes effect any more, and its messages are delivered again. */
  readonly stop: () => void;
}

export type WrapInvocation = (ports: ControllerPorts, invocation: SimulatedInvocation) => ControllerPorts;

interface Started {
  readonly ports: ControllerPorts;
  readonly timer: Timer;
}

/** Runs a handler. *Shape:* the ids of the messages to deliver again: all of them where the invocation was stopped. */
export type Invoke = (
  name: FunctionName,
  messages: readonly QueuedMessage[],
  handler: (started: Started) => Promise<readonly string[]>,
) => Promise<readonly string[]>;

/** The time of an invocation that begins now. @internal */
export function invocationTimer(timetable: Timetable, timeoutMs = WAKE_PLAN.functionTimeoutMs): Timer {
  const endsAtMs = timetable.now() + timeoutMs;
  return {
    remainingMs: () => endsAtMs - timetable.now(),
    after: (delayMs, run) => timetable.after(delayMs, run),
  };
}

/**
 * Lambda in virtual time. Every call of a port takes time, by the seed, and other invocations run meanwhile. An invocation
 * that does not answer within its time-out is stopped: none of its calls takes effect any more.
 */
export function simulatedLambda(
  timetable: Timetable,
  world: {
    readonly ports: ControllerPorts;
    readonly random: Random;
    /** Puts something between one invocation and its ports. */
    readonly wrapInvocation?: WrapInvocation | undefined;
    /** Puts something between one invocation and its ports, also for calls that renew a lease. */
    readonly wrapCalls?: WrapInvocation | undefined;
  },
): Invoke {
  const { ports, random, wrapInvocation, wrapCalls } = world;
  const counts = new Map<FunctionName, number>();
  return async (name, messages, handler) => {
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    const { functionTimeoutMs } = name === 'interruption' ? EVENT_PLAN : WAKE_PLAN;
    const timer = invocationTimer(timetable, functionTimeoutMs);
    const ended = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<readonly string[]>();
    let isStopped = false;
    const stop = (): void => {
      isStopped = true;
      stopped.resolve(messages.map(({ id }) => id));
    };
    const cancel = timetable.after(functionTimeoutMs, stop);
    const receives = Math.max(0, ...messages.map((one) => one.receives));
    const invocation = { function: name, nth, messages: messages.length, receives, ended: ended.promise, stop };
    const slow = around(ports, async (_, call) => {
      await timetable.wait(random.between(CALL_MS.from, CALL_MS.to));
      return isStopped ? new Promise<never>(() => {}) : call();
    });
    const called = wrapCalls?.(slow, invocation) ?? slow;
    const own = { ...called, leases: keptLeases(called.leases, timer) };
    const wrapped = wrapInvocation?.(own, invocation) ?? own;
    try {
      return await Promise.race([handler({ ports: wrapped, timer }), stopped.promise]);
    } finally {
      cancel();
      ended.resolve();
    }
  };
}
