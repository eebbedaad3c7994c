import type { ClusterManifests } from '../apis/cluster-manifests.ts';
import { formatTime, MINUTE_MS, parseTime, SECOND_MS } from '../apis/formats/time.ts';
import { type Pod, podKey } from '../apis/kubernetes.ts';
import { optional } from '../apis/optional.ts';
import type { Scenario, ScenarioEvent } from '../apis/scenario/scenario.ts';
import type { Trace } from '../apis/scenario/trace.ts';
import { SLOW_TICK_MINUTES, tickedEachMinute, tickedSlowly } from '../core/delivery/ticks.ts';
import type { ResolvedCapacityReservation } from '../core/model/resolved-node-class.ts';
import { boot, vanish } from './aws/machines.ts';
import { type SimulatedEc2, type SimulatedInstance, simulatedEc2 } from './aws/simulated-ec2.ts';
import type { SimulatedMessages } from './aws/simulated-messages.ts';
import { type ZonePower, zonePower } from './aws/zone-power.ts';
import {
  CLUSTER,
  type Deployment,
  type DeploymentInput,
  deploy,
  deploySecond,
  type SecondDeployment,
} from './deployment.ts';
import type { Fault } from './faults/fault.ts';
import { type FaultPlay, playFaults } from './faults/play-faults.ts';
import type { Functions } from './functions.ts';
import { createPod } from './kubernetes/create-pod.ts';
import { kubelets } from './kubernetes/kubelet.ts';
import { type NodeLifecycle, nodeLifecycle } from './kubernetes/node-lifecycle.ts';
import { uidOf } from './kubernetes/objects.ts';
import { kubeScheduler } from './kubernetes/scheduler/kube-scheduler.ts';
import { FIRST_DEPLOYMENT, type KubernetesState, kubernetesState } from './kubernetes/state.ts';
import { type AttachableVolumes, reportedByDriver } from './kubernetes/storage/attachable-volumes.ts';
import { attachDetach } from './kubernetes/storage/simulated-attachments.ts';
import { volumeController } from './kubernetes/storage/volume-controller.ts';
import { startAutoscalers } from './kubernetes/workloads/autoscalers.ts';
import { workloadOf } from './kubernetes/workloads/simulated-workload.ts';
import { workloads } from './kubernetes/workloads/workloads.ts';
import { type Random, randomFrom } from './random.ts';
import { type Ended, type SimulationResult, type SimulationSummary, type SummaryParts, summaryOf } from './result.ts';
import { ongoing } from './scenario/ongoing.ts';
import { playEvent, playScenario } from './scenario/play-scenario.ts';
import { faultsOf } from './scenario/scenario-faults.ts';
import type { ScenarioStage } from './scenario/scenario-stage.ts';
import type { Progress } from './summary/figures.ts';
import type { LastRefusals } from './summary/pending-pods.ts';
import { type Recorder, recorderFrom } from './summary/recorder.ts';
import { type Timeline, type TimelineEntry, timelineFrom } from './timeline.ts';
import { type Timetable, timetableFrom } from './timetable.ts';
import { unplayedFields } from './unplayed-fields.ts';

/** A Thursday. Every simulation starts at this time, so that schedules give the same result. */
const START = '2026-01-01T00:00:00Z';
/** The delay after which the cluster's controllers react to a change. */
const REACTION_MS = 100;

export interface SimulationInput extends DeploymentInput {
  readonly manifests: ClusterManifests;
  readonly scenario?: Scenario;
  /** The rows of the trace of the scenario. @default no trace */
  readonly trace?: Trace;
  /** Capacity reservations; every NodeClass selects all of them. @default none */
  readonly capacityReservations?: readonly ResolvedCapacityReservation[];
  /** The run ends at this time, or before it when only expiry remains. */
  readonly durationMs: number;
  /** Whether the run goes on to its end when only expiry remains. @default it ends then */
  readonly goesOn?: boolean;
  /** How often the timeline gets the figures of the cluster. @default never */
  readonly figuresEveryMs?: number;
  /** What is not simulated, or not completely, for the notes of the result; with its object. @default none */
  readonly remarks?: readonly { readonly subject?: string; readonly text: string }[];
  /** A second deployment of Kerf for the same cluster and account: its own functions, queues and table. @default none */
  readonly secondDeployment?: SecondDeployment;
  /** @default what the EBS CSI driver reports with the figures of the catalogue */
  readonly attachableVolumes?: AttachableVolumes;
  /** Faults of the first deployment, of the cluster and of EC2. @default none */
  readonly faults?: readonly Fault[];
}

/** Runs a simulation to its end. `onEntry` is called with each entry of the timeline. @internal */
export async function runSimulation(
  input: SimulationInput,
  onEntry?: (entry: TimelineEntry) => Promise<void>,
): Promise<SimulationResult> {
  const simulation = openSimulation(input);
  const timeline: TimelineEntry[] = [];
  for (;;) {
    const ended = await simulation.step();
    for (const entry of simulation.timeline.take()) {
      timeline.push(entry);
      await onEntry?.(entry);
    }
    if (ended !== undefined) return { ...simulation.summary(ended), timeline };
  }
}

/** A simulation that its caller advances step by step, with what it simulates. */
export interface OpenSimulation {
  /** Runs the next appointment. *Shape:* how the simulation ended; undefined if it goes on. */
  step(): Promise<Exclude<Ended, 'interrupted'> | undefined>;
  /** How far it is. */
  progress(): Progress;
  /** The facts until now. */
  summary(ended: Ended): SimulationSummary;
  /** Schedules an event that the Scenario does not have. `atMs` counts from now. */
  play(event: ScenarioEvent): void;
  readonly timetable: Timetable;
  readonly timeline: Timeline;
  readonly endMs: number;
  readonly state: KubernetesState;
  readonly ec2: SimulatedEc2;
  /** Those of the first deployment. */
  readonly messages: SimulatedMessages;
  readonly functions: Functions;
  readonly refusedObject: FaultPlay['refusedObject'];
}

interface Parts {
  readonly state: KubernetesState;
  readonly timetable: Timetable;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly faults: FaultPlay;
  readonly power: ZonePower;
  readonly nodeLifecycle: NodeLifecycle;
  readonly recorder: Recorder;
  readonly launchListeners: ((instance: SimulatedInstance) => void)[];
}

/** Assembles a simulation of a cluster, EC2 and Kerf's functions in virtual time, without starting it. The same input gives the same output, byte for byte. */
export function openSimulation(input: SimulationInput): OpenSimulation {
  const timetable = timetableFrom(parseTime(START));
  const startMs = timetable.now();
  const recorder = recorderFrom(timetable);
  const timeline = timelineFrom(timetable, (entry) => recorder.note(entry));
  for (const { text, subject } of input.remarks ?? []) timeline.remarks.add(text, subject);
  const ofScenario = input.scenario === undefined ? [] : faultsOf(input.scenario, input.durationMs);
  const faults = playFaults([...(input.faults ?? []), ...ofScenario], input.seed, timetable);
  const state = kubernetesState(input.manifests);
  state.watchers.push(recorder.watcher);
  const parts: Parts = {
    state,
    timetable,
    timeline,
    random: randomFrom(input.seed),
    faults,
    power: zonePower(timetable, input.seed),
    nodeLifecycle: nodeLifecycle({ state, timetable, timeline }),
    recorder,
    launchListeners: [],
  };
  const refusals: LastRefusals = new Map();
  const deployments: Deployment[] = [];
  const ec2 = simulatedAccount(input, parts, deployments);
  const world = { ...parts, ec2 };
  const first = deploy({ input, world, refusals, name: FIRST_DEPLOYMENT });
  deployments.push(first);
  if (input.secondDeployment !== undefined) deployments.push(deploySecond(input.secondDeployment, input, world));
  startCluster(parts, deployments, input);
  const endMs = startMs + input.durationMs;
  const stage = beginScenario(input, world, endMs);
  faults.begin({ ...world, ...optional({ backups: first.backups }) });
  const isSettled = startTicks(parts, deployments);
  noteFigures(parts, input.figuresEveryMs);
  // The clock reaches the end exactly, so that the cost counts until then.
  timetable.after(input.durationMs, () => {}, { background: true });
  return {
    async step() {
      if (!(await timetable.step(endMs))) return 'time';
      return input.goesOn !== true && isSettled() ? 'settled' : undefined;
    },
    ...reader(input, parts, { refusals, startMs, failedRuns: first.functions.failedRuns }),
    play: (event) => playEvent(stage, event),
    state,
    ec2,
    messages: first.messages,
    functions: first.functions,
    refusedObject: faults.refusedObject,
    timetable,
    timeline,
    endMs,
  };
}

/** What a caller can read of a simulation at any time. */
function reader(
  { durationMs, seed, catalogue }: SimulationInput,
  { state, recorder, timeline, timetable }: Parts,
  { startMs, failedRuns, ...last }: Pick<SummaryParts, 'refusals' | 'startMs'> & Pick<Functions, 'failedRuns'>,
): Pick<OpenSimulation, 'progress' | 'summary'> {
  return {
    progress: () => ({
      ...recorder.figures(),
      atSeconds: (timetable.now() - startMs) / SECOND_MS,
      durationSeconds: durationMs / SECOND_MS,
    }),
    summary(ended) {
      const time = { nowMs: timetable.now(), startMs, durationMs, ended };
      const failure = failedRuns.get('provisioning');
      const notes = timeline.remarks.lines();
      return summaryOf({ ...time, ...last, state, recorder, notes, seed, catalogue, ...optional({ failure }) });
    },
  };
}

function beginScenario(
  input: SimulationInput,
  world: Parts & { readonly ec2: SimulatedEc2 },
  endMs: number,
): ScenarioStage {
  const { scenario, trace, catalogue, seed } = input;
  const onLaunch = (listener: (instance: SimulatedInstance) => void): void => void world.launchListeners.push(listener);
  const stage = { ...world, catalogue, seed, endMs, onLaunch, ongoing: ongoing() };
  if (scenario !== undefined) playScenario(stage, scenario, trace);
  return stage;
}

/** EC2 of the account. Its events reach every deployment. */
function simulatedAccount(input: SimulationInput, parts: Parts, deployments: readonly Deployment[]): SimulatedEc2 {
  const { faults, recorder } = parts;
  const machines = { ...parts, catalogue: input.catalogue, fate: faults.machineFate };
  const ec2: SimulatedEc2 = simulatedEc2({
    cluster: CLUSTER,
    ...machines,
    ledger: recorder.ledger,
    capacityReservations: input.capacityReservations ?? [],
    onLaunch(instance: SimulatedInstance) {
      boot(machines, instance, () => isRunning(ec2, instance.id));
      for (const listener of parts.launchListeners) listener(instance);
    },
    onGone: (instance: SimulatedInstance) => vanish(machines, instance),
    onEvent: (event) => {
      for (const { functions: each } of deployments)
        for (const delayMs of faults.copies('interruption'))
          each.interruptions.send(JSON.stringify(event), REACTION_MS + delayMs);
    },
  });
  return ec2;
}

function isRunning(ec2: SimulatedEc2, id: string): boolean {
  return ec2.instances().some((one) => one.id === id && one.state === 'running');
}

/** The cluster's own controllers, which reconcile shortly after each change. */
function startCluster(parts: Parts, deployments: readonly Deployment[], input: SimulationInput): void {
  const { state, timetable, timeline, faults } = parts;
  const [controllers, scheduler, kubelet, attachments] = [
    workloads(state, timetable),
    kubeScheduler(state, timetable, { isDown: faults.isSchedulerDown, timeline }),
    kubelets({ ...parts, isSilent: parts.nodeLifecycle.isSilent }),
    attachDetach(state, timetable, faults.keepsVolumes),
  ];
  const changes = state.podIndex.follow();
  const zones = [...new Set(input.catalogue.offerings.map(({ zone }) => zone))];
  const attachable = input.attachableVolumes ?? reportedByDriver(input.catalogue.facts);
  const volumes = volumeController(state, { zones, attachable });
  const pending = new Set<string>();
  state.watchers.push({
    pod(before, after) {
      if (after === undefined) pending.delete(before?.metadata.uid ?? '');
    },
  });
  let isScheduled = false;
  // The cluster has one webhook configuration. The deployment that holds the cluster owns it.
  state.onReview = (review) => {
    if (faults.isWebhookDown()) return;
    for (const { name, hasWebhook, functions: called } of deployments)
      if (hasWebhook ?? name === state.holder) timetable.after(0, async () => called.webhook(review));
  };
  state.onChange = () => {
    if (isScheduled) return;
    isScheduled = true;
    timetable.after(REACTION_MS, () => {
      controllers.reconcile();
      volumes.reconcile();
      notePending(changes().pods, timeline, pending);
      scheduler.pass();
      kubelet.reconcile();
      isScheduled = false;
      attachments.reconcile();
    });
  };
  state.onJobFailed = (failure) => timeline.note({ kind: 'job-failed', ...failure });
  state.onAssumption = (text, subject) => timeline.remarks.add(text, subject);
  for (const { text, subject } of unplayedFields(input.manifests)) timeline.remarks.add(text, subject);
  startAutoscalers({ state, timetable, usage: input.scenario?.usage ?? [] });
  const creationTimestamp = formatTime(timetable.now());
  for (const pod of input.manifests.pods) {
    createPod(state, {
      ...pod,
      metadata: { ...pod.metadata, uid: uidOf('Pod', pod), creationTimestamp },
      status: { phase: 'Pending' },
    });
  }
  state.onChange();
}

function notePending(pods: readonly Pod[], timeline: Timeline, known: Set<string>): void {
  for (const pod of pods) {
    const uid = pod.metadata.uid ?? '';
    if (pod.status?.phase !== 'Pending' || known.has(uid)) continue;
    known.add(uid);
    timeline.note({ kind: 'pod-pending', pod: podKey(pod), workload: workloadOf(pod) });
  }
}

function noteFigures({ timetable, timeline, recorder }: Parts, everyMs: number | undefined): void {
  if (everyMs === undefined) return;
  const note = (): void => {
    timeline.note({ kind: 'figures', ...recorder.figures() });
    timetable.after(everyMs, note, { background: true });
  };
  timetable.after(everyMs, note, { background: true });
}

/** The schedules. *Shape:* a predicate that is true after a complete round of runs in which only expiry remains. */
function startTicks({ state, timetable, timeline }: Parts, deployments: readonly Deployment[]): () => boolean {
  const all = deployments.map(({ functions: { reports } }) => reports);
  let before = '';
  let settled = false;
  let minutes = 0;
  const tick = async (): Promise<void> => {
    const now = `${state.version}/${timeline.count()}`;
    const quiet = now === before && !timetable.isBusy();
    const due = all.flatMap((reports) => [...reports.values()].flatMap((report) => report.due));
    const ahead = due.some(({ kind }) => kind !== 'expiration');
    settled =
      quiet &&
      !ahead &&
      minutes > 0 &&
      deployments.every(({ ticked, functions: { reports } }) => [...ticked].every((name) => reports.has(name)));
    // An older report may not have what is still to be done: the run that found it may have failed.
    for (const reports of all) reports.clear();
    for (const { ticked } of deployments) ticked.clear();
    before = now;
    timetable.after(MINUTE_MS, tick, { background: true });
    minutes += 1;
    for (const { tick: start, shadow } of deployments) {
      const slow = minutes % SLOW_TICK_MINUTES === 0 ? tickedSlowly({ shadow }) : [];
      for (const target of [...tickedEachMinute({ shadow }), ...slow]) start(target);
    }
  };
  timetable.after(MINUTE_MS, tick, { background: true });
  return () => settled;
}
