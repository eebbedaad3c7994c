import { expect } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import type { Node } from '../../../lib/apis/kubernetes.ts';
import { INITIALIZED } from '../../../lib/apis/labels.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import { DISRUPTED_TAINT, sameTaint } from '../../../lib/apis/taints.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { Method } from '../../../lib/core/disruption/method.ts';
import { emptiness } from '../../../lib/core/disruption/methods/emptiness.ts';
import type { DisruptionCommand } from '../../../lib/core/model/disruption-command.ts';
import type { PortCall } from '../../../lib/simulator/faults.ts';
import type { SimulationSummary } from '../../../lib/simulator/result.ts';
import { type OpenSimulation, openSimulation, type SimulationInput } from '../../../lib/simulator/simulation.ts';
import type { TimelineEntry } from '../../../lib/simulator/timeline.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { asking } from '../../builders/node-pools.ts';
import { replaceEach } from '../../faults/story/replace-each.ts';
import { SMALL_CATALOGUE } from '../life.ts';

const REPLACING: readonly Method[] = [emptiness, replaceEach];

/** The port call in which each kind of action takes effect that only a command with replacements has. */
export const EFFECT_OF_REPLACING = {
  'continue-disruption': ({ method }: PortCall) => method === 'store.continueCommand',
  'uncordon-node': ({ method, args }: PortCall) =>
    method === 'cluster.patchNode' && JSON.stringify(args[1]).includes('"taints":[]'),
} as const;

export interface Played extends SimulationSummary {
  readonly timeline: readonly TimelineEntry[];
  readonly nodes: readonly Node[];
  /** Commands that are stored at the end. */
  readonly commands: readonly DisruptionCommand[];
  /** The nodes that were tainted at some time, for a command or for a drain. */
  readonly everTainted: ReadonlySet<string>;
  /** The replacements that were not initialized when a command removed the node that they replace. */
  readonly tooLate: readonly string[];
}

export interface Story extends Partial<SimulationInput> {
  readonly events?: readonly ScenarioEvent[];
  /** Called before each step. */
  readonly each?: (simulation: OpenSimulation, ports: ControllerPorts) => void;
}

/** Three nodes with one pod each, all of which are replaced. Runs for 30 minutes. */
export async function play({ events = [], each, wrapPorts = (ports) => ports, ...over }: Story = {}): Promise<Played> {
  let plain: ControllerPorts | undefined;
  const simulation = openSimulation({
    manifests: threeNodes(),
    scenario: { name: 'replacing', events },
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: 30 * MINUTE_MS,
    goesOn: true,
    methods: REPLACING,
    wrapPorts: (ports) => {
      plain = ports;
      return wrapPorts(ports);
    },
    ...over,
  });
  const timeline: TimelineEntry[] = [];
  const everTainted = new Set<string>();
  const initialized = new Set<string>();
  const tooLate: string[] = [];
  for (;;) {
    if (plain !== undefined) each?.(simulation, plain);
    const ended = await simulation.step();
    const news = simulation.timeline.take();
    timeline.push(...news);
    for (const node of simulation.state.nodes.values()) {
      if (isTainted(node)) everTainted.add(node.metadata.name);
      if (node.metadata.labels?.[INITIALIZED] !== undefined) initialized.add(node.metadata.name);
    }
    for (const nodeClaim of news.flatMap(replacementsOf)) {
      const node = ofKind({ timeline }, 'node-joined').find((joined) => joined.nodeClaim === nodeClaim)?.node;
      if (node === undefined || !initialized.has(node)) tooLate.push(nodeClaim);
    }
    if (ended === undefined) continue;
    const commands = (await plain?.store.listCommands('simulated')) ?? [];
    const nodes = [...simulation.state.nodes.values()];
    return { ...simulation.summary(ended), timeline, nodes, commands, everTainted, tooLate };
  }
}

export function threeNodes(disruption: Partial<ReturnType<typeof aPool>['spec']['disruption']> = {}) {
  const pool = aPool({
    disruption: {
      consolidateAfter: '1m',
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: '100%' }],
      ...disruption,
    },
  });
  const { spec } = pool.spec.template;
  const requirements = [...spec.requirements, asking('karpenter.k8s.aws/instance-cpu', 'Lt', '3')];
  const template = { ...pool.spec.template, spec: { ...spec, requirements } };
  return someManifests({
    nodePools: [{ ...pool, spec: { ...pool.spec, template } }],
    deployments: [aDeployment('web', 3, '1500m')],
  });
}

export function isTainted(node: Node): boolean {
  return node.spec?.taints?.some((taint) => sameTaint(taint, DISRUPTED_TAINT)) === true;
}

export function ofKind<Kind extends TimelineEntry['kind']>(
  { timeline }: Pick<Played, 'timeline'>,
  kind: Kind,
): readonly (TimelineEntry & { readonly kind: Kind })[] {
  return timeline.filter((entry): entry is TimelineEntry & { readonly kind: Kind } => entry.kind === kind);
}

/** Why commands were rejected. */
export function rejections(played: Played): readonly string[] {
  return ofKind(played, 'end-disruption').flatMap(({ outcome, why }) => (outcome === 'rejected' ? [why] : []));
}

/** What holds at the end of every story: pods run, no node keeps the taint, no command is left. */
export function expectAtRest(played: Played, pods = 3): void {
  expect(played.podsRunning, 'pods run').toBe(pods);
  expect(played.podsPending, 'pods are pending').toEqual([]);
  expect(
    played.nodes.flatMap((node) => (isTainted(node) && !isLeaving(node) ? [node.metadata.name] : [])),
    'taints are left',
  ).toEqual([]);
  expect(played.commands, 'commands are left').toEqual([]);
  expect(played.tooLate, 'nodes are removed before their replacements are initialized').toEqual([]);
}

/** Nodes that are drained have the taint too. */
function isLeaving({ metadata }: Node): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** The NodeClaims that replace a node that a command removes. */
function replacementsOf(entry: TimelineEntry): readonly string[] {
  if (entry.kind !== 'delete-node-claim' || entry.reason !== 'underutilized') return [];
  return entry.message.split(', replaced by ')[1]?.split(', ') ?? ['unknown'];
}
