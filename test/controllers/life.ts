import { expect } from 'vitest';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import type { ScenarioEvent } from '../../lib/apis/scenario.ts';
import type { Catalogue } from '../../lib/core/instance-type/facts.ts';
import type { SimulationResult } from '../../lib/simulator/result.ts';
import { runSimulation, type SimulationInput } from '../../lib/simulator/simulation.ts';
import { CATALOGUE } from '../builders/catalogues.ts';
import { aDeployment, someManifests } from './manifests.ts';

const FEW_TYPES = new Set(['c7g.large', 'c7g.xlarge', 'c7g.8xlarge', 'm7g.large', 'm7g.xlarge']);

/** A region with a few instance types: a life in it is played a hundred times where the types do not matter. */
export const SMALL_CATALOGUE: Catalogue = {
  ...CATALOGUE,
  facts: CATALOGUE.facts.filter(({ name }) => FEW_TYPES.has(name)),
  offerings: CATALOGUE.offerings.filter(({ type }) => FEW_TYPES.has(type)),
};

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

/** However runs interleave, and whatever nodes that makes: no pod has two claims at a time while nothing happens to its node. */
export function expectOneClaimAPod(result: SimulationResult): void {
  const claimOf = new Map<string, string>();
  const twice: string[] = [];
  for (const entry of result.timeline) {
    if (entry.kind === 'create-node-claim') {
      for (const pod of entry.pods) {
        if (claimOf.has(pod)) twice.push(`${pod}: ${claimOf.get(pod)} and ${entry.nodeClaim}`);
        claimOf.set(pod, entry.nodeClaim);
      }
    }
    // What happens to a node may be acted on before the decision is published.
    if (entry.kind === 'scenario') claimOf.clear();
    if (entry.kind !== 'delete-node-claim') continue;
    for (const [pod, claim] of claimOf) if (claim === entry.nodeClaim) claimOf.delete(pod);
  }
  expect(twice, 'one claim a pod').toEqual([]);
}

export function expectAllGone(result: SimulationResult): void {
  const ended = result.timeline.filter((entry) => entry.kind === 'instance-terminated').length;
  expect(result).toMatchObject({ nodesAtEnd: 0, podsRunning: 0, podsPending: [], ended: 'settled' });
  expect(ended, 'every instance ended').toBe(result.nodesLaunched);
}
