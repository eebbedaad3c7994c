/**
 * Lifecycle and termination, and on request provisioning, in this process, on a real API server, each with the rights of its own group.
 * EC2, the table and the queues are simulated. Ticks and wakes are as in AWS, except that a tick comes every ten seconds and instances shut
 * down in two. Disruption runs only when a test calls it.
 */
import { type ReportedRefusals, reportedRefusals } from '../../lib/controllers/act/reported-refusals.ts';
import { reconcileDisruption } from '../../lib/controllers/disruption.ts';
import { reconcileLifecycle } from '../../lib/controllers/lifecycle.ts';
import { reconcileProvisioning } from '../../lib/controllers/provisioning.ts';
import { guarded } from '../../lib/controllers/run/guard.ts';
import type { ControllerPorts, RunReport } from '../../lib/controllers/run/ports.ts';
import { reconcileTermination } from '../../lib/controllers/termination.ts';
import { DEFAULT_SETTINGS } from '../../lib/core/model/settings.ts';
import { answerWakes } from '../../lib/operator/lambda/queue-batch.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import type { Messages, Wake } from '../../lib/ports/messages.ts';
import { ApiClient } from '../../lib/providers/kubernetes/client/api-client.ts';
import { KubernetesCluster } from '../../lib/providers/kubernetes/kubernetes-cluster.ts';
import type { SimulatedEc2 } from '../../lib/simulator/aws/simulated-ec2.ts';
import { memoryCatalogueStore } from '../../lib/simulator/memory-catalogue-store.ts';
import { memoryLeases } from '../../lib/simulator/memory-leases.ts';
import { memoryNodeClaimStore } from '../../lib/simulator/memory-node-claim-store.ts';
import type { Timetable } from '../../lib/simulator/timetable.ts';
import { type GrantedProxy, startGrantedProxy } from '../cluster/support/granted-proxy.ts';
import { installRoles } from '../cluster/support/identities.ts';
import { aSimulatedEc2 } from '../fakes/simulated-ec2.ts';
import { recordingRuntime } from '../operator/messages.ts';
import { playQueue } from './wake-queue.ts';

export const CLUSTER = 'demo';
const TICK_EVERY_MS = 10_000;
/** EC2 takes 10 to 25 s to shut down an instance. */
const EC2_SPEED = 10;
const CONTEXT = { getRemainingTimeInMillis: () => 60_000 };
const WOKEN = ['lifecycle', 'termination'] as const;
const FUNCTIONS = ['provisioning', 'disruption', ...WOKEN] as const;

type Name = (typeof FUNCTIONS)[number];

export interface KerfInProcess {
  readonly store: ControllerPorts['store'];
  readonly cloud: SimulatedEc2;
  /** All reports of runs. */
  readonly reports: readonly RunReport[];
  /** The failures of whole runs. */
  readonly failures: readonly string[];
  /** Requests to the API server: `POST /api/v1/namespaces/…`. */
  readonly calls: () => readonly { readonly call: string; readonly status: number }[];
  /** What the webhook or a tick does; without queues, one run of each function. */
  readonly wake: () => Promise<void>;
  /** Runs a function once, without its queue. *Shape:* the report of the run. */
  readonly run: (name: Name) => Promise<RunReport>;
  readonly close: () => Promise<void>;
}

export interface KerfPlan {
  /** @default the real time */
  readonly clock?: Clock;
  /** Whether queues and ticks run the functions. @default true */
  readonly isWoken?: boolean;
  /** Whether pods without a node get one. @default false: nodes have only what a test creates */
  readonly provisions?: boolean;
}

const RECONCILE = {
  provisioning: guarded('provisioning', reconcileProvisioning),
  lifecycle: guarded('lifecycle', reconcileLifecycle),
  termination: guarded('termination', reconcileTermination),
  disruption: guarded('disruption', reconcileDisruption),
} as const;

/** *Errors:* where the definitions of Kerf's kinds are not installed. */
export async function startKerf({
  clock = { now: () => Date.now() },
  isWoken = true,
  provisions = false,
}: KerfPlan = {}): Promise<KerfInProcess> {
  const woken: readonly Name[] = provisions ? ['provisioning', ...WOKEN] : WOKEN;
  await installRoles();
  const shared = await sharedPorts(clock);
  const reports: RunReport[] = [];
  const { runtime, seen } = recordingRuntime();
  const report = (_: unknown, one: RunReport): void => void reports.push(one);
  const telemetry = { ...runtime.telemetry, report };
  const started = await Promise.all(FUNCTIONS.map(async (name) => await startFunction(name, clock)));
  const portsOf = ({ cluster, refusals }: StartedFunction): ControllerPorts => {
    return { ...shared, cluster, refusals, messages, clock, settings: DEFAULT_SETTINGS };
  };
  const isFed = ({ name }: StartedFunction): boolean => woken.includes(name);
  const queues = started.filter(isFed).map((one) =>
    playQueue(one.name, async (event) => {
      const runtimeOfOne = { ...runtime, telemetry, portsOf: async () => portsOf(one) };
      return await answerWakes(runtimeOfOne, { event, context: CONTEXT }, RECONCILE[one.name]);
    }),
  );
  const messages: Messages = {
    publish: async () => {},
    wake: async (target, wake, delayMs) => {
      if (!isWoken) return;
      for (const queue of queues) await queue.wake(target, wake, delayMs);
    },
  };
  const tick: Wake = { cluster: CLUSTER, reason: 'tick' };
  const run = async (name: Name): Promise<RunReport> => {
    const one = started.find((each) => each.name === name);
    if (one === undefined) throw new Error(`no function ${name}`);
    const reported = await RECONCILE[name](portsOf(one), tick);
    reports.push(reported);
    return reported;
  };
  const wake = async (): Promise<void> => {
    for (const name of woken) await (isWoken ? messages.wake(name, tick) : run(name));
  };
  const ticks = isWoken ? setInterval(() => void wake(), TICK_EVERY_MS) : undefined;
  return {
    store: shared.store,
    cloud: shared.cloud,
    reports,
    failures: seen.said,
    calls: () => started.flatMap(({ proxy }) => proxy.calls),
    wake,
    run,
    close: async () => {
      clearInterval(ticks);
      for (const { client, proxy } of started) {
        client.close();
        await proxy.close();
      }
    },
  };
}

interface StartedFunction {
  readonly name: Name;
  readonly proxy: GrantedProxy;
  readonly client: ApiClient;
  readonly refusals: ReportedRefusals;
  readonly cluster: KubernetesCluster;
}

async function startFunction(name: Name, clock: Clock): Promise<StartedFunction> {
  const proxy = await startGrantedProxy(name);
  const client = new ApiClient({ endpoint: proxy.endpoint });
  return { name, proxy, client, refusals: reportedRefusals(), cluster: new KubernetesCluster({ client, clock }) };
}

async function sharedPorts(clock: Clock) {
  const catalogue = memoryCatalogueStore();
  const timetable = realTimetable(clock);
  const cloud = aSimulatedEc2(CLUSTER, timetable);
  await catalogue.writeCatalogue(await cloud.describeCatalogue());
  const leases = memoryLeases(clock);
  return { cloud, catalogue, leases, store: memoryNodeClaimStore(leases.isCurrent) };
}

/** The simulated EC2 in real time, faster than EC2. */
function realTimetable(clock: Clock): Timetable {
  return {
    now: () => clock.now(),
    after: (delayMs, run) => {
      const timer = setTimeout(() => void run(), delayMs / EC2_SPEED);
      return () => clearTimeout(timer);
    },
    wait: async (ms) => await new Promise((resolve) => setTimeout(resolve, ms / EC2_SPEED)),
    step: async () => false,
    isBusy: () => false,
  };
}
