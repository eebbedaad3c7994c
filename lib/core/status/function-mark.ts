import { MINUTE_MS } from '../../apis/formats/time.ts';
import { isRecord, ownField } from '../../apis/record.ts';
import { SLOW_TICK_MINUTES } from '../delivery/ticks.ts';
import type { ProblemKind } from '../problems/problems.ts';

/** The functions that reconcile a cluster every few minutes (`ticks.ts`). */
export const MARKED_FUNCTIONS = ['provisioning', 'lifecycle', 'disruption', 'termination'] as const;
export type MarkedFunction = (typeof MARKED_FUNCTIONS)[number];

/**
 * What a function found in its last tick, for `kerf status`. No decision reads it. It is written when something in it other than the
 * time and the gauges changes, or pods begin or end to wait, while there are problems or failures, and else after a pause (`MARK_PAUSE_MS`).
 */
export interface FunctionMark {
  readonly formatVersion: 1;
  readonly cluster: string;
  readonly function: MarkedFunction;
  /** When the run ended. */
  readonly atMs: number;
  /** The version of Kerf. */
  readonly version: string;
  /** What fails: in this run, or for good and in the last five minutes. */
  readonly failures: number;
  /** The oldest of the failures, with the time of the first one. @default none, or a mark of an earlier version */
  readonly failing?: readonly { readonly message: string; readonly sinceMs: number }[];
  readonly problems: readonly { readonly kind: ProblemKind; readonly message: string }[];
  /** The other autoscaler, because of which Kerf is on standby. @default it is not on standby */
  readonly standby?: string;
  /** @default decisions are carried out */
  readonly shadow?: true;
  /** Lifecycle: whether the cluster has a webhook of this deployment by its configuration. @default it has none, or another function */
  readonly webhook?: true;
  /** The clusters of the deployment by its configuration. @default not known */
  readonly served?: readonly string[];
  /** `PendingPods`, `Nodes`, `HourlyCostUsd`, as far as the run has read them. */
  readonly gauges: Readonly<Record<string, number>>;
}

/**
 * The pause between two marks without a change, in each process. Another process may have written another mark meanwhile, so a mark is
 * wrong for as long at most. *Cost:* 48 write units an hour, 0.022 USD a month for each cluster.
 */
export const MARK_PAUSE_MS = SLOW_TICK_MINUTES * MINUTE_MS;

/** What must be known at once. Of the gauges, whether pods wait: their number changes in minutes, and the others with decisions. */
export function markEssence(mark: FunctionMark): string {
  const { failures, problems, standby, shadow, webhook, version, gauges } = mark;
  const kinds = problems.map(({ kind }) => kind).toSorted();
  const isWaiting = mark.function === PENDING_PODS_FROM && (gauges['PendingPods'] ?? 0) > 0;
  const states = [failures > 0, standby !== undefined, shadow === true, webhook === true, isWaiting];
  return JSON.stringify([...states, kinds, version]);
}

/** The function whose mark has the pending pods. Another mark may be the later one. */
export const PENDING_PODS_FROM: MarkedFunction = 'provisioning';

/** Whether a stored value is a mark of this version. */
export function isFunctionMark(value: unknown): value is FunctionMark {
  return (
    isRecord(value) &&
    ownField(value, 'formatVersion') === 1 &&
    ['atMs', 'failures'].every((name) => typeof ownField(value, name) === 'number') &&
    ['cluster', 'function', 'version'].every((name) => typeof ownField(value, name) === 'string') &&
    Array.isArray(ownField(value, 'problems')) &&
    isRecord(ownField(value, 'gauges'))
  );
}
