import { DAY_MS, HOUR_MS } from '../../lib/apis/formats/time.ts';
import type { ScenarioEvent } from '../../lib/apis/scenario/scenario.ts';
import type { Trace } from '../../lib/apis/scenario/trace.ts';
import { shippedCatalogue } from '../../lib/catalogue/figures.ts';
import { readManifests } from '../../lib/manifests/read/read-manifests.ts';
import { fraction, ownRandom, type Random } from '../../lib/simulator/random.ts';
import type { SimulationInput } from '../../lib/simulator/simulation.ts';
import { agent, NODE_CLASS, nodePool } from '../simulate/shops.ts';
import { lognormal } from './chance.ts';
import { FIGURES } from './figures.ts';
import type { Mode } from './modes.ts';
import { tasksOf } from './tasks.ts';

/** Which week is simulated. */
export interface Week {
  readonly seed: number;
  readonly days: number;
  /** The size: pods request the CPU of so many nodes of 8 cpu. The modes use fewer and larger nodes, or more. */
  readonly nodes: number;
}

const CPU_MILLICORES_PER_NODE = 8_000;
/** Workloads start one after the other in this time, as in a cluster that is not created at once. */
const START_MS = 3 * HOUR_MS;

/** The simulation of a week under the rules of a mode. Pods that come and go are the same in all modes. */
export function weekInput(week: Week, mode: Mode): SimulationInput {
  const { seed, days, nodes } = week;
  const durationMs = days * DAY_MS;
  const millicores = nodes * CPU_MILLICORES_PER_NODE;
  const services = servicesOf(millicores * FIGURES.cpuShares.services, seed);
  const objects = [
    // On-demand, so that prices do not depend on the zone and no node is interrupted.
    nodePool({ architectures: ['amd64'], capacityTypes: ['on-demand'], consolidateAfter: mode.consolidateAfter }),
    NODE_CLASS,
    ...services.flatMap(manifestsOf),
    agent('network', '50m', '64Mi'),
    agent('logs', '100m', '200Mi'),
  ];
  const { manifests, problems } = readManifests([
    { file: 'week.yaml', text: objects.map((object) => JSON.stringify(object)).join('\n---\n') },
  ]);
  if (problems.length > 0) throw new RangeError(JSON.stringify(problems[0]));
  const events = services.flatMap((service) => changesOf(service, seed, durationMs));
  return {
    manifests,
    scenario: { name: 'week', events: events.toSorted((a, b) => a.atMs - b.atMs), trace: TRACE_SOURCE },
    trace: traceOf(week, millicores),
    catalogue: shippedCatalogue({ region: 'us-east-1', because: 'the benchmark' }),
    seed,
    durationMs,
    goesOn: true,
    methods: mode.methods,
    settings: mode.settings,
  };
}

const TRACE_SOURCE = { file: 'week.csv', declaredIn: 'week.yaml' };

function traceOf({ seed, days }: Week, millicores: number): Trace {
  const tasks = tasksOf({ seed, millicores, startMs: START_MS, durationMs: days * DAY_MS });
  const column = (of: (task: (typeof tasks)[number]) => number): Float64Array => Float64Array.from(tasks, of);
  return {
    file: TRACE_SOURCE.file,
    length: tasks.length,
    timeMs: column(({ atMs }) => atMs),
    count: column(() => 1),
    cpuMillicores: column(({ cpuMillicores }) => cpuMillicores),
    memoryBytes: column(({ memoryBytes }) => memoryBytes),
    lifetimeMs: column(({ lifetimeMs }) => lifetimeMs),
  };
}

interface Service {
  readonly name: string;
  readonly replicas: number;
  readonly cpuMillicores: number;
  readonly memoryMib: number;
  readonly isSpread: boolean;
}

/** Applications until their requests reach the amount. One in four must be spread over the zones. */
function servicesOf(millicores: number, seed: number): readonly Service[] {
  const random = ownRandom(seed, 'services');
  const services: Service[] = [];
  const { replicas, cpuMillicores, gibPerCpu } = FIGURES.services;
  for (let left = millicores; left > 0; ) {
    const cpu = Math.ceil(lognormal(random, cpuMillicores) / 50) * 50;
    const count = Math.min(Math.round(lognormal(random, replicas)), Math.ceil(left / cpu));
    const memoryMib = Math.ceil((cpu * lognormal(random, gibPerCpu) * 1_024) / 1_000 / 64) * 64;
    const at = services.length;
    services.push({ name: `service-${at}`, replicas: count, cpuMillicores: cpu, memoryMib, isSpread: at % 4 === 0 });
    left -= count * cpu;
  }
  return services;
}

function manifestsOf({ name, cpuMillicores, memoryMib, isSpread }: Service): readonly object[] {
  const labels = { app: name };
  const labelSelector = { matchLabels: labels };
  const requests = { cpu: `${cpuMillicores}m`, memory: `${memoryMib}Mi` };
  const spread = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' };
  const spec = {
    containers: [{ name: 'main', image: name, resources: { requests } }],
    ...(isSpread && { topologySpreadConstraints: [{ ...spread, labelSelector }] }),
  };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: { replicas: 0, selector: labelSelector, template: { metadata: { labels }, spec } },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { maxUnavailable: '20%', selector: labelSelector },
    },
  ];
}

/** The start of the application, and its changes: a walk between half and twice its replicas. */
function changesOf({ name, replicas }: Service, seed: number, durationMs: number): readonly ScenarioEvent[] {
  const random = ownRandom(seed, name);
  const startMs = random.between(0, START_MS);
  const events: ScenarioEvent[] = [];
  const scale = (atMs: number, count: number): void =>
    void events.push({ kind: 'scale', atMs, deployment: `default/${name}`, replicas: count });
  scale(startMs, replicas);
  let current = replicas;
  for (let hourMs = START_MS; hourMs < durationMs; hourMs += HOUR_MS) {
    if (fraction(random) >= FIGURES.services.changesPerHour) continue;
    current = changed(random, current, replicas);
    scale(hourMs + random.between(0, HOUR_MS), current);
  }
  return events;
}

function changed(random: Random, current: number, usual: number): number {
  const by = Math.max(1, Math.round(current * lognormal(random, FIGURES.services.change)));
  const next = current + (fraction(random) < 0.5 ? by : -by);
  return Math.min(Math.max(next, Math.ceil(usual / 2)), usual * 2);
}
