import { SECOND_MS } from '../../apis/formats/time.ts';
import { optional } from '../../apis/optional.ts';
import type { RunReport } from '../../controllers/run/ports.ts';
import { countsOf } from '../../core/counts-of.ts';
import { loggedAction } from '../../core/explain/logged-action.ts';
import type { Action, Decision } from '../../core/model/decision.ts';
import { nameWithNamespace } from '../../core/model/subject.ts';
import { toMicros } from '../../core/usd-per-hour.ts';

/** A decision may have hundreds of actions. */
const MAX_ACTIONS = 10;
const MAX_IDS = 10;
const MAX_PODS = 3;

/**
 * The fields of the log line of a run: what was done for which pods, with which types and prices, and what was refused, by reason.
 * `decisions` has the names of the decisions, which the NodeClaims and the Events of a decision have too. *Shape:* empty fields are
 * left out, because most runs do nothing and log bytes are paid for.
 */
export function runLine({ decisions, due, gauges, progress, instances }: RunReport): Readonly<Record<string, unknown>> {
  const acting = decisions.filter(({ actions }) => actions.length > 0);
  const actions = acting.flatMap((decision) => decision.actions);
  const [price] = acting.flatMap((decision) => decision.price ?? []);
  return {
    ...(acting.length > 0 && {
      decisions: acting.slice(0, MAX_IDS).map(({ id }) => id),
      actions: actions.slice(0, MAX_ACTIONS).map(loggedAction),
      actionCounts: countsOf(actions.map(({ kind }) => kind)),
      deletions: countsOf(actions.flatMap((one) => (one.kind === 'delete-node-claim' ? [one.reason] : []))),
      ...price,
      ...optional({
        savedUsdPerHour: savedBy(actions),
        slowestNodeSeconds: slowestOf(acting, instances),
      }),
    }),
    ...refusalsOf(decisions),
    due: due.length,
    ...optional({ progress }),
    gauges,
  };
}

/** What the executed disruptions save, in USD per hour. *Shape:* undefined if there are none. */
function savedBy(actions: readonly Action[]): number | undefined {
  const saved = actions.flatMap((one) => (one.kind === 'end-disruption' ? (one.savingUsdPerHour ?? []) : []));
  return saved.length === 0 ? undefined : toMicros(saved.reduce((sum, one) => sum + one, 0));
}

/** The longest time from the launch of an instance to its initialized node. *Shape:* undefined if no node was initialized. */
function slowestOf(decisions: readonly Decision[], instances: RunReport['instances']): number | undefined {
  const seconds = decisions.flatMap(({ actions, atMs }) =>
    actions.flatMap((one) => {
      const sinceMs = one.kind === 'initialize-node' ? instances?.get(one.nodeClaim)?.sinceMs : undefined;
      return sinceMs === undefined ? [] : [Math.round((atMs - sinceMs) / SECOND_MS)];
    }),
  );
  return seconds.length === 0 ? undefined : Math.max(...seconds);
}

/** The number of refusals for each reason, and the first pods that they are about. */
function refusalsOf(decisions: readonly Decision[]): Readonly<Record<string, unknown>> {
  const blocked = decisions.flatMap((decision) => decision.blocked);
  const ofPods = blocked.flatMap(({ subject, reason }) =>
    subject.kind === 'Pod' ? [{ reason, pod: nameWithNamespace(subject) }] : [],
  );
  const refusedPods = [...Map.groupBy(ofPods, ({ reason }) => reason)].map(
    ([reason, all]) => [reason, [...new Set(all.map(({ pod }) => pod))].slice(0, MAX_PODS)] as const,
  );
  return {
    refusals: countsOf(blocked.map(({ reason }) => reason)),
    ...(refusedPods.length > 0 && { refusedPods: Object.fromEntries(refusedPods) }),
  };
}
