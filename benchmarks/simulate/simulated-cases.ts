import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/apis/formats/time.ts';
import type { ScenarioEvent } from '../../lib/apis/scenario/scenario.ts';
import { shippedCatalogue } from '../../lib/catalogue/figures.ts';
import { readManifests } from '../../lib/manifests/read/read-manifests.ts';
import { randomFrom } from '../../lib/simulator/random.ts';
import type { SimulationInput } from '../../lib/simulator/simulation.ts';
import { NODE_CLASS, nodePool, shops } from './shops.ts';

/** A simulation to measure, and how long it may take. */
export interface SimulatedCase {
  readonly name: string;
  readonly input: () => SimulationInput;
  /** *Units:* seconds of CPU time. */
  readonly target: number;
}

const SEED = 20_261_123;
/** The largest memory of a week. */
export const MAX_MB = 1_500;
/** How often the replicas of a Deployment change. */
const STEP_MS = 15 * MINUTE_MS;
const SHOPS = 40;

export const SIMULATED_CASES: readonly SimulatedCase[] = [
  { name: 'day', input: () => days(1), target: 30 },
  { name: 'week', input: () => days(7), target: 240 },
  { name: 'burst', input: burst, target: 20 },
];

/** About 200 nodes of 8 cpu. 2,000 pods run at the peak of a day, 1,200 at night; some change every quarter of an hour. */
function days(count: number): SimulationInput {
  const events = Array.from({ length: SHOPS }, (_, shop) => curve(shop, count)).flat();
  const interruptions = Array.from({ length: count * 24 }, (_, hour) => ({
    kind: 'interruptSpot' as const,
    atMs: hour * HOUR_MS + HOUR_MS / 2,
    count: 1,
  }));
  const all = [...events, ...interruptions].toSorted((a, b) => a.atMs - b.atMs);
  return simulationOf({ cpu: '8', replicas: replicasAt(0), events: all, durationMs: count * DAY_MS });
}

/** 5,000 pods at once, onto about 300 nodes of 16 cpu. */
function burst(): SimulationInput {
  return simulationOf({ cpu: '16', replicas: 125, events: [], durationMs: HOUR_MS / 4 });
}

/** 4,800 pods on about 480 nodes of 8 cpu, which do not change any more at the end. */
export function idleCluster(): SimulationInput {
  return simulationOf({ cpu: '8', replicas: 120, events: [], durationMs: HOUR_MS / 2 });
}

/** Pods of 40 Deployments at once, on about this many nodes of 4 cpu, which are not consolidated. */
export function manyNodes(nodes: number): SimulationInput {
  const replicas = Math.ceil((nodes * PODS_A_NODE) / SHOPS);
  return simulationOf({ cpu: '4', replicas, events: [], durationMs: HOUR_MS / 4, consolidateAfter: 'Never' });
}

const PODS_A_NODE = 4.8;

function simulationOf(of: {
  readonly cpu: string;
  readonly replicas: number;
  readonly events: readonly ScenarioEvent[];
  readonly durationMs: number;
  /** @default a minute */
  readonly consolidateAfter?: string;
}): SimulationInput {
  const pool = nodePool({
    architectures: ['amd64', 'arm64'],
    capacityTypes: ['spot', 'on-demand'],
    consolidateAfter: of.consolidateAfter ?? '1m',
    cpu: of.cpu,
  });
  const objects = [pool, NODE_CLASS, ...shops(SHOPS, of.replicas)];
  const text = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const { manifests, problems } = readManifests([{ file: 'bench.yaml', text }]);
  if (problems.length > 0) throw new RangeError(JSON.stringify(problems[0]));
  return {
    manifests,
    scenario: { name: 'bench', events: of.events },
    catalogue: shippedCatalogue({ region: 'us-east-1', because: 'the benchmark' }),
    seed: SEED,
    durationMs: of.durationMs,
  };
}

/** The changes of one Deployment: the curve of the day, and a few pods more or fewer by chance. */
function curve(shop: number, count: number): readonly ScenarioEvent[] {
  const random = randomFrom(SEED + shop);
  const offsetMs = random.between(0, STEP_MS);
  return Array.from({ length: (count * DAY_MS) / STEP_MS }, (_, step): ScenarioEvent => {
    const atMs = step * STEP_MS + offsetMs;
    const replicas = replicasAt(atMs) + random.between(-2, 3);
    return { kind: 'scale', atMs, deployment: `default/shop-${shop}`, replicas };
  });
}

/** 30 at midnight, 50 at noon. */
function replicasAt(atMs: number): number {
  return Math.round(40 - 10 * Math.cos((2 * Math.PI * atMs) / DAY_MS));
}
