import { MINUTE_MS, SECOND_MS } from '../../../lib/apis/formats/time.ts';
import { optional } from '../../../lib/apis/optional.ts';
import { isRecord, ownField } from '../../../lib/apis/record.ts';
import type { ControllerPorts } from '../../../lib/controllers/run/ports.ts';
import type { LaunchOutcome } from '../../../lib/ports/cloud-provider.ts';
import { RefusedError } from '../../../lib/ports/errors.ts';
import type { Fault } from '../../../lib/simulator/faults/fault.ts';
import { around, type PortCall } from '../../../lib/simulator/faults.ts';
import { type OpenSimulation, openSimulation, type SimulationInput } from '../../../lib/simulator/simulation.ts';
import { aDeployment, aPool, someManifests } from '../../builders/cluster-manifests.ts';
import { aBudget } from '../../builders/nodes.ts';
import { samples } from '../../samples.ts';
import { SMALL_CATALOGUE } from '../life.ts';
import type { Method } from './needs.ts';

/** Three nodes with a pod each are launched; then their NodeClaims are deleted; then another pod is created. */
export const DELETED_MS = 3 * MINUTE_MS;
const SCALED_MS = 4 * MINUTE_MS;
/** The `terminationGracePeriod` of the nodes. */
export const GRACE_MS = 5 * MINUTE_MS;
/** The longest time from the deletion of a claim to the end of its instance, and from a new pod to its start. */
export const USUAL_MS = MINUTE_MS;
/** Longer than the hour in which a refusal is reported once; a sample ends earlier. */
const DURATION_MS = samples(70, 20) * MINUTE_MS;

/** What is refused for ever: these methods, for the first object for which one of them is called. */
export interface Refused {
  /** @default nothing is refused */
  readonly calls?: readonly Method[];
  /** While the nodes are launched, or from shortly before they are deleted. */
  readonly while: 'launch' | 'drain';
  /** Whether the methods are refused for every object. @default for the first one */
  readonly every?: true;
  /** Whether a PodDisruptionBudget holds the pods, so that they are deleted for the deadline. @default false */
  readonly held?: true;
}

export interface Told {
  readonly text: string;
  readonly atMs: number;
}

/** What a run shows. *Units:* times count from the start of the simulation. */
export interface Played {
  readonly refused: { readonly object: string; readonly nodeClaim: string; readonly calls: number } | undefined;
  /** The failures in the logs. */
  readonly failures: readonly Told[];
  /** The Events that name a refusal, or a record that cannot be read; those of pods, which are shown while the pod waits, separately. */
  readonly events: readonly Told[];
  readonly podEvents: readonly Told[];
  /** The decisions on the bus that have a refusal of an action. */
  readonly published: readonly Told[];
  /** The instances that were launched before the deletion. */
  readonly instances: readonly { readonly nodeClaim: string; readonly endedMs?: number }[];
  /** The pods that run a minute after the last pod was created. */
  readonly podsRunning: number;
  readonly podsPending: readonly string[];
}

/** Plays the story until its end, also if nothing happens any more. */
export async function playRefused(refused: Refused, under: Partial<SimulationInput> = {}): Promise<Played> {
  const failures: Told[] = [];
  const events: Told[] = [];
  const podEvents: Told[] = [];
  const published: Told[] = [];
  let startMs = 0;
  let simulation: OpenSimulation | undefined;
  let object: string | undefined;
  let nodeClaim = '';
  let count = 0;
  const now = (): number => (simulation?.timetable.now() ?? startMs) - startMs;
  const wrapPorts = (ports: ControllerPorts): ControllerPorts => {
    startMs = ports.clock.now();
    const isRefused = (call: PortCall): boolean => {
      const isHit = refused.calls?.some((method) => method === call.method) === true;
      if (!isHit || (refused.while === 'drain' && now() < DELETED_MS - SECOND_MS)) return false;
      object ??= objectOf(call);
      if (simulation !== undefined && nodeClaim === '') nodeClaim = claimOf(object, simulation);
      return refused.every === true || object === objectOf(call);
    };
    return around(ports, async (call, go) => {
      note(call);
      // Each claim is launched for itself, so that a refusal concerns one claim.
      if (call.method === 'store.updateNodeClaims') throw new RefusedError('no transaction of several records');
      if (!isRefused(call)) return go();
      count += 1;
      if (call.method === 'cloud.launch')
        return { kind: 'rejected', missing: [], message: 'denied' } satisfies LaunchOutcome;
      throw new RefusedError('denied');
    });
  };
  const note = ({ method, args: [first] }: PortCall): void => {
    if (method === 'cluster.publishEvent' && isRecord(first)) {
      const kind = ownField(ownField(first, 'regarding'), 'kind');
      const text = `${String(kind)} ${String(ownField(first, 'reason'))}: ${String(ownField(first, 'message'))}`;
      if (/denied|RecordUnreadable/.test(text)) (kind === 'Pod' ? podEvents : events).push({ text, atMs: now() });
    }
    if (method !== 'messages.publish' || !isRecord(first)) return;
    const text = JSON.stringify(ownField(first, 'blocked'));
    if (text.includes('ActionRefused')) published.push({ text, atMs: now() });
  };
  simulation = openSimulation({
    ...storyOf(refused),
    onFailure: ({ error }) =>
      void failures.push({ text: error instanceof Error ? error.message : String(error), atMs: now() }),
    wrapPorts,
    ...under,
  });
  const { timetable, endMs } = simulation;
  let podsRunning: number | undefined;
  while (await timetable.step(endMs)) {
    if (podsRunning === undefined && now() >= SCALED_MS + USUAL_MS)
      podsRunning = simulation.summary('time').podsRunning;
  }
  return {
    refused: object === undefined ? undefined : { object, nodeClaim, calls: count },
    failures,
    events,
    podEvents,
    published,
    instances: simulation.ec2
      .instances()
      .filter(({ launchedAtMs }) => launchedAtMs - startMs < DELETED_MS)
      .map(({ nodeClaim: name, endedAtMs }) => ({
        nodeClaim: name,
        ...optional({ endedMs: endedAtMs === undefined ? undefined : endedAtMs - startMs }),
      })),
    podsRunning: podsRunning ?? 0,
    podsPending: simulation.summary('time').podsPending.map(({ pod, reason }) => `${pod}: ${reason}`),
  };
}

function storyOf({ held }: Refused): SimulationInput {
  const { spec } = aPool();
  const pool = aPool({
    ...spec,
    disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' },
    template: { ...spec.template, spec: { ...spec.template.spec, terminationGracePeriod: '5m' } },
  });
  const budget = aBudget({ spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 } });
  return {
    manifests: someManifests({
      nodePools: [pool],
      deployments: [aDeployment('web', 3, '20'), aDeployment('late', 0, '20')],
      podDisruptionBudgets: held === true ? [budget] : [],
    }),
    scenario: {
      name: 'refused for good',
      events: [{ kind: 'scale', atMs: SCALED_MS, deployment: 'default/late', replicas: 1 }],
    },
    faults: [0, 1, 2].map(
      (nth): Fault => ({ kind: 'by-hand', what: 'delete-node-claim', nth, id: nth, fromMs: DELETED_MS, forMs: 0 }),
    ),
    catalogue: SMALL_CATALOGUE,
    seed: 1,
    durationMs: DURATION_MS,
  };
}

/** The name of the object of a call; the UID of a pod. */
function objectOf({ method, args: [first, second] }: PortCall): string {
  if (['cloud.terminate', 'cloud.tagInstance', 'store.readNodeClaim'].includes(method)) return String(second);
  if (!isRecord(first)) return String(first);
  const { uid, name, nodeClaim, id, metadata } = optional({
    uid: ownField(first, 'uid'),
    name: ownField(first, 'name'),
    nodeClaim: ownField(first, 'nodeClaim'),
    id: ownField(first, 'id'),
    metadata: ownField(first, 'metadata'),
  });
  return String(ownField(metadata, 'name') ?? uid ?? name ?? nodeClaim ?? id);
}

/** The NodeClaim of a pod, a node, an instance or a NodeClaim. */
function claimOf(object: string, { state, ec2 }: OpenSimulation): string {
  const pod = [...state.pods.values()].find(({ metadata }) => metadata.uid === object);
  const name = pod?.spec.nodeName ?? object;
  const instance = ec2.instances().find(({ id }) => name.startsWith(id));
  return instance?.nodeClaim ?? object;
}
