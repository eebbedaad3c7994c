import type { ClusterManifests } from '../apis/cluster-manifests.ts';
import { formatTime, MINUTE_MS, parseTime } from '../apis/formats/time.ts';
import { podKey } from '../apis/kubernetes.ts';
import type { Scenario } from '../apis/scenario.ts';
import type { ControllerPorts } from '../controllers/run/ports.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';
import type { Blocked, Decision } from '../core/model/decision.ts';
import type { ResolvedCapacityReservation } from '../core/model/resolved-node-class.ts';
import { type ClusterSettings, DEFAULT_SETTINGS } from '../core/model/settings.ts';
import { formatSubject } from '../core/model/subject.ts';
import type { WakeTarget } from '../ports/messages.ts';
import { boot, vanish } from './aws/machines.ts';
import { type SimulatedEc2, type SimulatedInstance, simulatedEc2 } from './aws/simulated-ec2.ts';
import { simulatedLambda, type WrapInvocation } from './aws/simulated-lambda.ts';
import { type SimulatedMessages, simulatedMessages } from './aws/simulated-messages.ts';
import { simulatedPricing } from './aws/simulated-pricing.ts';
import { type Functions, functions } from './functions.ts';
import { kubeScheduler } from './kubernetes/kube-scheduler.ts';
import { kubelets } from './kubernetes/kubelet.ts';
import { uidOf } from './kubernetes/objects.ts';
import { simulatedCluster } from './kubernetes/simulated-cluster.ts';
import { type KubernetesState, kubernetesState, writePod } from './kubernetes/state.ts';
import { workloadOf, workloads } from './kubernetes/workloads.ts';
import { memoryCatalogueStore } from './memory-catalogue-store.ts';
import { memoryLeases } from './memory-leases.ts';
import { memoryNodeClaimStore } from './memory-node-claim-store.ts';
import { playScenario } from './play-scenario.ts';
import { type Random, randomFrom } from './random.ts';
import { resultOf, type SimulationResult } from './result.ts';
import { type News, noteDecision, type Timeline, type TimelineEntry, timelineFrom } from './timeline.ts';
import { type Timetable, timetableFrom } from './timetable.ts';

/** A Thursday. Every simulation starts then, so that schedules give the same answer every time. */
const START = '2026-01-01T00:00:00Z';
/** How soon the cluster's own controllers react to a change. */
const REACTION_MS = 100;
const CLUSTER = 'simulated';
const TICKED: readonly WakeTarget[] = ['provisioning', 'lifecycle', 'disruption', 'termination'];

export interface SimulationInput {
  readonly manifests: ClusterManifests;
  readonly scenario?: Scenario;
  readonly catalogue: Catalogue;
  /** What EC2 has set aside; every NodeClass selects all of it. @default nothing */
  readonly capacityReservations?: readonly ResolvedCapacityReservation[];
  readonly seed: number;
  readonly durationMs: number;
  /** Puts something between the controllers and a port: faults, counters. */
  readonly wrapPorts?: (ports: ControllerPorts) => ControllerPorts;
  /** Puts something between one invocation of a function and its ports. */
  readonly wrapInvocation?: WrapInvocation;
  /** How many invocations of a function each batch of messages starts at once (1). */
  readonly invocations?: number;
  /** @default those of a cluster of which nothing is configured */
  readonly settings?: ClusterSettings;
}

/**
 * A cluster, EC2 and Kerf's functions in virtual time. *Shape:* yields what happens as it happens, returns what it came
 * to. The same input gives the same output, byte for byte.
 */
export async function* simulate(input: SimulationInput): AsyncGenerator<TimelineEntry, SimulationResult> {
  const simulation = assemble(input);
  const { timetable, timeline, endMs } = simulation;
  let shown = 0;
  let ended: SimulationResult['ended'] = 'time';
  while (await timetable.step(endMs)) {
    yield* timeline.entries.slice(shown);
    shown = timeline.entries.length;
    if (simulation.isSettled()) {
      ended = 'settled';
      break;
    }
  }
  return simulation.result(ended);
}

/** Runs it to the end without looking. @internal */
export async function runSimulation(input: SimulationInput): Promise<SimulationResult> {
  const run = simulate(input);
  for (;;) {
    const step = await run.next();
    if (step.done === true) return step.value;
  }
}

interface Simulation {
  readonly timetable: Timetable;
  readonly timeline: Timeline;
  readonly endMs: number;
  isSettled(): boolean;
  result(ended: SimulationResult['ended']): SimulationResult;
}

interface Parts {
  readonly state: KubernetesState;
  readonly timetable: Timetable;
  readonly timeline: Timeline;
  readonly random: Random;
}

function assemble(input: SimulationInput): Simulation {
  const timetable = timetableFrom(parseTime(START));
  const startMs = timetable.now();
  const timeline = timelineFrom(timetable);
  const parts: Parts = { state: kubernetesState(input.manifests), timetable, timeline, random: randomFrom(input.seed) };
  const refusals = new Map<string, readonly Blocked[]>();
  const kerf = deploy(input, parts, refusals);
  startCluster(parts, kerf.functions, input.manifests);
  if (input.scenario !== undefined) playScenario({ ...parts, ec2: kerf.ec2 }, input.scenario);
  const settled = startTicks(parts, kerf);
  return {
    timetable,
    timeline,
    endMs: startMs + input.durationMs,
    isSettled: settled,
    result: (ended) =>
      resultOf({
        state: parts.state,
        instances: kerf.ec2.instances(),
        timeline: timeline.entries,
        refusals,
        nowMs: ended === 'time' ? startMs + input.durationMs : timetable.now(),
        startMs,
        ended,
        seed: input.seed,
        region: input.catalogue.region,
      }),
  };
}

interface Kerf {
  readonly functions: Functions;
  readonly messages: SimulatedMessages;
  readonly ec2: SimulatedEc2;
}

/** What `cdk deploy` does for real: the functions, their queues, their table, and the region's catalogue. */
function deploy(input: SimulationInput, parts: Parts, refusals: Map<string, readonly Blocked[]>): Kerf {
  const { state, timetable, timeline } = parts;
  const news = newsFilter(refusals);
  const messages = simulatedMessages(timetable, {
    wakes: async (target, wakes) => kerf.functions.wakes(target, wakes),
    decision: (decision) => noteDecision(timeline, decision, news(decision)),
  });
  const machines = { ...parts, catalogue: input.catalogue };
  const ec2: SimulatedEc2 = simulatedEc2({
    cluster: CLUSTER,
    ...machines,
    capacityReservations: input.capacityReservations ?? [],
    onLaunch: (instance: SimulatedInstance) => boot(machines, instance, () => isRunning(ec2, instance.id)),
    onGone: (instance: SimulatedInstance) => vanish(machines, instance),
    onEvent: (event) => kerf.functions.interruptions.send(JSON.stringify(event), REACTION_MS),
  });
  const leases = memoryLeases(timetable);
  const ports: ControllerPorts = {
    cluster: simulatedCluster(state, timetable),
    cloud: ec2,
    store: memoryNodeClaimStore(leases.isCurrent),
    leases,
    catalogue: memoryCatalogueStore(),
    messages,
    clock: timetable,
    settings: input.settings ?? DEFAULT_SETTINGS,
  };
  const wrapped = input.wrapPorts?.(ports) ?? ports;
  const lambda = simulatedLambda(timetable, {
    ports: wrapped,
    // Of its own, so that a call more changes nothing that the scenario leaves to chance.
    random: randomFrom(~input.seed),
    wrapInvocation: input.wrapInvocation,
  });
  const kerf: Kerf = {
    ec2,
    messages,
    functions: functions({
      cluster: CLUSTER,
      ports: wrapped,
      queues: messages.queues,
      lambda,
      pricing: simulatedPricing(input.catalogue),
      timetable,
      timeline,
      invocations: input.invocations ?? 1,
    }),
  };
  void messages.wake('catalogue', { cluster: CLUSTER, reason: 'deployed' });
  return kerf;
}

function isRunning(ec2: SimulatedEc2, id: string): boolean {
  return ec2.instances().some((one) => one.id === id && one.state === 'running');
}

/** The cluster's own controllers: they look whenever something changed, a moment later. */
function startCluster(parts: Parts, kerf: Functions, manifests: ClusterManifests): void {
  const { state, timetable, timeline } = parts;
  const [deployments, scheduler, kubelet] = [
    workloads(state, timetable),
    kubeScheduler(state, timetable),
    kubelets(parts),
  ];
  const pending = new Set<string>();
  let appointed = false;
  state.onReview = (review) => timetable.after(0, async () => kerf.webhook(review));
  state.onChange = () => {
    if (appointed) return;
    appointed = true;
    timetable.after(REACTION_MS, () => {
      deployments.reconcile();
      notePending(state, timeline, pending);
      scheduler.pass();
      kubelet.reconcile();
      appointed = false;
    });
  };
  const creationTimestamp = formatTime(timetable.now());
  for (const pod of manifests.pods) {
    writePod(state, {
      ...pod,
      metadata: { ...pod.metadata, uid: uidOf('Pod', pod), creationTimestamp },
      status: { phase: 'Pending' },
    });
  }
  state.onChange();
}

function notePending(state: KubernetesState, timeline: Timeline, known: Set<string>): void {
  for (const pod of state.pods.values()) {
    const uid = pod.metadata.uid ?? '';
    if (pod.status?.phase !== 'Pending' || known.has(uid)) continue;
    known.add(uid);
    timeline.note({ kind: 'pod-pending', pod: podKey(pod), workload: workloadOf(pod) });
  }
}

/** The one-minute schedule. *Shape:* a question that is true once a whole round of looks found nothing but expiry ahead. */
function startTicks({ state, timetable, timeline }: Parts, { functions: kerf, messages }: Kerf): () => boolean {
  let before = '';
  let settled = false;
  const tick = async (): Promise<void> => {
    const now = `${state.version}/${timeline.entries.length}`;
    const quiet = now === before && !timetable.isBusy();
    const ahead = [...kerf.reports.values()].flatMap((report) => report.due).some((due) => due.kind !== 'expiration');
    settled = quiet && !ahead && kerf.reports.size === TICKED.length;
    before = now;
    timetable.after(MINUTE_MS, tick, { background: true });
    for (const target of TICKED) await messages.wake(target, { cluster: CLUSTER, reason: 'tick' });
  };
  timetable.after(MINUTE_MS, tick, { background: true });
  return () => settled;
}

/**
 * A refusal is told once, and again when its reason changes; an eviction once a pod. What a pod is refused for last is kept
 * for the result.
 */
function newsFilter(refusals: Map<string, readonly Blocked[]>): (decision: Decision) => News {
  const told = new Map<string, string>();
  const isNew = (key: string, text: string): boolean => {
    const news = told.get(key) !== text;
    told.set(key, text);
    return news;
  };
  return ({ controller, blocked }) => {
    if (controller === 'provisioning') {
      refusals.clear();
      for (const [subject, why] of Map.groupBy(blocked, (one) => formatSubject(one.subject)))
        refusals.set(subject, why);
    }
    return {
      isNewAction: (action) =>
        action.kind !== 'evict-pod' ||
        isNew(`evict/${action.pod.uid}`, action.force === undefined ? 'asked' : 'forced'),
      isNewRefusal: (one) =>
        isNew(`${controller}/${formatSubject(one.subject)}/${one.nodePool ?? ''}`, `${one.reason}: ${one.message}`),
    };
  };
}
