import type { ClusterManifests } from '../apis/cluster-manifests.ts';
import { formatTime, MINUTE_MS, parseTime } from '../apis/formats/time.ts';
import { podKey } from '../apis/kubernetes.ts';
import { optional } from '../apis/optional.ts';
import type { Scenario } from '../apis/scenario.ts';
import { reportedRefusals } from '../controllers/act/reported-refusals.ts';
import type { ControllerPorts } from '../controllers/run/ports.ts';
import type { WebhookAnswer } from '../controllers/webhook.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';
import type { Blocked, Decision } from '../core/model/decision.ts';
import type { ResolvedCapacityReservation } from '../core/model/resolved-node-class.ts';
import { type ClusterSettings, DEFAULT_SETTINGS } from '../core/model/settings.ts';
import { formatSubject } from '../core/model/subject.ts';
import type { Clock } from '../ports/clock.ts';
import type { WakeTarget } from '../ports/messages.ts';
import { boot, vanish } from './aws/machines.ts';
import { type SimulatedEc2, type SimulatedInstance, simulatedEc2 } from './aws/simulated-ec2.ts';
import { simulatedLambda, type WrapInvocation } from './aws/simulated-lambda.ts';
import { type SimulatedMessages, simulatedMessages } from './aws/simulated-messages.ts';
import { simulatedPricing } from './aws/simulated-pricing.ts';
import type { Fault } from './faults/fault.ts';
import { type FaultPlay, playFaults } from './faults/play-faults.ts';
import type { Backups } from './faults/world-faults.ts';
import { type Functions, functions, type ReportedFailure } from './functions.ts';
import { kubeScheduler } from './kubernetes/kube-scheduler.ts';
import { kubelets } from './kubernetes/kubelet.ts';
import { uidOf } from './kubernetes/objects.ts';
import { attachDetach } from './kubernetes/simulated-attachments.ts';
import { simulatedCluster } from './kubernetes/simulated-cluster.ts';
import { FIRST_DEPLOYMENT, type KubernetesState, kubernetesState, writePod } from './kubernetes/state.ts';
import { workloadOf, workloads } from './kubernetes/workloads.ts';
import { memoryCatalogueStore } from './memory-catalogue-store.ts';
import { memoryLeases } from './memory-leases.ts';
import { memoryNodeClaimStore } from './memory-node-claim-store.ts';
import { playScenario } from './play-scenario.ts';
import { type Random, randomFrom } from './random.ts';
import { resultOf, type SimulationResult } from './result.ts';
import { type News, noteDecision, type Timeline, type TimelineEntry, timelineFrom } from './timeline.ts';
import { type Timetable, timetableFrom } from './timetable.ts';

/** A Thursday. Every simulation starts at this time, so that schedules give the same result. */
const START = '2026-01-01T00:00:00Z';
/** The delay after which the cluster's controllers react to a change. */
const REACTION_MS = 100;
const CLUSTER = 'simulated';
const SECOND_DEPLOYMENT = 'second';
const TICKED: readonly WakeTarget[] = ['provisioning', 'lifecycle', 'disruption', 'termination'];

export interface SimulationInput {
  readonly manifests: ClusterManifests;
  readonly scenario?: Scenario;
  readonly catalogue: Catalogue;
  /** Capacity reservations; every NodeClass selects all of them. @default none */
  readonly capacityReservations?: readonly ResolvedCapacityReservation[];
  readonly seed: number;
  readonly durationMs: number;
  /** Wraps the ports of the controllers, for faults and counters. */
  readonly wrapPorts?: (ports: ControllerPorts) => ControllerPorts;
  /** Wraps the ports of one invocation of a function. */
  readonly wrapInvocation?: WrapInvocation;
  /** The number of invocations that each batch of messages starts at once. @default 1 */
  readonly invocations?: number;
  /** The stores of the functions, for example over a table with faults. @default stores in memory, without faults */
  readonly stores?: (timetable: Timetable) => SimulatedStores;
  /** @default the settings of a cluster without configuration */
  readonly settings?: ClusterSettings;
  /** A second deployment of Kerf for the same cluster and account: its own functions, queues and table. @default none */
  readonly secondDeployment?: SecondDeployment;
  /** Faults of the first deployment, of the cluster and of EC2. @default none */
  readonly faults?: readonly Fault[];
  /** Called with each answer of the webhook function. @default the answers are not used */
  readonly onAnswer?: (answer: WebhookAnswer) => void;
  /** Called with each failure that a function reports. @default failures are only noted in the timeline */
  readonly onFailure?: (failure: ReportedFailure) => void;
}

/** It has no faults and settings of the first one, unless they are given here. */
export interface SecondDeployment
  extends Pick<SimulationInput, 'wrapPorts' | 'wrapInvocation' | 'invocations' | 'stores' | 'settings'> {
  /** The deployment that holds the cluster at the start. @default 'first', which was installed before */
  readonly holder?: 'first' | 'second' | 'none';
}

export interface SimulatedStores extends Pick<ControllerPorts, 'store' | 'leases' | 'catalogue'> {
  /** @default the table cannot be restored */
  readonly backups?: Backups;
}

/**
 * Runs a cluster, EC2 and Kerf's functions in virtual time. *Shape:* yields the entries of the timeline, and returns the result.
 * The same input gives the same output, byte for byte.
 */
export async function* simulate(input: SimulationInput): AsyncGenerator<TimelineEntry, SimulationResult> {
  const simulation = openSimulation(input);
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

/** Runs a simulation to its end. @internal */
export async function runSimulation(input: SimulationInput): Promise<SimulationResult> {
  const run = simulate(input);
  for (;;) {
    const step = await run.next();
    if (step.done === true) return step.value;
  }
}

/** A simulation that its caller advances step by step, with what it simulates. */
export interface OpenSimulation {
  readonly timetable: Timetable;
  readonly timeline: Timeline;
  readonly endMs: number;
  readonly state: KubernetesState;
  readonly ec2: SimulatedEc2;
  /** Those of the first deployment. */
  readonly messages: SimulatedMessages;
  readonly functions: Functions;
  isSettled(): boolean;
  result(ended: SimulationResult['ended']): SimulationResult;
}

interface Parts {
  readonly state: KubernetesState;
  readonly timetable: Timetable;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly faults: FaultPlay;
}

/** Assembles a simulation without starting it. @internal */
export function openSimulation(input: SimulationInput): OpenSimulation {
  const timetable = timetableFrom(parseTime(START));
  const startMs = timetable.now();
  const timeline = timelineFrom(timetable);
  const faults = playFaults(input.faults ?? [], input.seed, timetable);
  const state = kubernetesState(input.manifests);
  const parts: Parts = { state, timetable, timeline, random: randomFrom(input.seed), faults };
  const refusals = new Map<string, readonly Blocked[]>();
  const deployments: Kerf[] = [];
  const ec2 = simulatedAccount(input, parts, deployments);
  const first = deploy({ input, parts, ec2, refusals, name: FIRST_DEPLOYMENT });
  deployments.push(first, ...deploySecond(input, parts, ec2));
  startCluster(parts, deployments, input.manifests);
  if (input.scenario !== undefined) playScenario({ ...parts, ec2 }, input.scenario);
  faults.begin({ ...parts, ec2, ...optional({ backups: first.backups }) });
  const settled = startTicks(parts, deployments);
  return {
    state,
    ec2,
    messages: first.messages,
    functions: first.functions,
    timetable,
    timeline,
    endMs: startMs + input.durationMs,
    isSettled: settled,
    result: (ended) =>
      resultOf({
        state: parts.state,
        instances: ec2.instances(),
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

/** One deployment of Kerf. */
interface Kerf {
  readonly name: string;
  readonly functions: Functions;
  readonly messages: SimulatedMessages;
  readonly backups?: Backups;
}

/** EC2 of the account. Its events reach every deployment. */
function simulatedAccount(input: SimulationInput, parts: Parts, deployments: readonly Kerf[]): SimulatedEc2 {
  const { faults } = parts;
  const machines = { ...parts, catalogue: input.catalogue, fate: faults.machineFate };
  const ec2: SimulatedEc2 = simulatedEc2({
    cluster: CLUSTER,
    ...machines,
    capacityReservations: input.capacityReservations ?? [],
    onLaunch: (instance: SimulatedInstance) => boot(machines, instance, () => isRunning(ec2, instance.id)),
    onGone: (instance: SimulatedInstance) => vanish(machines, instance),
    onEvent: (event) => {
      for (const { functions: each } of deployments)
        for (const delayMs of faults.copies('interruption'))
          each.interruptions.send(JSON.stringify(event), REACTION_MS + delayMs);
    },
  });
  return ec2;
}

interface Deployed {
  readonly input: Pick<
    SimulationInput,
    | 'wrapPorts'
    | 'wrapInvocation'
    | 'invocations'
    | 'stores'
    | 'settings'
    | 'catalogue'
    | 'seed'
    | 'onAnswer'
    | 'onFailure'
  >;
  readonly parts: Parts;
  readonly ec2: SimulatedEc2;
  readonly refusals: Map<string, readonly Blocked[]>;
  readonly name: string;
}

/** Creates what `cdk deploy` creates: the functions, their queues, their table, and the catalogue of the region. */
function deploy({ input, parts, ec2, refusals, name }: Deployed): Kerf {
  const { state, timetable, timeline } = parts;
  const faults = name === FIRST_DEPLOYMENT ? parts.faults : undefined;
  const news = newsFilter(refusals);
  const queues = simulatedMessages(timetable, {
    wakes: async (target, wakes) => kerf.functions.wakes(target, wakes),
    decision: (decision) => noteDecision(timeline, decision, news(decision)),
  });
  const messages = faults === undefined ? queues : withCopies(queues, faults);
  const { backups, ...stores } = (input.stores ?? memoryStores)(timetable);
  const ports: ControllerPorts = {
    cluster: simulatedCluster(state, timetable, name),
    cloud: ec2,
    ...stores,
    messages,
    clock: timetable,
    settings: input.settings ?? DEFAULT_SETTINGS,
    refusals: reportedRefusals(),
  };
  const wrapped = input.wrapPorts?.(ports) ?? ports;
  const lambda = simulatedLambda(timetable, {
    ports: wrapped,
    // A separate source, so that an additional call does not change the random choices of the scenario.
    random: randomFrom(~input.seed),
    wrapInvocation: input.wrapInvocation,
    wrapCalls: faults?.wrapCalls,
  });
  const kerf: Kerf = {
    name,
    messages,
    ...optional({ backups }),
    functions: functions({
      cluster: CLUSTER,
      ports: wrapped,
      queues: messages.queues,
      lambda,
      pricing: simulatedPricing(input.catalogue),
      timetable,
      timeline,
      invocations: input.invocations ?? 1,
      onAnswer: input.onAnswer,
      onFailure: input.onFailure,
    }),
  };
  void messages.wake('catalogue', { cluster: CLUSTER, reason: 'deployed' });
  return kerf;
}

function memoryStores(clock: Clock): SimulatedStores {
  const leases = memoryLeases(clock);
  return { store: memoryNodeClaimStore(leases.isCurrent), leases, catalogue: memoryCatalogueStore() };
}

/** The queues, with the copies of messages that faults make, delay or lose. */
function withCopies(messages: SimulatedMessages, faults: FaultPlay): SimulatedMessages {
  return {
    ...messages,
    async wake(target, wake, delayMs = 0) {
      for (const moreMs of faults.copies(target)) await messages.wake(target, wake, delayMs + moreMs);
    },
  };
}

function deploySecond(input: SimulationInput, parts: Parts, ec2: SimulatedEc2): readonly Kerf[] {
  const { secondDeployment: second, catalogue, seed } = input;
  if (second === undefined) return [];
  const { holder = 'first', ...under } = second;
  parts.state.holder = { first: FIRST_DEPLOYMENT, second: SECOND_DEPLOYMENT, none: undefined }[holder];
  const own = { ...under, catalogue, seed: seed + 1 };
  return [deploy({ input: own, parts, ec2, refusals: new Map(), name: SECOND_DEPLOYMENT })];
}

function isRunning(ec2: SimulatedEc2, id: string): boolean {
  return ec2.instances().some((one) => one.id === id && one.state === 'running');
}

/** The cluster's own controllers, which reconcile shortly after each change. */
function startCluster(parts: Parts, deployments: readonly Kerf[], manifests: ClusterManifests): void {
  const { state, timetable, timeline, faults } = parts;
  const [controllers, scheduler, kubelet, attachments] = [
    workloads(state, timetable),
    kubeScheduler(state, timetable),
    kubelets(parts),
    attachDetach(state, timetable),
  ];
  const pending = new Set<string>();
  let isScheduled = false;
  // The cluster has one webhook configuration. The deployment that holds the cluster owns it.
  state.onReview = (review) => {
    const owner = deployments.find(({ name }) => name === state.holder);
    if (owner !== undefined && !faults.isWebhookDown()) timetable.after(0, async () => owner.functions.webhook(review));
  };
  state.onChange = () => {
    if (isScheduled) return;
    isScheduled = true;
    timetable.after(REACTION_MS, () => {
      controllers.reconcile();
      notePending(state, timeline, pending);
      scheduler.pass();
      kubelet.reconcile();
      isScheduled = false;
      attachments.reconcile();
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

/** The one-minute schedule. *Shape:* a predicate that is true after a complete round of runs in which only expiry remains. */
function startTicks({ state, timetable, timeline }: Parts, deployments: readonly Kerf[]): () => boolean {
  const all = deployments.map(({ functions: { reports } }) => reports);
  let before = '';
  let settled = false;
  const tick = async (): Promise<void> => {
    const now = `${state.version}/${timeline.entries.length}`;
    const quiet = now === before && !timetable.isBusy();
    const due = all.flatMap((reports) => [...reports.values()].flatMap((report) => report.due));
    const ahead = due.some(({ kind }) => kind !== 'expiration');
    settled = quiet && !ahead && all.every(({ size }) => size === TICKED.length);
    // An older report may not have what is still to be done: the run that found it may have failed.
    for (const reports of all) reports.clear();
    before = now;
    timetable.after(MINUTE_MS, tick, { background: true });
    for (const { messages } of deployments) {
      for (const target of TICKED) await messages.wake(target, { cluster: CLUSTER, reason: 'tick' });
    }
  };
  timetable.after(MINUTE_MS, tick, { background: true });
  return () => settled;
}

/**
 * Selects the new parts of decisions: a refusal once, and again when its reason changes; an eviction once for each pod. Keeps the
 * last refusals of each pod for the result.
 */
function newsFilter(refusals: Map<string, readonly Blocked[]>): (decision: Decision) => News {
  const noted = new Map<string, string>();
  const isNew = (key: string, text: string): boolean => {
    const isChanged = noted.get(key) !== text;
    noted.set(key, text);
    return isChanged;
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
        isNew(`evict/${action.pod.uid}`, action.force === undefined ? 'evicted' : 'forced'),
      isNewRefusal: (one) =>
        isNew(`${controller}/${formatSubject(one.subject)}/${one.nodePool ?? ''}`, `${one.reason}: ${one.message}`),
    };
  };
}
