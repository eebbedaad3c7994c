import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { Fault } from '../../../lib/simulator/faults/fault.ts';
import type { Random } from '../../../lib/simulator/random.ts';
import { CALL_THEMES } from './call-themes.ts';
import type { Draw, Themes, Timed } from './draw.ts';
import { WORLD_THEMES } from './world-themes.ts';

const THEMES: Themes = { ...CALL_THEMES, ...WORLD_THEMES };

export interface Theme {
  readonly theme: string;
  readonly invocations: number;
  readonly faults: readonly Fault[];
}

/** The faults of a story: those of a theme, which belong together, and some that have nothing to do with it. */
export function themeOf(random: Random, calmFromMs: number): Theme {
  const draw: Draw = {
    random,
    calmFromMs,
    for(fault, maxMinutes = 8) {
      const forMs = random.between(20 * SECOND_MS, maxMinutes * MINUTE_MS);
      const fromMs = random.between(0, Math.max(1, calmFromMs - forMs));
      return { fault, fromMs, forMs: Math.min(forMs, calmFromMs - fromMs) };
    },
    once: (fault) => ({ fault, fromMs: random.between(MINUTE_MS, calmFromMs - MINUTE_MS), forMs: 0 }),
  };
  const names = Object.keys(THEMES);
  const theme = random.pick(names) ?? 'anything';
  const faults = [...(THEMES[theme]?.(draw) ?? []), ...someOf(draw, random.between(0, 3))];
  return {
    theme,
    invocations: random.pick([1, 1, 1, 2, 3]) ?? 1,
    faults: faults.map(({ fault, fromMs, forMs }, id) => ({ ...fault, id, fromMs, forMs })),
  };
}

/** Faults of other themes. */
function someOf(draw: Draw, count: number): readonly Timed[] {
  return Array.from({ length: count }, () => {
    const theme = draw.random.pick(Object.values(THEMES));
    return draw.random.pick(theme?.(draw) ?? []);
  }).filter((one) => one !== undefined);
}
