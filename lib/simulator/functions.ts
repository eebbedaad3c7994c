import { MINUTE_MS } from '../apis/formats/time.ts';
import { optional } from '../apis/optional.ts';
import { guardedWithTicks } from '../controllers/act/pass-on-tick.ts';
import { refreshCatalogue } from '../controllers/catalogue.ts';
import { reconcileDisruptionBy } from '../controllers/disruption.ts';
import { handleInterruption } from '../controllers/interruption.ts';
import { reconcileLifecycle } from '../controllers/lifecycle.ts';
import { reconcileProvisioning } from '../controllers/provisioning.ts';
import type { DecisionRecorder } from '../controllers/record/decision-recorder.ts';
import { guarded } from '../controllers/run/guard.ts';
import { handleEvents } from '../controllers/run/handle-events.ts';
import { handleTick, handleWakes, type WakeRuntime } from '../controllers/run/handle-wakes.ts';
import type { ControllerPorts, Reconcile, RunReport } from '../controllers/run/ports.ts';
import type { Telemetry } from '../controllers/run/telemetry.ts';
import { reconcileTermination } from '../controllers/termination.ts';
import { ANSWER_WITHIN_MS, answerWebhook, type WebhookAnswer } from '../controllers/webhook.ts';
import { EVENT_PLAN } from '../core/delivery/deliveries.ts';
import { hungClusters } from '../core/delivery/hung-clusters.ts';
import type { TickedFunction } from '../core/delivery/ticks.ts';
import type { Method } from '../core/disruption/method.ts';
import { ALL_METHODS } from '../core/disruption/methods/all-methods.ts';
import { errorMessage } from '../core/error-message.ts';
import type { WakeTarget } from '../ports/messages.ts';
import type { Pricing } from '../ports/pricing.ts';
import type { QueuedMessage } from '../ports/redelivery.ts';
import type { Invoke } from './aws/simulated-lambda.ts';
import type { SimulatedMessages } from './aws/simulated-messages.ts';
import { type SimulatedQueue, simulatedQueue } from './aws/simulated-queue.ts';
import type { Review } from './kubernetes/state.ts';
import type { Timeline } from './timeline.ts';
import type { Timetable } from './timetable.ts';

const SECRET = 'simulated';
/** Lambda repeats an invocation that a schedule has started and that was stopped. */
const TICK_PAUSES_MS = [0, MINUTE_MS, 2 * MINUTE_MS];

/** The deployed functions: the same shell, controllers and triggers, in virtual time. */
export interface Functions {
  wakes(target: WakeTarget, messages: readonly QueuedMessage[]): Promise<readonly string[]>;
  /** A tick of a schedule. */
  tick(target: TickedFunction): Promise<void>;
  webhook(review: Review): Promise<void>;
  /** The queue of the interruption function. */
  readonly interruptions: SimulatedQueue;
  /** The last report of each function on the whole cluster since the last tick. */
  readonly reports: Map<string, RunReport>;
  /** Why the last run of each function on the whole cluster failed; without the functions whose last run succeeded. */
  readonly failedRuns: ReadonlyMap<string, string>;
}

/** What is kept of the runs of each function. */
interface LastRuns {
  readonly reports: Map<string, RunReport>;
  readonly failedRuns: Map<string, string>;
}

function noRuns(): LastRuns {
  return { reports: new Map(), failedRuns: new Map() };
}

interface FunctionWorld {
  /** The number of invocations that each batch starts at once. SQS can deliver a message more than once. */
  readonly invocations: number;
  readonly cluster: string;
  readonly ports: ControllerPorts;
  readonly queues: SimulatedMessages['queues'];
  readonly lambda: Invoke;
  readonly pricing: Pricing;
  readonly timetable: Timetable;
  readonly timeline: Timeline;
  /** @default those of the disruption function */
  readonly methods?: readonly Method[] | undefined;
  /** Called with each answer of the webhook function. @default the answers are not used */
  readonly onAnswer?: ((answer: WebhookAnswer) => void) | undefined;
  /** Called with each failure that a function reports. @default failures are only noted in the timeline */
  readonly onFailure?: ((failure: ReportedFailure) => void) | undefined;
  /** Gets the reports of a function too. @default they are only noted in the timeline */
  readonly telemetryOf?: ((name: string) => Telemetry) | undefined;
  readonly recorder?: DecisionRecorder | undefined;
}

/** A failure in the log of a function. */
export interface ReportedFailure {
  readonly function: string;
  readonly error: unknown;
  /** The whole run failed. @default it went on with other objects */
  readonly ofRun?: true;
}

export function functions(world: FunctionWorld): Functions {
  const { cluster, invocations, lambda, queues, timetable } = world;
  const last = noRuns();
  const clusters = new Set([cluster]);
  const shadows = new Set(world.ports.settings.shadow ? [cluster] : []);
  const recording = optional({ recorder: world.recorder });
  const interruptions = simulatedQueue(timetable, {
    plan: EVENT_PLAN,
    windowMs: 0,
    invoke: async (messages) =>
      atOnce(invocations, async () =>
        lambda('interruption', messages, async ({ ports, timer }) =>
          handleEvents(
            { telemetry: telemetryOf('interruption', world, noRuns()), redelivery: interruptions, ...recording },
            { messages, timer },
            async (event, receives) => handleInterruption({ ...ports, clusters, shadows }, event, receives),
          ),
        ),
      ),
  });
  const hung = {
    provisioning: hungClusters(timetable),
    lifecycle: hungClusters(timetable),
    disruption: hungClusters(timetable),
    termination: hungClusters(timetable),
  };
  const disruption = guarded('disruption', reconcileDisruptionBy(world.methods ?? ALL_METHODS));
  const reconcileOf = (target: TickedFunction): Reconcile => (target === 'disruption' ? disruption : RECONCILE[target]);
  const runtimeOf = (target: TickedFunction, ports: ControllerPorts): WakeRuntime => ({
    telemetry: telemetryOf(target, world, last),
    hung: hung[target],
    redelivery: queues[target],
    portsOf: async () => ports,
    ...recording,
  });
  const run = async (target: WakeTarget, messages: readonly QueuedMessage[]): Promise<readonly string[]> =>
    lambda(target, messages, async ({ ports, timer }) => {
      if (target === 'catalogue')
        return refresh(world, { ports, messages, telemetry: telemetryOf(target, world, last) });
      return handleWakes(runtimeOf(target, ports), { messages, timer }, reconcileOf(target));
    });
  const tick = async (target: TickedFunction): Promise<readonly string[]> =>
    repeatedIfStopped(timetable, async (answered) => {
      await lambda(target, [], async ({ ports, timer }) => {
        await handleTick(runtimeOf(target, ports), { tick: { cluster, reason: 'tick' }, timer }, reconcileOf(target));
        answered();
        return [];
      });
    });
  return {
    ...last,
    interruptions,
    wakes: async (target, messages) => atOnce(invocations, async () => run(target, messages)),
    async tick(target) {
      await atOnce(invocations, async () => tick(target));
    },
    webhook: async (review) => reviewed(world, review, clusters),
  };
}

/** An invocation of a schedule. *Shape:* no messages, as it had none. */
async function repeatedIfStopped(
  timetable: Timetable,
  invoke: (answered: () => void) => Promise<void>,
): Promise<readonly string[]> {
  for (const pauseMs of TICK_PAUSES_MS) {
    if (pauseMs > 0) await timetable.wait(pauseMs);
    let isAnswered = false;
    await invoke(() => {
      isAnswered = true;
    });
    if (isAnswered) break;
  }
  return [];
}

/** As in Lambda, a failed invocation returns all its messages to the queue. */
async function refresh(
  { pricing }: FunctionWorld,
  run: {
    readonly ports: ControllerPorts;
    readonly messages: readonly QueuedMessage[];
    readonly telemetry: Telemetry;
  },
): Promise<readonly string[]> {
  const { ports, messages, telemetry } = run;
  try {
    const failures = await refreshCatalogue({ ...ports, pricing, shippedPrices: new Map() });
    for (const failure of failures)
      telemetry.error('failed to read prices: the previous prices stay in use', failure, {});
    return [];
  } catch (error) {
    telemetry.error('failed to read prices: the previous prices stay in use', error, {});
    return messages.map(({ id }) => id);
  }
}

async function reviewed(world: FunctionWorld, review: Review, clusters: ReadonlySet<string>): Promise<void> {
  const { cluster, lambda, timetable } = world;
  const request = { uid: `${timetable.now()}`, resource: { resource: review.resource }, name: review.name };
  const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
  await lambda('webhook', [], async ({ ports }) => {
    const answer = await answerWebhook(
      {
        messages: ports.messages,
        clusters,
        isSecret: (candidate) => candidate === SECRET,
        deadline: async () => timetable.wait(ANSWER_WITHIN_MS),
      },
      { method: 'POST', path: `/${cluster}/${SECRET}`, body: new TextEncoder().encode(body) },
    );
    world.onAnswer?.(answer);
    return [];
  });
}

/** Keeps the last report of a function and the failure of its last run, and notes failures in the timeline. */
function telemetryOf(
  name: string,
  { timeline, onFailure, telemetryOf: more }: Pick<FunctionWorld, 'timeline' | 'onFailure' | 'telemetryOf'>,
  { reports, failedRuns }: LastRuns,
): Telemetry {
  const other = more?.(name);
  const failed = (error: unknown, ofRun?: true): void => {
    onFailure?.({ function: name, error, ...optional({ ofRun }) });
    timeline.note({
      kind: 'function-failed',
      function: name,
      message: errorMessage(error),
    });
  };
  return {
    report(cause, report) {
      other?.report(cause, report);
      for (const failure of report.failures) failed(failure);
      if (cause.nodeClaim !== undefined || report.skipped !== undefined) return;
      reports.set(name, report);
      failedRuns.delete(name);
    },
    failure(wake, error) {
      other?.failure(wake, error);
      failed(error, true);
      if (wake.nodeClaim === undefined) failedRuns.set(name, errorMessage(error));
    },
    error(message, error, fields) {
      other?.error(message, error, fields);
      failed(error);
    },
    warn: (message, fields) => other?.warn(message, fields),
  };
}

/** Waits for all invocations. *Shape:* the ids of the messages that any of them returns. */
async function atOnce(invocations: number, run: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const answers = await Promise.all(Array.from({ length: invocations }, run));
  return [...new Set(answers.flat())];
}

/** The functions whose behaviour no option of the simulation changes. */
const RECONCILE = {
  provisioning: guarded('provisioning', reconcileProvisioning),
  lifecycle: guardedWithTicks(reconcileLifecycle),
  termination: guarded('termination', reconcileTermination),
} as const;
