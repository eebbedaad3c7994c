import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import { otherDeployment } from '../../core/cluster/cluster-claim.ts';
import type { Blocked, Controller, Decision } from '../../core/model/decision.ts';
import { decisionId } from '../../core/model/decision-id.ts';
import { PortError, RefusedError, UnreachableError } from '../../ports/errors.ts';
import { type ObservedAutoscalers, observeOtherAutoscalers } from '../observe/observe-other-autoscalers.ts';
import { announceOnBus } from './announce.ts';
import type { CoalescedWake } from './coalesce-wakes.ts';
import type {
  ControllerPorts,
  HasClock,
  PublishesDecisions,
  Reconcile,
  RunReport,
  UsesStandby,
  WritesCluster,
} from './ports.ts';
import { shadowPorts } from './shadow.ts';

/** The next tick renews the mark. The interruption function, which cannot read the cluster, uses it. */
const STANDBY_MS = MINUTE_MS + 30 * SECOND_MS;

/**
 * Guards every run of a function that reconciles a cluster. If another autoscaler is active, the run does nothing: it does not
 * finish earlier decisions, and writes only the standby mark. The first tick without another autoscaler reconciles again.
 */
export function guarded(controller: Controller, reconcile: Reconcile): Reconcile {
  /** Clusters on standby for which the bus has no decision yet. */
  const unannounced = new Set<string>();
  return async (ports, wake) => {
    if (ports.settings.shadow) return await shadowRun(controller, reconcile, { ports, wake });
    const observed = await otherAutoscalersFor(controller, ports, wake.cluster);
    const { ignored } = observed;
    // Only lifecycle launches instances, so no instance is launched by a deployment that does not hold the cluster.
    const claimed = controller === 'lifecycle' && observed.isUnclaimed ? await claim(ports, wake.cluster) : NOTHING;
    const otherAutoscalers = [...observed.otherAutoscalers, ...claimed.otherAutoscalers];
    const unknown = [...observed.unknown, ...claimed.unknown];
    if (otherAutoscalers.length > 0)
      return standby(ports, unannounced, { controller, cluster: wake.cluster, otherAutoscalers, unknown });
    unannounced.delete(wake.cluster);
    const report = await reconcile(ports, wake);
    const gauges = { ...report.gauges, StoodDown: 0 };
    return { ...report, gauges, failures: [...report.failures, ...unknown], ...(ignored && { ignored }) };
  };
}

/** Without a new answer, a run waits while the mark of another function shows that Kerf is on standby. */
async function otherAutoscalersFor(
  controller: Controller,
  ports: ControllerPorts,
  cluster: string,
): Promise<ObservedAutoscalers> {
  const observed = await answerFor(controller, ports, cluster);
  const isUnsure = observed.isLast && observed.otherAutoscalers.length === 0;
  if (isUnsure && (await staysOnStandby(ports, cluster))) throw new UnreachableError(ON_STANDBY);
  return observed;
}

/**
 * Without any answer, only termination runs, unless Kerf is on standby: it drains nodes and terminates instances whose
 * NodeClaims Kerf has deleted, for example after a spot warning.
 */
async function answerFor(
  controller: Controller,
  ports: ControllerPorts,
  cluster: string,
): Promise<ObservedAutoscalers> {
  try {
    return await observeOtherAutoscalers(ports, cluster);
  } catch (cause) {
    if (controller !== 'termination' || !(cause instanceof PortError)) throw cause;
    if (await staysOnStandby(ports, cluster)) throw cause;
    const unknown = [new Error(`failed to check for other autoscalers: ${cause.message}`, { cause })];
    return { otherAutoscalers: [], isUnclaimed: false, isLast: false, unknown };
  }
}

/** Whether the mark of standby exists. It is renewed, so that standby lasts until other autoscalers can be read. */
async function staysOnStandby({ store, clock }: UsesStandby & HasClock, cluster: string): Promise<boolean> {
  const nowMs = clock.now();
  const isOn = await store.isOnStandby(cluster, nowMs);
  if (isOn) await store.setStandby(cluster, nowMs + STANDBY_MS);
  return isOn;
}

const ON_STANDBY =
  'Kerf was on standby a moment ago, and other autoscalers cannot be read: the run waits for an answer';

interface Claimed {
  readonly otherAutoscalers: readonly Blocked[];
  readonly unknown: readonly Error[];
}

const NOTHING: Claimed = { otherAutoscalers: [], unknown: [] };

/** Claims the cluster. Where Kerf may not, because its ClusterRole is older, this is reported and the run continues. */
async function claim(ports: WritesCluster & HasClock, cluster: string): Promise<Claimed> {
  try {
    const other = otherDeployment(cluster, await ports.cluster.claimCluster(), ports.clock.now());
    return { otherAutoscalers: other === undefined ? [] : [other], unknown: [] };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return {
      otherAutoscalers: [],
      unknown: [new Error(`failed to claim the cluster: ${error.message}`, { cause: error })],
    };
  }
}

/** In shadow, other autoscalers are expected. Functions that only carry out decisions do nothing. */
async function shadowRun(
  controller: Controller,
  reconcile: Reconcile,
  { ports, wake }: { readonly ports: ControllerPorts; readonly wake: CoalescedWake },
): Promise<RunReport> {
  const decides = controller === 'provisioning' || controller === 'disruption';
  if (decides) return await reconcile(shadowPorts(ports), wake);
  return { controller, cluster: wake.cluster, decisions: [], due: [], gauges: {}, failures: [] };
}

/** A run of this process repeats a publication that fails or is cut off. */
async function standby(
  ports: UsesStandby & PublishesDecisions & HasClock,
  unannounced: Set<string>,
  seen: Pick<RunReport, 'controller' | 'cluster'> & Pick<ObservedAutoscalers, 'otherAutoscalers' | 'unknown'>,
): Promise<RunReport> {
  const { store, clock } = ports;
  const { controller, cluster, otherAutoscalers, unknown } = seen;
  const decision = standbyDecision(controller, cluster, { blocked: otherAutoscalers, atMs: clock.now() });
  // The decision is published when standby begins, and reported in each run.
  const isKnown = await store.isOnStandby(cluster, decision.atMs);
  await store.setStandby(cluster, decision.atMs + STANDBY_MS);
  if (!isKnown) unannounced.add(cluster);
  const failures = unannounced.has(cluster) ? await announceOnBus(ports, decision) : [];
  if (failures.length === 0) unannounced.delete(cluster);
  const gauges = { StoodDown: 1 };
  return { controller, cluster, decisions: [decision], due: [], gauges, failures: [...unknown, ...failures] };
}

/** The decision to do nothing. */
export function standbyDecision(
  controller: Controller,
  cluster: string,
  { blocked, atMs }: Pick<Decision, 'blocked' | 'atMs'>,
): Decision {
  return { id: decisionId(controller, 'standby', String(atMs)), cluster, controller, atMs, actions: [], blocked };
}
