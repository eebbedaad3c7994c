import type { ClusterManifests } from '../../../lib/apis/cluster-manifests.ts';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario.ts';
import type { Fault } from '../../../lib/simulator/faults/fault.ts';
import { randomOf } from '../../../lib/simulator/faults/fault.ts';
import { clusterOf } from './cluster.ts';
import { themeOf } from './themes.ts';

/** What happens in the run of one seed, as plain data. The faults can be dropped and shortened one by one. */
export interface Story {
  readonly seed: number;
  readonly theme: string;
  readonly manifests: ClusterManifests;
  readonly events: readonly ScenarioEvent[];
  /** The time from which nothing happens: all events and faults are over. */
  readonly calmFromMs: number;
  /** Whether the limits of the NodePools have room for all pods. */
  readonly isRoomy: boolean;
  /** The number of invocations that each batch of messages starts at once. */
  readonly invocations: number;
  readonly faults: readonly Fault[];
}

/** The story of a seed. The same seed gives the same story. */
export function storyOf(seed: number): Story {
  const random = randomOf(seed, { id: 1_000 }, 0);
  const untilMs = random.between(14, 30) * MINUTE_MS;
  const cluster = clusterOf(random);
  const { theme, faults, invocations } = themeOf(randomOf(seed, { id: 1_002 }, 0), untilMs);
  const calmFromMs = Math.max(untilMs, ...faults.map(({ fromMs, forMs }) => fromMs + forMs));
  const events = eventsOf(randomOf(seed, { id: 1_001 }, 0), cluster.manifests, calmFromMs);
  return { seed, theme, ...cluster, events, calmFromMs, invocations, faults };
}

/** Deployments are scaled up and down, and pods are deleted. In one of three stories all are scaled to zero at the end. */
function eventsOf(
  random: ReturnType<typeof randomOf>,
  { deployments }: ClusterManifests,
  calmFromMs: number,
): readonly ScenarioEvent[] {
  const events: ScenarioEvent[] = [];
  for (const { metadata } of deployments) {
    const deployment = `${metadata.namespace ?? 'default'}/${metadata.name}`;
    for (let count = random.between(0, 4); count > 0; count -= 1) {
      const atMs = random.between(MINUTE_MS, calmFromMs);
      events.push({ kind: 'scale', atMs, deployment, replicas: random.pick([0, 0, 1, 2, 3, 5, 8]) ?? 0 });
    }
  }
  if (random.between(0, 3) === 0) {
    for (const { metadata } of deployments) {
      const deployment = `${metadata.namespace ?? 'default'}/${metadata.name}`;
      events.push({ kind: 'scale', atMs: calmFromMs, deployment, replicas: 0 });
    }
  }
  return events.toSorted((a, b) => a.atMs - b.atMs);
}
