import { parseQuantityNano } from '../../../apis/formats/quantity.ts';
import { SECOND_MS } from '../../../apis/formats/time.ts';
import { namespaceOf, type PodSpec } from '../../../apis/kubernetes.ts';
import type { UsageCurve } from '../../../apis/scenario/usage.ts';
import type { HorizontalPodAutoscaler, ResourceMetric } from '../../../apis/workloads.ts';
import { SCALABLE_KINDS, type WorkloadReference } from '../../../apis/workloads.ts';
import type { Timetable } from '../../timetable.ts';
import { objectKeyOf } from '../objects.ts';
import type { KubernetesState } from '../state.ts';
import { scalable, scaleWorkload } from './scale.ts';
import { limitedReplicas, type ScalingHistory } from './scaling-limits.ts';
import { workloadOf } from './simulated-workload.ts';
import { isConstantAfter, usageAt } from './usage-curve.ts';

const SYNC_MS = 15 * SECOND_MS;
const TOLERANCE = 0.1;
/** After this time without a change of the usage, no scale-down is held back. The API allows no longer window. */
const LONGEST_WINDOW_MS = 3_600 * SECOND_MS;

interface AutoscalerWorld {
  readonly state: KubernetesState;
  readonly timetable: Timetable;
  readonly usage: readonly UsageCurve[];
}

interface Scaled {
  readonly autoscaler: HorizontalPodAutoscaler;
  readonly target: WorkloadReference;
  /** Whether another autoscaler has the same target. Kubernetes then scales it only to stay between its limits. */
  readonly isAmbiguous: boolean;
  readonly curve: UsageCurve | undefined;
  readonly history: ScalingHistory;
}

/**
 * The HorizontalPodAutoscaler controller: every 15 s, it sets the replicas that the usage of the Scenario needs. *Cost:* O(autoscalers)
 * each time, whatever the number of pods.
 */
export function startAutoscalers(world: AutoscalerWorld): void {
  const { state, timetable, usage } = world;
  const startMs = timetable.now();
  const found = state.horizontalPodAutoscalers.flatMap((autoscaler) => scaledBy(world, autoscaler));
  const all = found.map((one) => ({
    ...one,
    isAmbiguous: found.filter(({ target }) => isSame(target, one.target)).length > 1,
  }));
  for (const { workload } of usage)
    if (!all.some(({ target }) => isSame(target, workload)))
      state.onAssumption(
        'its usage in the Scenario has no effect: no HorizontalPodAutoscaler scales it',
        `${workload.kind} ${workload.key}`,
      );
  if (all.length === 0) return;
  const sync = (): void => {
    for (const scaled of all) syncOne(world, scaled, startMs);
    const passedMs = timetable.now() - startMs;
    const background = usage.every((curve) => isConstantAfter(curve, passedMs - LONGEST_WINDOW_MS));
    timetable.after(SYNC_MS, sync, { background });
  };
  timetable.after(0, sync);
}

function isSame(a: WorkloadReference, b: WorkloadReference): boolean {
  return a.kind === b.kind && a.key === b.key;
}

function scaledBy(
  { state, usage }: AutoscalerWorld,
  autoscaler: HorizontalPodAutoscaler,
): readonly Omit<Scaled, 'isAmbiguous'>[] {
  const { kind: named, name } = autoscaler.spec.scaleTargetRef;
  const kind = SCALABLE_KINDS.find((one) => one === named);
  const key = `${namespaceOf(autoscaler)}/${name}`;
  const subject = `HorizontalPodAutoscaler ${objectKeyOf(autoscaler)}`;
  if (kind === undefined || !scalable(state, kind).has(key)) {
    state.onAssumption(
      'it is not simulated: its target is not a Deployment, ReplicaSet or StatefulSet of the files',
      subject,
    );
    return [];
  }
  const target = { kind, key };
  const curve = usage.find(({ workload }) => isSame(workload, target));
  if (curve === undefined)
    state.onAssumption(
      'no usage of its target in the Scenario (spec.usage): the replicas only stay between minReplicas and maxReplicas',
      subject,
    );
  else
    for (const metric of unplayed(autoscaler))
      state.onAssumption(`its metric ${metric} is not simulated, only cpu with a target per pod`, subject);
  return [{ autoscaler, target, curve, history: { recommendations: [], changes: [] } }];
}

function syncOne({ state, timetable }: AutoscalerWorld, scaled: Scaled, startMs: number): void {
  const { autoscaler, target, isAmbiguous, curve, history } = scaled;
  const workload = scalable(state, target.kind).get(target.key);
  const current = workload?.spec.replicas ?? 1;
  // A workload that was scaled to zero by hand is not scaled.
  if (workload === undefined || current === 0) return;
  const { minReplicas = 1, maxReplicas, behavior } = autoscaler.spec;
  const between = (replicas: number): number => Math.min(Math.max(replicas, minReplicas), maxReplicas);
  const nowMs = timetable.now();
  let replicas = between(current);
  if (replicas === current && curve !== undefined && !isAmbiguous) {
    const cores = usageAt(curve, nowMs - startMs);
    const targets = targetsPerPod(autoscaler, workload.spec.template.spec);
    const wanted = Math.max(...targets.map((perPod) => neededReplicas(current, cores / perPod, behavior)));
    if (targets.length === 0)
      state.onAssumption(
        'it is not simulated: it has no cpu metric, or its target has no cpu requests',
        `HorizontalPodAutoscaler ${objectKeyOf(autoscaler)}`,
      );
    else replicas = between(limitedReplicas(history, behavior, { nowMs, current, wanted: between(wanted) }));
    if (replicas !== current && !hasMetrics(state, target)) return;
  }
  if (replicas === current) return;
  history.changes = [...history.changes, { atMs: nowMs, change: replicas - current }];
  scaleWorkload(state, target, replicas);
}

/** Whether a pod of the workload runs: without one, there are no metrics. */
function hasMetrics({ pods }: KubernetesState, { kind, key }: WorkloadReference): boolean {
  const workload = `${kind} ${key}`;
  for (const pod of pods.values()) if (pod.status?.phase === 'Running' && workloadOf(pod) === workload) return true;
  return false;
}

/** Rounds up, but not for the inaccuracy of floating-point numbers. */
function neededReplicas(
  current: number,
  exact: number,
  { scaleUp, scaleDown }: NonNullable<HorizontalPodAutoscaler['spec']['behavior']> = {},
): number {
  const difference = exact / current - 1;
  const { tolerance = TOLERANCE } = (difference > 0 ? scaleUp : scaleDown) ?? {};
  return Math.abs(difference) <= amountOf(tolerance) + 1e-9 ? current : Math.ceil(exact - 1e-9);
}

/** The CPU metrics. The one of autoscaling/v1 is used where there are no others; 80 % is the default without any. */
function cpuMetrics({ spec }: HorizontalPodAutoscaler): readonly ResourceMetric[] {
  const { metrics = [], targetCPUUtilizationPercentage: averageUtilization = 80 } = spec;
  if (metrics.length === 0) return [{ name: 'cpu', target: { type: 'Utilization', averageUtilization } }];
  return metrics.flatMap(({ resource, containerResource }) => {
    const metric = resource ?? containerResource;
    return metric?.name === 'cpu' ? [metric] : [];
  });
}

function unplayed({ spec: { metrics = [] } }: HorizontalPodAutoscaler): readonly string[] {
  return metrics.flatMap(({ type, resource, containerResource }) => {
    const name = (resource ?? containerResource)?.name;
    return name === 'cpu' ? [] : [name ?? type];
  });
}

/** The cores that each pod uses at the target of each metric. */
function targetsPerPod(autoscaler: HorizontalPodAutoscaler, spec: PodSpec): readonly number[] {
  return cpuMetrics(autoscaler).flatMap(({ container, target }) => {
    const { averageUtilization, averageValue } = target;
    const named = spec.containers.filter(({ name }) => container === undefined || name === container);
    const requested = named.reduce(
      (sum, { resources }) => sum + amountOf(resources?.requests?.['cpu'] ?? resources?.limits?.['cpu']),
      0,
    );
    const perPod = averageUtilization === undefined ? amountOf(averageValue) : (requested * averageUtilization) / 100;
    return perPod > 0 ? [perPod] : [];
  });
}

function amountOf(quantity: string | number | undefined): number {
  return quantity === undefined ? 0 : Number(parseQuantityNano(quantity) ?? 0n) / 1e9;
}
