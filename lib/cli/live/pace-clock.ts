/**
 * The time of a simulation that is shown at a speed. *Units:* `nowMs` is real time in milliseconds; positions are simulated seconds, and
 * the speed is simulated seconds a second.
 */
export interface PaceClock {
  at(nowMs: number): number;
  readonly speed: number;
  readonly paused: boolean;
  setSpeed(speed: number, nowMs: number): void;
  pause(nowMs: number): void;
  resume(nowMs: number): void;
  moveTo(seconds: number, nowMs: number): void;
}

export function paceClock(speed: number, nowMs: number): PaceClock {
  let since = { seconds: 0, nowMs };
  const clock = {
    speed,
    paused: false,
    at: (now: number) =>
      clock.paused ? since.seconds : since.seconds + (Math.max(0, now - since.nowMs) / 1_000) * clock.speed,
    moveTo(seconds: number, now: number): void {
      since = { seconds, nowMs: now };
    },
    setSpeed(next: number, now: number): void {
      clock.moveTo(clock.at(now), now);
      clock.speed = next;
    },
    pause(now: number): void {
      clock.moveTo(clock.at(now), now);
      clock.paused = true;
    },
    resume(now: number): void {
      clock.moveTo(clock.at(now), now);
      clock.paused = false;
    },
  };
  return clock;
}
