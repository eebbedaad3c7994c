import type { Action, CLUSTER_FUNCTIONS, DeletionReason } from '../../operator/options/options.ts';

/** The functions whose log groups a query reads. */
export type LoggingFunction = (typeof CLUSTER_FUNCTIONS)[number] | 'interruption' | 'catalogue';

/** A query of CloudWatch Logs Insights. It is saved with the deployment, which costs nothing until it runs. */
export interface LogQuery {
  readonly title: string;
  readonly functions: readonly LoggingFunction[];
  /** The condition on the lines; those of one cluster are selected beside it. */
  readonly filter: string;
  readonly lines: readonly string[];
  /** The lines show the largest value of a cluster, so each cluster has its own. @default they name clusters, or count them together */
  readonly isGauge?: true;
  /** @default table */
  readonly view?: 'line' | 'bar';
}

const CONTROLLERS = ['provisioning', 'lifecycle', 'disruption', 'termination'] as const;
const EVERY = [...CONTROLLERS, 'interruption'] as const;
const RUN = 'message = "reconciled"';
const NEWEST = ['sort @timestamp desc', 'limit 50'];

/** The counts of a log line: of actions by kind, of deleted NodeClaims by reason. */
interface Counts {
  readonly actionCounts?: readonly Action['kind'][];
  readonly deletions?: readonly DeletionReason[];
}

const EACH_REASON: Readonly<Record<DeletionReason, true>> = {
  spot_interrupted: true,
  capacity_reservation_interrupted: true,
  scheduled_change: true,
  instance_stopped: true,
  instance_terminated: true,
  empty: true,
  underutilized: true,
  drifted: true,
  expired: true,
  overprovisioned: true,
  unhealthy: true,
  node_lost: true,
  garbage_collected: true,
  insufficient_capacity: true,
  launch_timeout: true,
  registration_timeout: true,
  initialization_timeout: true,
  deleted: true,
};
/** Every one, so that the query shows each deletion. */
const DELETION_REASONS = Object.keys(EACH_REASON).filter((name): name is DeletionReason => name in EACH_REASON);

/** A field whose name has other characters than letters stands in backquotes. */
function sumsOf(counts: Counts): string {
  const sums = Object.entries(counts).flatMap(([field, kinds]: readonly [string, readonly string[]]) =>
    kinds.map((kind) => `sum(\`${field}.${kind}\`) as ${kind.replaceAll('-', '_')}`),
  );
  return `stats ${sums.join(', ')} by bin(5m)`;
}

/** What is not paid for as a metric comes from the log lines. `docs/karpenter-metrics.md` names the query for Karpenter's metrics. */
export const QUERIES = {
  decisions: {
    title: 'Latest decisions',
    functions: EVERY,
    filter: `${RUN} and ispresent(decisions.0)`,
    lines: [
      'fields @timestamp, cluster, controller, reason, actions.0.kind as action, actions.0.nodeClaim as nodeClaim',
      'fields actions.0.reason as why, actions.0.pods.0 as pod, actions.0.podCount as pods',
      'fields actions.0.instanceTypes.0 as type, actions.0.usdPerHour as usdPerHour, decisions.0 as decision',
      ...NEWEST,
    ],
  },
  actions: {
    title: 'Actions by kind',
    functions: EVERY,
    filter: `${RUN} and ispresent(decisions.0)`,
    lines: [
      sumsOf({
        actionCounts: [
          'create-node-claim',
          'launch-instance',
          'nominate-node',
          'start-disruption',
          'delete-node-claim',
          'evict-pod',
          'terminate-instance',
        ],
      }),
    ],
    view: 'bar',
  },
  deletions: {
    title: 'Deleted NodeClaims by reason',
    functions: EVERY,
    filter: `${RUN} and ispresent(decisions.0)`,
    lines: [sumsOf({ deletions: DELETION_REASONS })],
    view: 'bar',
  },
  capacity: {
    title: 'Spot interruptions and missing capacity',
    functions: EVERY,
    filter: `${RUN} and ispresent(decisions.0)`,
    lines: [sumsOf({ deletions: ['spot_interrupted'], actionCounts: ['mark-unavailable'] })],
    view: 'bar',
  },
  savings: {
    title: 'Saved by disruption, USD an hour',
    functions: ['disruption'],
    filter: `${RUN} and ispresent(savedUsdPerHour)`,
    lines: ['stats sum(savedUsdPerHour) as usdPerHour by bin(1h)'],
    view: 'bar',
  },
  startTimes: {
    title: 'Launch to initialized node, seconds',
    functions: ['lifecycle'],
    filter: `${RUN} and ispresent(slowestNodeSeconds)`,
    lines: ['stats pct(slowestNodeSeconds, 50) as median, max(slowestNodeSeconds) as slowest by bin(5m)'],
    view: 'line',
  },
  pendingPods: {
    title: 'Pending pods',
    functions: ['provisioning'],
    filter: `${RUN} and ispresent(gauges.PendingPods)`,
    lines: ['stats max(gauges.PendingPods) as pods by bin(1m)'],
    isGauge: true,
    view: 'line',
  },
  pendingAge: {
    title: 'Oldest pending pod, seconds',
    functions: ['provisioning'],
    filter: `${RUN} and ispresent(gauges.OldestPendingSeconds)`,
    lines: ['stats max(gauges.OldestPendingSeconds) as oldest by bin(1m)'],
    isGauge: true,
    view: 'line',
  },
  nodes: {
    title: 'Nodes',
    functions: ['lifecycle'],
    filter: `${RUN} and ispresent(gauges.Nodes)`,
    lines: ['stats max(gauges.Nodes) as nodes by bin(5m)'],
    isGauge: true,
    view: 'line',
  },
  hourlyCost: {
    title: 'Cost, USD an hour',
    functions: ['lifecycle'],
    filter: `${RUN} and ispresent(gauges.HourlyCostUsd)`,
    lines: ['stats max(gauges.HourlyCostUsd) as usdPerHour by bin(5m)'],
    isGauge: true,
    view: 'line',
  },
  refusedPods: {
    title: 'Pods without a node',
    functions: ['provisioning'],
    filter: `${RUN} and @message like /"refusedPods"/`,
    lines: ['parse @message /"refusedPods":(?<refused>\\{[^}]*\\})/', 'fields @timestamp, cluster, refused', ...NEWEST],
  },
  priceGap: {
    title: 'Price of new nodes above the lower bound, percent',
    functions: ['provisioning'],
    filter: `${RUN} and ispresent(gauges.PriceGapPercent)`,
    lines: ['stats max(gauges.PriceGapPercent) as percent by bin(1h)'],
    isGauge: true,
    view: 'line',
  },
  problems: {
    title: 'Problems and standby',
    functions: EVERY,
    filter: 'message in ["problem", "standby"]',
    lines: ['fields @timestamp, cluster, controller, coalesce(problem, reason) as what, why, runbook', ...NEWEST],
  },
  failures: {
    title: 'Failures',
    functions: [...EVERY, 'catalogue'],
    filter: 'level = "ERROR"',
    lines: ['fields @timestamp, cluster, service, message, error.message as why', ...NEWEST],
  },
  durations: {
    title: 'Durations of invocations, ms',
    functions: [...EVERY, 'catalogue'],
    filter: '@type = "REPORT"',
    lines: ['stats pct(@duration, 50) as median, pct(@duration, 99) as p99, max(@maxMemoryUsed / 1e6) as MB by @log'],
  },
} as const satisfies Readonly<Record<string, LogQuery>>;

/** The lines of a query. @param cluster the name of the cluster. @default all clusters */
export function queryLines({ filter, lines, isGauge }: LogQuery, cluster?: string): string[] {
  // The lines of Lambda itself have no cluster.
  const ofCluster = cluster === undefined || filter.startsWith('@type') ? '' : ` and cluster = "${cluster}"`;
  const each = cluster === undefined && isGauge === true;
  return [`filter ${filter}${ofCluster}`, ...lines.map((line) => (each ? `${line}, cluster` : line))];
}
