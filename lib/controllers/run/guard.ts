import { MINUTE_MS, SECOND_MS } from '../../apis/formats/time.ts';
import type { Blocked, Controller, Decision } from '../../core/model/decision.ts';
import { decisionId } from '../../core/model/decision-id.ts';
import { observeOtherAutoscalers } from '../observe/observe-other-autoscalers.ts';
import type { CoalescedWake } from './coalesce-wakes.ts';
import type { ControllerPorts, HasClock, PublishesDecisions, Reconcile, RunReport, UsesStandby } from './ports.ts';
import { shadowPorts } from './shadow.ts';

/** Until the next tick has looked: whoever cannot look for himself goes by it. */
const STOOD_DOWN_MS = MINUTE_MS + 30 * SECOND_MS;

/**
 * Every run of a function that acts on a cluster goes through here: where another autoscaler is active nothing is done, nothing
 * that was decided before is finished, and nothing is written but that it is so. When the other is gone the next tick acts again.
 */
export function guarded(controller: Controller, reconcile: Reconcile): Reconcile {
  return async (ports, wake) => {
    if (ports.settings.shadow) return await watch(controller, reconcile, { ports, wake });
    const { otherAutoscalers, unknown } = await observeOtherAutoscalers(ports, wake.cluster);
    if (otherAutoscalers.length > 0)
      return setStandby(ports, { controller, cluster: wake.cluster, otherAutoscalers, unknown });
    const report = await reconcile(ports, wake);
    const gauges = { ...report.gauges, StoodDown: 0 };
    return { ...report, gauges, failures: [...report.failures, ...unknown] };
  };
}

/** In shadow a rival is what it is there for; functions that only carry out have nothing to do. */
async function watch(
  controller: Controller,
  reconcile: Reconcile,
  { ports, wake }: { readonly ports: ControllerPorts; readonly wake: CoalescedWake },
): Promise<RunReport> {
  const decides = controller === 'provisioning' || controller === 'disruption';
  if (decides) return await reconcile(shadowPorts(ports), wake);
  return { controller, cluster: wake.cluster, decisions: [], due: [], gauges: {}, failures: [] };
}

async function setStandby(
  { store, messages, clock }: UsesStandby & PublishesDecisions & HasClock,
  seen: {
    readonly controller: Controller;
    readonly cluster: string;
    readonly otherAutoscalers: readonly Blocked[];
    readonly unknown: readonly Error[];
  },
): Promise<RunReport> {
  const { controller, cluster, otherAutoscalers, unknown } = seen;
  const decision = standbyDecision(controller, cluster, { blocked: otherAutoscalers, atMs: clock.now() });
  // The bus hears of it when it begins, the report has it each time.
  const isKnown = await store.isOnStandby(cluster, decision.atMs);
  await store.setStandby(cluster, decision.atMs + STOOD_DOWN_MS);
  if (!isKnown) await messages.publish(decision);
  return { controller, cluster, decisions: [decision], due: [], gauges: { StoodDown: 1 }, failures: unknown };
}

/** The decision to do nothing. */
export function standbyDecision(
  controller: Controller,
  cluster: string,
  { blocked, atMs }: Pick<Decision, 'blocked' | 'atMs'>,
): Decision {
  return { id: decisionId(controller, 'standby', String(atMs)), cluster, controller, atMs, actions: [], blocked };
}
