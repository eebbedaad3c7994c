import type { Clock } from '../ports/clock.ts';
import type { Cancel } from '../ports/timer.ts';

/** A call at a time. `background`: it repeats forever, such as a tick, and does not keep the simulation running. */
interface Appointment {
  readonly atMs: number;
  readonly order: number;
  readonly background: boolean;
  readonly run: () => void | Promise<void>;
}

/**
 * Virtual time, which advances from appointment to appointment. Appointments at the same time run in the order in which they were
 * made. While an appointment waits for a later one, time advances, so that several invocations of functions run in parallel.
 */
export interface Timetable extends Clock {
  after(delayMs: number, run: () => void | Promise<void>, options?: { readonly background?: boolean }): Cancel;
  /** Resolves after that time. */
  wait(ms: number): Promise<void>;
  /**
   * Runs the next appointment that is not later than `untilMs`, until it ends or waits. *Shape:* false if there is none.
   * *Errors:* those of appointments.
   */
  step(untilMs: number): Promise<boolean>;
  /** Whether appointments remain, except background ones. */
  isBusy(): boolean;
}

export function timetableFrom(startMs: number): Timetable {
  let now = startMs;
  let order = 0;
  const appointments: Appointment[] = [];
  const failures: unknown[] = [];
  const after: Timetable['after'] = (delayMs, run, { background = false } = {}) => {
    order += 1;
    const appointment = { atMs: now + Math.max(0, delayMs), order, background, run };
    appointments.splice(positionOf(appointments, appointment), 0, appointment);
    return () => {
      const index = appointments.indexOf(appointment);
      if (index >= 0) appointments.splice(index, 1);
    };
  };
  return {
    now: () => now,
    after,
    wait: async (ms) => new Promise<void>((resolve) => void after(ms, resolve)),
    async step(untilMs) {
      const [next] = appointments;
      if (next === undefined || next.atMs > untilMs) return false;
      appointments.shift();
      now = next.atMs;
      void keepFailure(next.run, failures);
      await everythingElse();
      if (failures.length > 0) throw failures.shift();
      return true;
    },
    isBusy: () => appointments.some((appointment) => !appointment.background),
  };
}

async function keepFailure(run: Appointment['run'], failures: unknown[]): Promise<void> {
  try {
    await run();
  } catch (error) {
    failures.push(error);
  }
}

/** Resolves when all running code waits for later appointments. The simulation does not wait for anything outside it. */
async function everythingElse(): Promise<void> {
  await new Promise<void>((resolve) => void setImmediate(resolve));
}

/** *Cost:* O(log n). */
function positionOf(sorted: readonly Appointment[], one: Appointment): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle]?.atMs ?? 0) <= one.atMs) from = middle + 1;
    else to = middle;
  }
  return from;
}
