import type { Clock } from '../ports/clock.ts';
import type { Cancel } from '../ports/timer.ts';

/** A call at a time. `background`: it repeats forever, such as a tick, and does not keep the simulation running. */
interface Appointment {
  readonly atMs: number;
  readonly order: number;
  readonly background: boolean;
  readonly run: () => void | Promise<void>;
  /** Whether it waits. A cancelled one stays in the queue until its time. */
  waits: boolean;
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
  /** The waiting appointments that are not background ones. */
  let busy = 0;
  const queue = appointmentQueue();
  const failures: unknown[] = [];
  const end = (appointment: Appointment): void => {
    if (appointment.waits && !appointment.background) busy -= 1;
    appointment.waits = false;
  };
  const after: Timetable['after'] = (delayMs, run, { background = false } = {}) => {
    order += 1;
    const appointment = { atMs: now + Math.max(0, delayMs), order, background, run, waits: true };
    queue.add(appointment);
    if (!background) busy += 1;
    return () => end(appointment);
  };
  return {
    now: () => now,
    after,
    wait: async (ms) => new Promise<void>((resolve) => void after(ms, resolve)),
    async step(untilMs) {
      while (queue.first()?.waits === false) queue.takeFirst();
      const next = queue.first();
      if (next === undefined || next.atMs > untilMs) return false;
      queue.takeFirst();
      end(next);
      now = next.atMs;
      void keepFailure(next.run, failures);
      await everythingElse();
      if (failures.length > 0) throw failures.shift();
      return true;
    },
    isBusy: () => busy > 0,
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

/** Appointments by time, then in the order in which they were made. *Cost:* O(log n). */
interface AppointmentQueue {
  first(): Appointment | undefined;
  takeFirst(): void;
  add(appointment: Appointment): void;
}

/** A binary heap: each appointment is before the two at twice its place, counted from 1. */
function appointmentQueue(): AppointmentQueue {
  const heap: Appointment[] = [];
  const put = (at: number, appointment: Appointment | undefined): void => {
    if (appointment !== undefined) heap[at - 1] = appointment;
  };
  const rise = (from: number, appointment: Appointment): void => {
    let at = from;
    for (; at > 1 && isBefore(appointment, heap[(at >> 1) - 1]); at >>= 1) put(at, heap[(at >> 1) - 1]);
    put(at, appointment);
  };
  const sink = (appointment: Appointment): void => {
    let at = 1;
    for (;;) {
      const left = at * 2;
      const next = isBefore(heap[left], heap[left - 1]) ? left + 1 : left;
      if (!isBefore(heap[next - 1], appointment)) break;
      put(at, heap[next - 1]);
      at = next;
    }
    put(at, appointment);
  };
  return {
    first: () => heap[0],
    takeFirst() {
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) sink(last);
    },
    add: (appointment) => rise(heap.length + 1, appointment),
  };
}

function isBefore(a: Appointment | undefined, b: Appointment | undefined): boolean {
  return a !== undefined && (b === undefined || a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order));
}
