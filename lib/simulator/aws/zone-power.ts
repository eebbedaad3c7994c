import { ownRandom } from '../random.ts';
import type { Timetable } from '../timetable.ts';

/** The time from the return of the power until an instance reports again. */
const RESTART_MS = [30_000, 90_000] as const;

/** The zones whose instances have no power. */
export interface ZonePower {
  isOff(zone: string): boolean;
  /** Runs when an instance of the zone has started again after the outage. The zone must be without power. */
  onceRestarted(zone: string, run: () => void): void;
  /** Cuts the power of a zone. *Shape:* a function that turns it on again. Outages of one zone may overlap. */
  cut(zone: string): () => void;
}

export function zonePower(timetable: Timetable, seed: number): ZonePower {
  const random = ownRandom(seed, 'zone power');
  const outages = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  const restart = (zone: string): void => {
    const runs = waiting.get(zone) ?? [];
    waiting.delete(zone);
    for (const run of runs) timetable.after(random.between(...RESTART_MS), run);
  };
  return {
    isOff: (zone) => (outages.get(zone) ?? 0) > 0,
    onceRestarted: (zone, run) => void waiting.set(zone, [...(waiting.get(zone) ?? []), run]),
    cut(zone) {
      outages.set(zone, (outages.get(zone) ?? 0) + 1);
      return () => {
        const left = (outages.get(zone) ?? 0) - 1;
        outages.set(zone, left);
        if (left === 0) restart(zone);
      };
    },
  };
}
