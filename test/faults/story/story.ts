import type { ClusterManifests } from '../../../lib/apis/cluster-manifests.ts';
import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import type { DisruptionBudget } from '../../../lib/apis/node-pool.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import type { Fault } from '../../../lib/simulator/faults/fault.ts';
import { randomOf } from '../../../lib/simulator/faults/fault.ts';
import { clusterOf, staticPool } from './cluster.ts';
import { withStatefulSets } from './stateful.ts';
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
  const limited = withBudgets(withMoveLimits(cluster.manifests, seed), seed);
  const manifests = theme === 'slow drains' ? withLongGrace(limited) : limited;
  const story = { seed, theme, ...cluster, manifests, events, calmFromMs, invocations, faults };
  return withStatefulSets(seed % 5 === 0 ? withStaticPool(story) : story);
}

/** A NodePool with a fixed number of nodes, which users change. */
function withStaticPool(story: Story): Story {
  const random = randomOf(story.seed, { id: 1_004 }, 0);
  const nodePools = [...story.manifests.nodePools, staticPool(random)];
  const changes = Array.from({ length: random.between(1, 6) }, (_, nth): Fault => {
    const change = random.pick(['replicas', 'replicas', 'replicas', 'replace'] as const) ?? 'replicas';
    const fromMs = random.between(MINUTE_MS, story.calmFromMs);
    return { kind: 'node-pool', id: story.faults.length + nth, nth: nodePools.length - 1, change, fromMs, forMs: 0 };
  });
  return { ...story, manifests: { ...story.manifests, nodePools }, faults: [...story.faults, ...changes] };
}

/** Longer than most nodes may drain: pods that already end when their node is removed end after its deadline. */
const LONG_GRACE_SECONDS = 300;

/** Every other Deployment has it. */
function withLongGrace(manifests: ClusterManifests): ClusterManifests {
  const deployments = manifests.deployments.map((one, nth): ClusterManifests['deployments'][number] => {
    if (nth % 2 > 0) return one;
    const { template } = one.spec;
    const spec = { ...template.spec, terminationGracePeriodSeconds: LONG_GRACE_SECONDS };
    return { ...one, spec: { ...one.spec, template: { ...template, spec } } };
  });
  return { ...manifests, deployments };
}

/** In one of six stories, NodePools limit the moves of consolidation. */
function withMoveLimits(manifests: ClusterManifests, seed: number): ClusterManifests {
  const annotations = MOVE_LIMITS.get(seed % 12);
  if (annotations === undefined) return manifests;
  const nodePools = manifests.nodePools.map((pool) => ({ ...pool, metadata: { ...pool.metadata, annotations } }));
  return { ...manifests, nodePools };
}

/** Not of every third seed: those have a method that keeps no limits. */
const MOVE_LIMITS: ReadonlyMap<number, Readonly<Record<string, string>>> = new Map([
  [1, { 'kerf.dev/max-evictions-per-hour': '2', 'kerf.dev/minimum-saving': '10%' }],
  [5, { 'kerf.dev/disruption-cool-down': '5m' }],
]);

/** In one of four stories, the budgets of all NodePools have windows or are for some reasons. All windows end in the first hour. */
function withBudgets(manifests: ClusterManifests, seed: number): ClusterManifests {
  const random = randomOf(seed, { id: 1_003 }, 0);
  if (random.between(0, 4) > 0) return manifests;
  const budgets = random.pick(BUDGETS) ?? [];
  const nodePools = manifests.nodePools.map((pool) => ({
    ...pool,
    spec: { ...pool.spec, disruption: { ...pool.spec.disruption, budgets } },
  }));
  return { ...manifests, nodePools };
}

/** A run may observe the cluster some minutes before its decision is carried out, so windows are longer than that. */
const BUDGETS: readonly (readonly DisruptionBudget[])[] = [
  [{ nodes: '0', schedule: '6 0 * * *', duration: '14m' }],
  [{ nodes: '0', schedule: '12 0 * * *', duration: '16m' }, { nodes: '1' }],
  [{ nodes: '0', schedule: '0 0 * * *', duration: '16m', reasons: ['Empty'] }, { nodes: '50%' }],
  [{ nodes: '0', schedule: '4 0 * * *', duration: '20m', reasons: ['Underutilized', 'Drifted'] }],
  [{ nodes: '0', reasons: ['Empty'] }, { nodes: '1' }],
  [{ nodes: '0', reasons: ['Underutilized'] }, { nodes: '100%' }],
  [
    { nodes: '1', reasons: ['Drifted', 'Underutilized'] },
    { nodes: '100%', reasons: ['Empty'] },
  ],
];

/** Deployments are scaled up and down, in one of four stories often. In one of three stories all are scaled to zero at the end. */
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
  if (random.between(0, 4) === 0) events.push(...burstOf(random, deployments[0], calmFromMs));
  if (random.between(0, 3) === 0) {
    for (const { metadata } of deployments) {
      const deployment = `${metadata.namespace ?? 'default'}/${metadata.name}`;
      events.push({ kind: 'scale', atMs: calmFromMs, deployment, replicas: 0 });
    }
  }
  return events.toSorted((a, b) => a.atMs - b.atMs);
}

/** A Deployment that is scaled every few seconds for some minutes: nodes are empty for a short time again and again. */
function burstOf(
  random: ReturnType<typeof randomOf>,
  deployment: ClusterManifests['deployments'][number] | undefined,
  calmFromMs: number,
): readonly ScenarioEvent[] {
  if (deployment === undefined) return [];
  const { name, namespace = 'default' } = deployment.metadata;
  const events: ScenarioEvent[] = [];
  let atMs = random.between(MINUTE_MS, calmFromMs / 2);
  for (let nth = 0; nth < 12; nth += 1) {
    atMs += random.between(3, 40) * SECOND_MS;
    events.push({
      kind: 'scale',
      atMs,
      deployment: `${namespace}/${name}`,
      replicas: nth % 2 === 0 ? 0 : random.between(1, 4),
    });
  }
  return events.filter((one) => one.atMs < calmFromMs);
}
