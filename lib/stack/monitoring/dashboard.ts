import { Duration } from 'aws-cdk-lib';
import {
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryWidget,
  MathExpression,
  Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { CLUSTER_FUNCTIONS, METRICS } from '../../operator/options/options.ts';
import type { WakeFunction } from '../wake-function.ts';

export interface DashboardProps {
  readonly clusters: readonly string[];
  readonly functions: Readonly<Record<string, WakeFunction>>;
}

/** A dashboard of Kerf's metrics and log lines: one row for each cluster, then the dead-letter queues. */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { clusters, functions }: DashboardProps) {
    super(scope, id);
    const queues = new Map(
      Object.entries(functions).map(([name, { wakeQueue }]) => [wakeQueue.deadLetters.queue, name]),
    );
    const deadLetters = [...queues].map(([queue, name]) =>
      queue.metricApproximateNumberOfMessagesVisible({
        // Wakes share their dead letters.
        label: name.endsWith('interruption') ? name : 'wakes',
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
    );
    const logs = Object.entries(functions).flatMap(([name, { logGroup }]) =>
      CLUSTER_FUNCTIONS.some((one) => name.endsWith(one)) ? [logGroup.logGroupName] : [],
    );
    new CloudWatchDashboard(this, 'Dashboard', {
      widgets: [
        ...clusters.map((cluster) => clusterRow(cluster, logs)),
        [new GraphWidget({ title: 'Dead letters', left: deadLetters, width: 24 })],
      ],
    });
  }
}

function clusterRow(cluster: string, logGroupNames: string[]): IWidget[] {
  return [
    widget(`${cluster}: pending pods`, metric(METRICS.pendingPods, cluster, 'Maximum')),
    widget(`${cluster}: nodes`, metric(METRICS.nodes, cluster, 'Maximum')),
    // Written only when it changes.
    widget(`${cluster}: cost, USD an hour`, lastOf(metric(METRICS.hourlyCostUsd, cluster, 'Maximum'))),
    widget(`${cluster}: failures`, metric(METRICS.failures, cluster, 'Sum')),
    new LogQueryWidget({
      title: `${cluster}: actions`,
      logGroupNames,
      // A decision has many actions of a kind, so the first shows what was decided.
      queryLines: [
        'fields @timestamp, controller, reason, actions.0, actions.1, actions.2',
        `filter message = "reconciled" and cluster = "${cluster}" and ispresent(actions.0)`,
        'sort @timestamp desc',
        'limit 50',
      ],
      width: 8,
    }),
  ];
}

/** The last value, where none was written. */
function lastOf(written: Metric): MathExpression {
  return new MathExpression({
    expression: 'FILL(written, REPEAT)',
    usingMetrics: { written },
    label: written.metricName,
    period: Duration.minutes(1),
  });
}

function metric(metricName: string, cluster: string, statistic: string): Metric {
  return new Metric({
    namespace: METRICS.namespace,
    metricName,
    dimensionsMap: { Cluster: cluster },
    statistic,
    period: Duration.minutes(1),
  });
}

function widget(title: string, left: IMetric): GraphWidget {
  return new GraphWidget({ title, left: [left], width: 4, leftYAxis: { min: 0 } });
}
