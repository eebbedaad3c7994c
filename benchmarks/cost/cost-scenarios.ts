/** The scenarios whose monthly cost is compared with its target. */
import type { ScenarioEvent } from '../../lib/apis/scenario/scenario.ts';
import { shippedCatalogue } from '../../lib/catalogue/figures.ts';
import { readManifests } from '../../lib/manifests/read/read-manifests.ts';
import type { SimulationInput } from '../../lib/simulator/simulation.ts';
import { agent, NODE_CLASS, nodePool } from '../simulate/shops.ts';

export interface CostScenario {
  readonly name: string;
  readonly says: string;
  /** *Units:* USD a month. */
  readonly target: number;
  /** Of a deployment before the changes of this page. *Units:* USD a month. */
  readonly before: number;
  readonly input: (durationMs: number) => SimulationInput;
  /** The count begins here, when the cluster has settled. */
  readonly beginsAtMs: number;
  readonly hours: number;
  /** The nodes of a cluster in which nothing happens. @default something happens */
  readonly idleNodes?: number;
  /** How often a day the counted hours come; the cluster is idle without nodes for the rest of the day. @default all day */
  readonly timesADay?: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Whole hours, because metrics are billed by the hour. */
const SETTLED_MS = HOUR_MS;
/** Ten of these pods, and the agents of a node, fill a node of 8 cpu. */
const TEN_A_NODE = { cpu: '750m', memory: '1Gi' };
const FIVE_A_NODE = { cpu: '1500m', memory: '2Gi' };
const SIX_A_NODE = { cpu: '1250m', memory: '2Gi' };
const SEED = 20_261_123;

const idle = (nodes: number, before: number, target: number): CostScenario => ({
  name: `idle${nodes}`,
  says: `${nodes.toLocaleString('en')} idle nodes with 10 pods each`,
  idleNodes: nodes,
  before,
  target,
  input: simulated({ base: 10 * nodes, events: [] }),
  beginsAtMs: SETTLED_MS,
  hours: 1,
});

export const COST_SCENARIOS: readonly CostScenario[] = [
  {
    name: 'zero',
    says: 'no nodes',
    idleNodes: 0,
    before: 7.84,
    target: 2,
    input: simulated({ base: 0, events: [] }),
    beginsAtMs: SETTLED_MS,
    hours: 1,
  },
  idle(10, 8.19, 2.1),
  idle(200, 13.24, 2.7),
  idle(1_000, 32.09, 4),
  {
    name: 'busy',
    says: '200 nodes, 500 launches and 500 terminations a day',
    before: 21.92,
    target: 4,
    // 10 or 11 nodes every half hour: 504 a day.
    input: simulated({
      base: 2_000,
      other: TEN_A_NODE,
      events: waves({ replicas: [100, 110], everyMs: 30 * MINUTE_MS, lastsMs: 15 * MINUTE_MS }),
    }),
    beginsAtMs: 2 * HOUR_MS,
    hours: 2,
  },
  {
    name: 'ci',
    says: '20 pods every 5 minutes for 3 minutes, on 4 nodes each time',
    before: 18.92,
    target: 5,
    input: simulated({
      base: 0,
      other: FIVE_A_NODE,
      events: waves({ replicas: [20], everyMs: 5 * MINUTE_MS, lastsMs: 3 * MINUTE_MS }),
    }),
    beginsAtMs: SETTLED_MS,
    hours: 1,
  },
  {
    name: 'batch',
    says: '5 bursts of 5,000 pods a day, on 834 nodes; else no nodes',
    before: 57.68,
    target: 12,
    input: simulated({
      base: 0,
      other: SIX_A_NODE,
      events: [
        { kind: 'scale', atMs: SETTLED_MS, deployment: 'default/other', replicas: 5_000 },
        { kind: 'scale', atMs: SETTLED_MS + 15 * MINUTE_MS, deployment: 'default/other', replicas: 0 },
      ],
    }),
    beginsAtMs: SETTLED_MS,
    hours: 1,
    timesADay: 5,
  },
];

interface Waves {
  /** In turn. */
  readonly replicas: readonly number[];
  readonly everyMs: number;
  readonly lastsMs: number;
}

function waves({ replicas, everyMs, lastsMs }: Waves): readonly ScenarioEvent[] {
  const deployment = 'default/other';
  return Array.from({ length: Math.ceil((4 * HOUR_MS) / everyMs) }, (_, wave): readonly ScenarioEvent[] => [
    { kind: 'scale', atMs: SETTLED_MS + wave * everyMs, deployment, replicas: replicas[wave % replicas.length] ?? 0 },
    { kind: 'scale', atMs: SETTLED_MS + wave * everyMs + lastsMs, deployment, replicas: 0 },
  ]).flat();
}

/** A NodePool of nodes of 8 cpu, two agents on each node, `base` pods that stay, and pods of `other` that come and go. */
function simulated(of: {
  readonly base: number;
  readonly other?: typeof TEN_A_NODE;
  readonly events: readonly ScenarioEvent[];
}): (durationMs: number) => SimulationInput {
  return (durationMs) => {
    const pool = nodePool({
      architectures: ['amd64', 'arm64'],
      capacityTypes: ['spot', 'on-demand'],
      consolidateAfter: '1m',
      cpu: '8',
    });
    const agents = [agent('network', '50m', '64Mi'), agent('logs', '100m', '200Mi')];
    const deployments = [deploymentOf('base', of.base, TEN_A_NODE), deploymentOf('other', 0, of.other ?? TEN_A_NODE)];
    const text = [pool, NODE_CLASS, ...agents, ...deployments].map((one) => JSON.stringify(one)).join('\n---\n');
    const { manifests, problems } = readManifests([{ file: 'cost.yaml', text }]);
    if (problems.length > 0) throw new RangeError(JSON.stringify(problems[0]));
    return {
      manifests,
      scenario: { name: 'cost', events: of.events.filter(({ atMs }) => atMs < durationMs) },
      catalogue: shippedCatalogue({ region: 'us-east-1', because: 'the benchmark' }),
      seed: SEED,
      durationMs,
    };
  };
}

function deploymentOf(name: string, replicas: number, requests: typeof TEN_A_NODE): object {
  const labels = { app: name };
  const containers = [{ name: 'main', image: 'main', resources: { requests } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}
