import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import type { RunReport } from '../../lib/controllers/run/ports.ts';
import type { Telemetry } from '../../lib/controllers/run/telemetry.ts';
import type { LaunchOutcome } from '../../lib/ports/cloud-provider.ts';
import type { SimulationInput } from '../../lib/simulator/simulation.ts';
import { live, SMALL_CATALOGUE } from './life.ts';

/** The problems that each function reports in the life of a cluster, without repetitions. */
async function problemsIn(under: Partial<SimulationInput>): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, Set<string>>();
  const telemetryOf = (name: string): Telemetry => ({
    report(_, { problems = [] }: RunReport) {
      const kinds = found.get(name) ?? new Set();
      for (const { kind } of problems) kinds.add(kind);
      found.set(name, kinds);
    },
    failure: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  });
  await live({ catalogue: SMALL_CATALOGUE, telemetryOf, ...under });
  return new Map([...found].map(([name, kinds]) => [name, [...kinds].toSorted()]));
}

const REFUSED: LaunchOutcome = { kind: 'refused', missing: [], message: 'UnauthorizedOperation: a policy denies it' };

test('while EC2 refuses every launch, lifecycle reports failing launches and provisioning waiting pods', async () => {
  const problems = await problemsIn({
    durationMs: 15 * MINUTE_MS,
    wrapPorts: (ports) => ({ ...ports, cloud: { ...ports.cloud, launch: async () => REFUSED } }),
  });
  expect(problems.get('lifecycle')).toEqual(['LaunchesFailing']);
  expect(problems.get('provisioning')).toEqual(['WaitingPods']);
});

test('a cluster that goes from zero nodes to zero nodes has no problem', async () => {
  const problems = await problemsIn({});
  expect(problems.get('lifecycle')).toEqual([]);
  expect(problems.get('provisioning')).toEqual([]);
});
