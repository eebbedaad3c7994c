import { attended } from '../controllers/attend.ts';
import { refreshCatalogue } from '../controllers/catalogue.ts';
import { type CoalescedWake, coalesceWakes } from '../controllers/coalesce-wakes.ts';
import { reconcileDisruption } from '../controllers/disruption.ts';
import { handleInterruption } from '../controllers/interruption.ts';
import { reconcileLifecycle } from '../controllers/lifecycle.ts';
import type { ControllerPorts, RunReport } from '../controllers/ports.ts';
import { reconcileProvisioning } from '../controllers/provisioning.ts';
import { reconcileTermination } from '../controllers/termination.ts';
import { answerWebhook } from '../controllers/webhook.ts';
import type { ReceivedWake, WakeTarget } from '../ports/messages.ts';
import type { Pricing } from '../ports/pricing.ts';
import type { Review } from './kubernetes/state.ts';
import type { Timeline } from './timeline.ts';
import type { Timetable } from './timetable.ts';

/** After a failure the message is visible again. */
const RETRY_MS = 5_000;
/** The dead-letter queue takes it then. */
const MOST_RECEIVES = 3;
const SECRET = 'simulated';

/** The deployed functions: the same controllers behind the same triggers, invoked in virtual time. */
export interface Functions {
  wakes(target: WakeTarget, wakes: readonly ReceivedWake[], receives?: number): Promise<void>;
  interruption(event: unknown, receives?: number): Promise<void>;
  webhook(review: Review): Promise<void>;
  /** The last report of each function that looks at the whole cluster. */
  readonly reports: ReadonlyMap<string, RunReport>;
}

interface FunctionWorld {
  /** How many invocations each batch starts at once: more than one is SQS at its worst. */
  readonly invocations: number;
  readonly cluster: string;
  readonly ports: ControllerPorts;
  readonly pricing: Pricing;
  readonly timetable: Timetable;
  readonly timeline: Timeline;
}

export function functions({ cluster, ports, pricing, timetable, timeline, invocations }: FunctionWorld): Functions {
  const reports = new Map<string, RunReport>();
  const clusters = new Set([cluster]);
  const shadows = new Set(ports.settings.shadow ? [cluster] : []);
  const failed = (name: string, error: unknown): void =>
    timeline.note({
      kind: 'function-failed',
      function: name,
      message: error instanceof Error ? error.message : String(error),
    });
  const run = async (target: WakeTarget, wake: CoalescedWake): Promise<void> => {
    if (target === 'catalogue') {
      const failures = await refreshCatalogue({ ...ports, pricing, shippedPrices: new Map() });
      for (const failure of failures) failed(target, failure);
      return;
    }
    const report = await RECONCILE[target](ports, wake);
    for (const failure of report.failures) failed(target, failure);
    if (wake.nodeClaim === undefined && report.withoutLook === undefined) reports.set(target, report);
  };
  const self: Functions = {
    reports,
    async wakes(target, wakes, receives = 1) {
      const wake = coalesceWakes(cluster, wakes);
      try {
        await atOnce(invocations, async () => run(target, wake));
      } catch (error) {
        failed(target, error);
        if (receives < MOST_RECEIVES) timetable.after(RETRY_MS, async () => self.wakes(target, wakes, receives + 1));
      }
    },
    async interruption(event, receives = 1) {
      try {
        await atOnce(invocations, async () => handleInterruption({ ...ports, clusters, shadows }, event));
      } catch (error) {
        failed('interruption', error);
        if (receives < MOST_RECEIVES) timetable.after(RETRY_MS, async () => self.interruption(event, receives + 1));
      }
    },
    async webhook(review) {
      const request = { uid: `${timetable.now()}`, resource: { resource: review.resource }, name: review.name };
      const body = JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
      await answerWebhook(
        {
          messages: ports.messages,
          clusters,
          isSecret: (candidate) => candidate === SECRET,
          deadline: async () => new Promise<void>(() => {}),
        },
        { method: 'POST', path: `/${cluster}/${SECRET}`, body: new TextEncoder().encode(body) },
      );
    },
  };
  return self;
}

/** All of them to the end, then the first failure: an invocation that fails does not stop another. */
async function atOnce(invocations: number, run: () => Promise<unknown>): Promise<void> {
  const outcomes = await Promise.allSettled(Array.from({ length: invocations }, run));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}

const RECONCILE = {
  provisioning: attended('provisioning', reconcileProvisioning),
  lifecycle: attended('lifecycle', reconcileLifecycle),
  disruption: attended('disruption', reconcileDisruption),
  termination: attended('termination', reconcileTermination),
} as const;
