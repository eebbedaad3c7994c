import { expect } from 'vitest';
import { MINUTE_MS } from '../../lib/apis/formats/time.ts';
import type { ScenarioEvent } from '../../lib/apis/scenario/scenario.ts';
import type { Catalogue } from '../../lib/core/instance-type/facts.ts';
import type { SimulationResult } from '../../lib/simulator/result.ts';
import { runSimulation, type SimulationInput } from '../../lib/simulator/simulation.ts';
import { CATALOGUE } from '../builders/catalogues.ts';
import { aDeployment, someManifests } from '../builders/cluster-manifests.ts';

const FEW_TYPES = new Set(['c7g.large', 'c7g.xlarge', 'c7g.8xlarge', 'm7g.large', 'm7g.xlarge']);

/** A region with a few instance types, for scenarios that run a hundred times and do not depend on the types. */
export const SMALL_CATALOGUE: Catalogue = {
  ...CATALOGUE,
  facts: CATALOGUE.facts.filter(({ name }) => FEW_TYPES.has(name)),
  offerings: CATALOGUE.offerings.filter(({ type }) => FEW_TYPES.has(type)),
};

/** Pods are created, a spot instance is interrupted, all pods are scaled to zero: every kind of action happens. */
export const EVENTS: readonly ScenarioEvent[] = [
  { kind: 'interruptSpot', atMs: 5 * MINUTE_MS, count: 1 },
  { kind: 'scale', atMs: 15 * MINUTE_MS, deployment: 'default/web', replicas: 0 },
];

/** Runs a cluster from zero nodes to zero nodes, with the changes of the test. */
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

/** The claims with an instance, once for each instance. */
export function launchedFor(result: SimulationResult): readonly string[] {
  return result.timeline.flatMap((entry) => (entry.kind === 'instance-launched' ? [entry.nodeClaim] : []));
}

export function expectOneInstanceAClaim(result: SimulationResult): void {
  const launched = launchedFor(result);
  expect(new Set(launched).size, 'one instance a claim').toBe(launched.length);
}

/** For any interleaving of runs, no pod has two claims at a time, unless something happens to its node. */
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
    // Kerf may act on a change of a node before the decision is published.
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
