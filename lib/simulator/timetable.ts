import type { Clock } from '../ports/clock.ts';

/** Something that happens at an instant. `background`: it goes on for ever (ticks) and keeps no simulation alive. */
interface Appointment {
  readonly atMs: number;
  readonly order: number;
  readonly background: boolean;
  readonly run: () => void | Promise<void>;
}

/** Virtual time: nothing passes but what is on the timetable. Appointments of one instant keep the order they were made in. */
export interface Timetable extends Clock {
  after(delayMs: number, run: () => void | Promise<void>, options?: { readonly background?: boolean }): void;
  /** Runs the next appointment that is not later than `untilMs`; false where there is none. */
  step(untilMs: number): Promise<boolean>;
  /** True while anything but the background is still to come. */
  isBusy(): boolean;
}

export function timetableFrom(startMs: number): Timetable {
  let now = startMs;
  let order = 0;
  const appointments: Appointment[] = [];
  return {
    now: () => now,
    after(delayMs, run, { background = false } = {}) {
      order += 1;
      const appointment = { atMs: now + Math.max(0, delayMs), order, background, run };
      appointments.splice(positionOf(appointments, appointment), 0, appointment);
    },
    async step(untilMs) {
      const [next] = appointments;
      if (next === undefined || next.atMs > untilMs) return false;
      appointments.shift();
      now = next.atMs;
      await next.run();
      return true;
    },
    isBusy: () => appointments.some((appointment) => !appointment.background),
  };
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
