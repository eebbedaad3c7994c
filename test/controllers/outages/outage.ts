import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { INITIALIZED } from '../../../lib/apis/labels.ts';
import { optional } from '../../../lib/apis/optional.ts';
import { isRecord, ownField } from '../../../lib/apis/record.ts';
import type { CallError } from '../../../lib/apis/scenario/fault-kind.ts';
import type { ScenarioEvent } from '../../../lib/apis/scenario/scenario.ts';
import { DISRUPTED_TAINT } from '../../../lib/apis/taints.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { NodeClaimStore } from '../../../lib/ports/node-claim-store.ts';
import type { Fault } from '../../../lib/simulator/faults/fault.ts';
import { around, type PortCall } from '../../../lib/simulator/faults.ts';
import { memoryCatalogueStore } from '../../../lib/simulator/memory-catalogue-store.ts';
import { memoryLeases } from '../../../lib/simulator/memory-leases.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { type OpenSimulation, openSimulation, type SimulationInput } from '../../../lib/simulator/simulation.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { SMALL_CATALOGUE } from '../life.ts';
import type { Activity } from './needs.ts';

/** The duration of an outage. */
export const OUTAGE_MS = 3 * MINUTE_MS;
/** When the activity begins: between two ticks. */
const BEGINS_MS = 3 * MINUTE_MS + 20 * SECOND_MS;
/** An outage begins before the event that starts an activity. */
const BEFORE_MS = 2 * SECOND_MS;
/** The time after an outage in which everything converges. */
const CONVERGES_WITHIN_MS = 12 * MINUTE_MS;
const CLUSTER = 'simulated';

/** What a run of an activity shows. *Units:* times count from the start of the simulation. */
export interface Observed {
  /** When the activity was done. @default it was not done */
  readonly doneMs?: number;
  /** When a node was cordoned. @default no node was cordoned */
  readonly cordonedMs?: number;
  /** What is left to do when the run ends; empty if everything converged. */
  readonly left: readonly string[];
  readonly calls: readonly { readonly method: string; readonly atMs: number }[];
  readonly endedMs: number;
}

interface Story {
  readonly events: readonly ScenarioEvent[];
  readonly expireAfter?: string;
  /** Whether the call completes the activity: it is the nth of its kind. */
  readonly isDone: (call: PortCall) => boolean;
  readonly nth?: number;
  /** The outage begins after this call. @default before the event */
  readonly after?: (call: PortCall) => boolean;
}

const isEviction = ({ method }: PortCall): boolean => method === 'cluster.evictPod';

function cordons({ method, args }: PortCall): boolean {
  const taints = isRecord(args[1]) ? ownField(args[1], 'taints') : undefined;
  return method === 'cluster.patchNode' && JSON.stringify(taints ?? '').includes(DISRUPTED_TAINT.key);
}

function initializes({ method, args }: PortCall): boolean {
  const labels = isRecord(args[1]) ? ownField(args[1], 'labels') : undefined;
  return method === 'cluster.patchNode' && isRecord(labels) && ownField(labels, INITIALIZED) !== undefined;
}

const SCALED: readonly ScenarioEvent[] = [{ kind: 'scale', atMs: BEGINS_MS, deployment: 'default/late', replicas: 1 }];
const DELETED: readonly ScenarioEvent[] = [{ kind: 'deleteNode', atMs: BEGINS_MS, node: { kind: 'any' } }];

const STORIES: Readonly<Record<Activity, Story>> = {
  'spot warning': { events: [{ kind: 'interruptSpot', atMs: BEGINS_MS, count: 1 }], isDone: isEviction },
  launch: { events: SCALED, isDone: ({ method }) => method === 'cloud.launch' },
  join: { events: SCALED, isDone: initializes, after: ({ method }) => method === 'cloud.launch' },
  drain: { events: DELETED, isDone: isEviction, nth: 2 },
  termination: { events: DELETED, isDone: ({ method }) => method === 'cloud.terminate', after: isEviction },
  expiry: { events: [], expireAfter: '5m', isDone: isEviction },
};

export interface Outage {
  readonly method: string;
  /** `no answer`: the call never returns. */
  readonly error: CallError | 'no answer';
  /** Whether the call has its effect. */
  readonly where: 'before' | 'after';
  readonly fromMs: number;
}

/** Plays an activity until everything has converged after the outage, or is late. */
export async function play(activity: Activity, outage?: Outage): Promise<Observed> {
  const story = STORIES[activity];
  const calls: { method: string; atMs: number }[] = [];
  let doneMs: number | undefined;
  let cordonedMs: number | undefined;
  let count = 0;
  let stores: { readonly store: NodeClaimStore } | undefined;
  let startMs = 0;
  const wrapPorts = (ports: ControllerPorts): ControllerPorts => {
    startMs = ports.clock.now();
    return around(ports, async (call, go) => {
      const atMs = ports.clock.now() - startMs;
      calls.push({ method: call.method, atMs });
      const answer = await go();
      if (cordons(call)) cordonedMs ??= atMs;
      if (atMs >= BEGINS_MS && doneMs === undefined && story.isDone(call)) {
        count += 1;
        if (count >= (story.nth ?? 1)) doneMs = atMs;
      }
      return answer;
    });
  };
  const faults = outage === undefined ? [] : [faultOf(outage)];
  const overMs = (outage?.fromMs ?? BEGINS_MS) + OUTAGE_MS;
  const simulation = openSimulation({
    ...inputOf(story),
    durationMs: overMs + CONVERGES_WITHIN_MS,
    faults,
    wrapPorts,
    stores: (clock) => {
      const leases = memoryLeases(clock);
      const opened = { store: memoryNodeClaimStore(leases.isCurrent), leases, catalogue: memoryCatalogueStore() };
      stores = opened;
      return opened;
    },
  });
  const { timetable, endMs } = simulation;
  let left: readonly string[] = ['the run has not begun'];
  let lookMs = startMs + overMs + 30 * SECOND_MS;
  while (await timetable.step(endMs)) {
    if (timetable.now() < lookMs) continue;
    lookMs += 5 * SECOND_MS;
    left = await leftIn(simulation, stores?.store);
    if (left.length === 0 && (doneMs !== undefined || activity === 'spot warning')) break;
  }
  return {
    ...optional({ doneMs, cordonedMs }),
    left: await leftIn(simulation, stores?.store),
    calls,
    endedMs: timetable.now() - startMs,
  };
}

function faultOf({ method, error, where, fromMs }: Outage): Fault {
  const during = { id: 1, calls: [method], percent: 100, fromMs, forMs: OUTAGE_MS };
  return error === 'no answer' ? { kind: 'calls-hang', ...during } : { kind: 'calls-fail', ...during, error, where };
}

function inputOf({
  events,
  expireAfter,
}: Story): Pick<SimulationInput, 'manifests' | 'scenario' | 'catalogue' | 'seed'> {
  const { spec } = aPool({
    disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' },
  });
  const nodePools = [
    aPool({
      ...spec,
      template: {
        ...spec.template,
        spec: { ...spec.template.spec, ...(expireAfter !== undefined && { expireAfter }) },
      },
    }),
  ];
  return {
    manifests: someManifests({
      nodePools,
      deployments: [aDeployment('web', 2, '15'), aDeployment('late', 0, '20')],
    }),
    scenario: { name: 'outage', events },
    catalogue: SMALL_CATALOGUE,
    seed: 1,
  };
}

/** The time at which an outage of the activity begins, from its run without an outage. */
export function outageFromMs(activity: Activity, { calls }: Observed): number {
  const { after } = STORIES[activity];
  if (activity === 'expiry') {
    const first = calls.find(({ method, atMs }) => method === 'cluster.evictPod' && atMs >= BEGINS_MS);
    return (first?.atMs ?? Number.NaN) - 10 * SECOND_MS;
  }
  if (after === undefined) return BEGINS_MS - BEFORE_MS;
  const begun = calls.findLast(({ method, atMs }) => after({ method, args: [] }) && atMs >= BEGINS_MS);
  return (begun?.atMs ?? Number.NaN) + SECOND_MS;
}

/** What is not at rest in the cluster, in EC2 and in the table. */
async function leftIn({ state, ec2 }: OpenSimulation, store: NodeClaimStore | undefined): Promise<readonly string[]> {
  const left: string[] = [];
  if (store === undefined) return left;
  const records = await store.listNodeClaims(CLUSTER);
  for (const decision of await store.openDecisions(CLUSTER)) left.push(`decision ${decision.id} is open`);
  for (const { name, deletion, initializedAtMs } of records)
    if (deletion !== undefined || initializedAtMs === undefined) left.push(`NodeClaim ${name} is not at rest`);
  const names = new Set(records.map(({ name }) => name));
  for (const { id, state: running, nodeClaim } of ec2.instances())
    if (running === 'running' && !names.has(nodeClaim)) left.push(`instance ${id} has no NodeClaim`);
  for (const name of state.nodeClaims.keys())
    if (!names.has(name)) left.push(`the object of NodeClaim ${name} is left`);
  for (const name of names) if (!state.nodeClaims.has(name)) left.push(`NodeClaim ${name} has no object`);
  if (state.nodes.size !== records.length) left.push(`${state.nodes.size} nodes for ${records.length} NodeClaims`);
  for (const { metadata, status } of state.pods.values())
    if (status?.phase === 'Pending') left.push(`pod ${metadata.name} is pending`);
  return left;
}
