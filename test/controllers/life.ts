import { expect } from 'vitest';
import type { ScenarioEvent } from '../../lib/apis/scenario.ts';
import { MINUTE_MS } from '../../lib/apis/time.ts';
import type { SimulationResult } from '../../lib/simulator/result.ts';
import { runSimulation, type SimulationInput } from '../../lib/simulator/simulation.ts';
import { CATALOGUE } from '../builders/catalogues.ts';
import { aDeployment, someManifests } from './manifests.ts';

/** Pods come, a spot instance is taken back, all is scaled away: every kind of action happens. */
export const EVENTS: readonly ScenarioEvent[] = [
  { kind: 'interruptSpot', atMs: 5 * MINUTE_MS, count: 1 },
  { kind: 'scale', atMs: 15 * MINUTE_MS, deployment: 'default/web', replicas: 0 },
];

/** A cluster's life from zero nodes to zero nodes, under whatever the test does to it. */
export async function live(under: Partial<SimulationInput> = {}): Promise<SimulationResult> {
  return runSimulation({
    manifests: someManifests({ deployments: [aDeployment('web', 3)] }),
    scenario: { name: 'life', events: EVENTS },
    catalogue: CATALOGUE,
    seed: 1,
    durationMs: 60 * MINUTE_MS,
    ...under,
  });
}

/** The claims that got an instance, once for each instance. */
export function launchedFor(result: SimulationResult): readonly string[] {
  return result.timeline.flatMap((entry) => (entry.kind === 'instance-launched' ? [entry.nodeClaim] : []));
}

export function expectOneInstanceAClaim(result: SimulationResult): void {
  const launched = launchedFor(result);
  expect(new Set(launched).size, 'one instance a claim').toBe(launched.length);
}

export function expectAllGone(result: SimulationResult): void {
  const ended = result.timeline.filter((entry) => entry.kind === 'instance-terminated').length;
  expect(result).toMatchObject({ nodesAtEnd: 0, podsRunning: 0, podsPending: [], ended: 'settled' });
  expect(ended, 'every instance ended').toBe(result.nodesLaunched);
}
