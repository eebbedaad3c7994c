/** A deployment of Kerf in a simulation: its functions, their queues and its table. */
import { HOUR_MS } from '../apis/formats/time.ts';
import { optional } from '../apis/optional.ts';
import { lastAutoscalers } from '../controllers/act/last-autoscalers.ts';
import { reportedRefusals } from '../controllers/act/reported-refusals.ts';
import { lastLists } from '../controllers/instances/last-list.ts';
import type { DecisionRecorder } from '../controllers/record/decision-recorder.ts';
import type { ControllerPorts } from '../controllers/run/ports.ts';
import type { Telemetry } from '../controllers/run/telemetry.ts';
import type { WebhookAnswer } from '../controllers/webhook.ts';
import type { TickedFunction } from '../core/delivery/ticks.ts';
import type { Method } from '../core/disruption/method.ts';
import type { Catalogue } from '../core/instance-type/facts.ts';
import type { Decision } from '../core/model/decision.ts';
import { type ClusterSettings, DEFAULT_SETTINGS } from '../core/model/settings.ts';
import { formatSubject } from '../core/model/subject.ts';
import type { Clock } from '../ports/clock.ts';
import type { WakeTarget } from '../ports/messages.ts';
import type { SimulatedEc2 } from './aws/simulated-ec2.ts';
import { simulatedLambda, type WrapInvocation } from './aws/simulated-lambda.ts';
import { type SimulatedMessages, simulatedMessages } from './aws/simulated-messages.ts';
import { simulatedPricing } from './aws/simulated-pricing.ts';
import type { FaultPlay } from './faults/play-faults.ts';
import type { Backups } from './faults/stage.ts';
import { type Functions, functions, type ReportedFailure } from './functions.ts';
import { simulatedCluster } from './kubernetes/simulated-cluster.ts';
import { FIRST_DEPLOYMENT, type KubernetesState } from './kubernetes/state.ts';
import { workloadOf } from './kubernetes/workloads/simulated-workload.ts';
import { memoryCatalogueStore } from './memory-catalogue-store.ts';
import { memoryLeases } from './memory-leases.ts';
import { memoryNodeClaimStore } from './memory-node-claim-store.ts';
import { randomFrom } from './random.ts';
import { keepRefusals, type LastRefusals } from './summary/pending-pods.ts';
import { type News, noteDecision, type Timeline } from './timeline.ts';
import type { Timetable } from './timetable.ts';

export const CLUSTER = 'simulated';
const SECOND_DEPLOYMENT = 'second';

/** What a deployment consists of, besides the cluster and the account. */
export interface DeploymentInput {
  readonly catalogue: Catalogue;
  readonly seed: number;
  /** Wraps the ports of the controllers, for faults and counters. */
  readonly wrapPorts?: (ports: ControllerPorts) => ControllerPorts;
  /** Wraps the ports of one invocation of a function. */
  readonly wrapInvocation?: WrapInvocation;
  /** The number of invocations that each batch of messages starts at once. @default 1 */
  readonly invocations?: number;
  /** The stores of the functions, for example over a table with faults. @default stores in memory, without faults */
  readonly stores?: (timetable: Timetable) => SimulatedStores;
  /** The methods of the disruption function. @default those of the deployed function */
  readonly methods?: readonly Method[];
  /** @default the settings of a cluster without configuration */
  readonly settings?: ClusterSettings;
  /** Called with each answer of the webhook function. @default the answers are not used */
  readonly onAnswer?: (answer: WebhookAnswer) => void;
  /** Called with each failure that a function reports. @default failures are only noted in the timeline */
  readonly onFailure?: (failure: ReportedFailure) => void;
  /** Gets the reports of a function too, for example to count its log lines. @default the reports are only noted in the timeline */
  readonly telemetryOf?: (name: string) => Telemetry;
  /** Of all functions. @default decisions are not recorded */
  readonly recorder?: DecisionRecorder;
}

/** The faults and the settings of the first deployment do not apply to it. */
export interface SecondDeployment
  extends Pick<DeploymentInput, 'wrapPorts' | 'wrapInvocation' | 'invocations' | 'stores' | 'settings' | 'recorder'> {
  /** The deployment that holds the cluster at the start. @default 'first', which was installed before */
  readonly holder?: 'first' | 'second' | 'none';
  /** The API server calls it too, as if the first deployment were Karpenter. @default the deployment that holds the cluster is called */
  readonly hasWebhook?: true;
}

export interface SimulatedStores extends Pick<ControllerPorts, 'store' | 'leases' | 'catalogue'> {
  /** @default the table cannot be restored */
  readonly backups?: Backups;
}

/** One deployment of Kerf. */
export interface Deployment {
  readonly name: string;
  readonly functions: Functions;
  readonly messages: SimulatedMessages;
  /** Whether it is in shadow, which has other ticks. */
  readonly shadow: boolean;
  /** The functions that got a tick, from the schedule or from lifecycle. The schedule empties it. */
  readonly ticked: Set<WakeTarget>;
  /** A schedule starts the function. */
  readonly tick: (target: TickedFunction) => void;
  /** @default if it holds the cluster */
  readonly hasWebhook?: true;
  readonly backups?: Backups;
}

/** The cluster and the account in which Kerf is deployed. */
export interface DeploymentWorld {
  readonly state: KubernetesState;
  readonly ec2: SimulatedEc2;
  readonly timetable: Timetable;
  readonly timeline: Timeline;
  /** Faults of the first deployment. */
  readonly faults: FaultPlay;
}

interface Deployed {
  readonly input: DeploymentInput;
  readonly world: DeploymentWorld;
  /** The last refusals of each pod, for the result. */
  readonly refusals: LastRefusals;
  readonly name: string;
}

/** Creates what `cdk deploy` creates: the functions, their queues, their table, and the catalogue of the region. */
export function deploy({ input, world, refusals, name }: Deployed): Deployment {
  const { state, timetable, timeline, ec2 } = world;
  const faults = name === FIRST_DEPLOYMENT ? world.faults : undefined;
  const news = newsFilter(state, timetable, refusals);
  const queues = simulatedMessages(timetable, {
    wakes: async (target, wakes) => kerf.functions.wakes(target, wakes),
    decision: (decision) => noteDecision(timeline, decision, news(decision)),
  });
  const ticked = new Set<WakeTarget>();
  const messages = notingTicks(faults === undefined ? queues : withCopies(queues, faults), ticked);
  const { backups, ...stores } = (input.stores ?? memoryStores)(timetable);
  const ports: ControllerPorts = {
    cluster: simulatedCluster(state, timetable, name),
    cloud: ec2,
    ...stores,
    messages,
    clock: timetable,
    settings: input.settings ?? DEFAULT_SETTINGS,
    refusals: reportedRefusals(),
    autoscalers: lastAutoscalers(),
    lists: lastLists(),
  };
  const wrapped = input.wrapPorts?.(ports) ?? ports;
  const lambda = simulatedLambda(timetable, {
    ports: wrapped,
    // A separate source, so that an additional call does not change the random choices of the scenario.
    random: randomFrom(~input.seed),
    wrapInvocation: input.wrapInvocation,
    wrapCalls: faults?.wrapCalls,
  });
  const kerf: Deployment = {
    name,
    messages,
    shadow: ports.settings.shadow,
    ticked,
    tick(target) {
      ticked.add(target);
      for (const afterMs of faults?.copies(target) ?? [0])
        timetable.after(afterMs, async () => kerf.functions.tick(target));
    },
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
      methods: input.methods,
      onAnswer: input.onAnswer,
      onFailure: input.onFailure,
      telemetryOf: input.telemetryOf,
      recorder: input.recorder,
    }),
  };
  void messages.wake('catalogue', { cluster: CLUSTER, reason: 'deployed' });
  return kerf;
}

function memoryStores(clock: Clock): SimulatedStores {
  const leases = memoryLeases(clock);
  return { store: memoryNodeClaimStore(leases.isCurrent), leases, catalogue: memoryCatalogueStore() };
}

function notingTicks(messages: SimulatedMessages, ticked: Set<WakeTarget>): SimulatedMessages {
  return {
    ...messages,
    async wake(target, wake, delayMs) {
      if (wake.reason === 'tick') ticked.add(target);
      await messages.wake(target, wake, delayMs);
    },
  };
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

/** The second deployment also decides which one holds the cluster at the start. */
export function deploySecond(
  second: SecondDeployment,
  { catalogue, seed }: Pick<DeploymentInput, 'catalogue' | 'seed'>,
  world: DeploymentWorld,
): Deployment {
  const { holder = 'first', hasWebhook, ...under } = second;
  world.state.holder = { first: FIRST_DEPLOYMENT, second: SECOND_DEPLOYMENT, none: undefined }[holder];
  const own = { ...under, catalogue, seed: seed + 1 };
  return {
    ...deploy({ input: own, world, refusals: new Map(), name: SECOND_DEPLOYMENT }),
    ...optional({ hasWebhook }),
  };
}

/**
 * Selects the new parts of decisions: a refusal once, and again when its reason changes; an eviction once for each pod. Keeps the
 * last refusals of each pod for the result.
 */
function newsFilter(
  state: KubernetesState,
  timetable: Timetable,
  refusals: LastRefusals,
): (decision: Decision) => News {
  const isNew = newestTexts(timetable);
  return (decision) => {
    const { controller } = decision;
    if (controller === 'provisioning') keepRefusals(refusals, decision);
    return {
      isNewAction: (action) =>
        action.kind !== 'evict-pod' ||
        isNew(`evict/${action.pod.uid}`, action.force === undefined ? 'evicted' : 'forced'),
      isNewRefusal: (one) =>
        isNew(`${controller}/${formatSubject(one.subject)}/${one.nodePool ?? ''}`, `${one.reason}: ${one.message}`),
      workloadOf({ namespace, name }) {
        const pod = state.pods.get(`${namespace}/${name}`);
        return pod && workloadOf(pod);
      },
    };
  };
}

/** A text that was not repeated for this time is forgotten, so that a long simulation does not keep those of all pods. */
const KEPT_MS = 2 * HOUR_MS;

/** *Shape:* a function that returns whether the text of a key has changed since it was last called for the key. */
function newestTexts(clock: Clock): (key: string, text: string) => boolean {
  let [recent, before] = [new Map<string, string>(), new Map<string, string>()];
  let sinceMs = clock.now();
  return (key, text) => {
    if (clock.now() - sinceMs >= KEPT_MS) [recent, before, sinceMs] = [new Map<string, string>(), recent, clock.now()];
    const known = recent.get(key) ?? before.get(key);
    recent.set(key, text);
    return known !== text;
  };
}
