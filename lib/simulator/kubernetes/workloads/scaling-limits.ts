import { SECOND_MS } from '../../../apis/formats/time.ts';
import type { ScalingRules } from '../../../apis/workloads.ts';

/** How far and how fast an autoscaler may change the replicas: the rules of Kubernetes for stabilization and policies. */

/** What an autoscaler has recommended and done before. *Units:* `change` is positive for a scale-up. */
export interface ScalingHistory {
  recommendations: readonly { readonly atMs: number; readonly replicas: number }[];
  changes: readonly { readonly atMs: number; readonly change: number }[];
}

interface Behavior {
  readonly scaleUp?: ScalingRules;
  readonly scaleDown?: ScalingRules;
}

const DOWN_WINDOW_SECONDS = 300;
/** The longest window and the longest period that the API allows. */
const LONGEST_MS = 3_600 * SECOND_MS;

const DOWN_POLICIES = [{ type: 'Percent', value: 100, periodSeconds: 15 }] as const;
const UP_POLICIES = [...DOWN_POLICIES, { type: 'Pods', value: 4, periodSeconds: 15 }] as const;

/** Returns the replicas to set for a recommendation, and notes it in the history. */
export function limitedReplicas(
  history: ScalingHistory,
  behavior: Behavior | undefined,
  { nowMs, current, wanted }: { readonly nowMs: number; readonly current: number; readonly wanted: number },
): number {
  const seen = history.recommendations.length === 0 ? [{ atMs: nowMs, replicas: current }] : history.recommendations;
  const since = ({ stabilizationWindowSeconds }: ScalingRules = {}, seconds: number): readonly number[] =>
    seen
      .filter(({ atMs }) => atMs > nowMs - (stabilizationWindowSeconds ?? seconds) * SECOND_MS)
      .map(({ replicas }) => replicas);
  const lowest = Math.min(wanted, ...since(behavior?.scaleUp, 0));
  const highest = Math.max(wanted, ...since(behavior?.scaleDown, DOWN_WINDOW_SECONDS));
  const stable = Math.min(Math.max(current, lowest), highest);
  history.recommendations = [...seen, { atMs: nowMs, replicas: wanted }].filter(
    ({ atMs }) => atMs > nowMs - LONGEST_MS,
  );
  history.changes = history.changes.filter(({ atMs }) => atMs > nowMs - LONGEST_MS);
  if (stable > current) return Math.min(stable, highestAllowed(history, behavior, { nowMs, current }));
  if (stable < current) return Math.max(stable, lowestAllowed(history, behavior?.scaleDown, { nowMs, current }));
  return stable;
}

interface Moment {
  readonly nowMs: number;
  readonly current: number;
}

/** Without a behavior, an autoscaler doubles the replicas at most, or sets four. */
function highestAllowed(history: ScalingHistory, behavior: Behavior | undefined, moment: Moment): number {
  if (behavior === undefined) return Math.max(2 * moment.current, 4);
  const { policies = UP_POLICIES, selectPolicy } = behavior.scaleUp ?? {};
  if (selectPolicy === 'Disabled') return moment.current;
  const allowed = policies.map(({ type, value, periodSeconds }) => {
    const start = startOf(history, moment, periodSeconds);
    return type === 'Pods' ? start + value : Math.ceil(start * (1 + value / 100));
  });
  return selectPolicy === 'Min' ? Math.min(...allowed) : Math.max(...allowed);
}

function lowestAllowed(history: ScalingHistory, rules: ScalingRules | undefined, moment: Moment): number {
  const { policies = DOWN_POLICIES, selectPolicy } = rules ?? {};
  if (selectPolicy === 'Disabled') return moment.current;
  const allowed = policies.map(({ type, value, periodSeconds }) => {
    const start = startOf(history, moment, periodSeconds);
    return type === 'Pods' ? start - value : Math.floor(start * (1 - value / 100));
  });
  return selectPolicy === 'Min' ? Math.max(...allowed) : Math.min(...allowed);
}

/** The replicas at the start of a period. */
function startOf({ changes }: ScalingHistory, { nowMs, current }: Moment, periodSeconds: number): number {
  const within = changes.filter(({ atMs }) => atMs > nowMs - periodSeconds * SECOND_MS);
  return within.reduce((replicas, { change }) => replicas - change, current);
}
