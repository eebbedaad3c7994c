import { expect, test } from 'vitest';
import { MINUTE_MS, parseTime } from '../../../lib/apis/formats/time.ts';
import { faultsBySeed, type PortCall, withFaults } from '../../../lib/simulator/faults.ts';
import { randomFrom } from '../../../lib/simulator/random.ts';
import type { SimulationInput } from '../../../lib/simulator/simulation.ts';
import { expectAllGone, expectOneInstanceAClaim, launchedFor, live } from '../life.ts';

const CALM_AT_MS = parseTime('2026-01-01T00:00:00Z') + 20 * MINUTE_MS;

/** One call of the table in `oneIn` is refused, or takes effect and its reply is lost, for the first twenty minutes. */
function throttled(seed: number, oneIn: number): NonNullable<SimulationInput['wrapPorts']> {
  const random = randomFrom(seed);
  return (ports) => {
    const isDue = ({ method }: PortCall): boolean =>
      /^(store|leases|catalogue)\./.test(method) && ports.clock.now() <= CALM_AT_MS;
    return withFaults(ports, faultsBySeed(random, oneIn, isDue));
  };
}

test.each([
  [1, 20, 1],
  [2, 20, 2],
  [3, 6, 2],
])(
  'with a throttled table (seed %i, one call in %i, %i invocations at once), no claim launches twice and no pod is lost',
  async (seed, oneIn, invocations) => {
    const result = await live({ invocations, wrapPorts: throttled(seed, oneIn), durationMs: 90 * MINUTE_MS });
    expect(launchedFor(result).length).toBeGreaterThan(0);
    expectOneInstanceAClaim(result);
    expectAllGone(result);
  },
);
