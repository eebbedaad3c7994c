import { Duration } from 'aws-cdk-lib';
import {
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { CLUSTER_FUNCTIONS, METRICS } from '../operator/options/options.ts';
import type { WakeFunction } from './wake-function.ts';

export interface DashboardProps {
  readonly clusters: readonly string[];
  readonly functions: Readonly<Record<string, WakeFunction>>;
}

/** A dashboard of Kerf's metrics: one row for each cluster, then the dead-letter queues. */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, props: DashboardProps) {
    super(scope, id);
    const deadLetters = Object.entries(props.functions).map(([label, { wakeQueue }]) =>
      wakeQueue.deadLetters.metricApproximateNumberOfMessagesVisible({
        label,
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
    );
    new CloudWatchDashboard(this, 'Dashboard', {
      widgets: [
        ...props.clusters.map((cluster) => clusterRow(cluster)),
        [new GraphWidget({ title: 'Dead letters', left: deadLetters, width: 24 })],
      ],
    });
  }
}

function clusterRow(cluster: string): GraphWidget[] {
  const gauge = (metricName: string): Metric => metric(metricName, { Cluster: cluster }, 'Maximum');
  const byController = (metricName: string): Metric[] =>
    CLUSTER_FUNCTIONS.map((Controller) =>
      metric(metricName, { Cluster: cluster, Controller }, 'Sum').with({ label: Controller }),
    );
  return [
    widget(`${cluster}: decisions`, byController(METRICS.decisions)),
    widget(`${cluster}: actions`, [actionsOf(cluster)]),
    widget(`${cluster}: pending pods`, [gauge(METRICS.pendingPods)]),
    widget(`${cluster}: nodes`, [gauge(METRICS.nodes)]),
    widget(`${cluster}: cost, USD an hour`, [gauge(METRICS.hourlyCostUsd)]),
    widget(`${cluster}: failures`, byController(METRICS.failures)),
  ];
}

/** A search expression, so new kinds of actions are included. */
function actionsOf(cluster: string): MathExpression {
  const search = `{${METRICS.namespace},Cluster,Action} MetricName="${METRICS.actions}" Cluster="${cluster}"`;
  return new MathExpression({
    expression: `SEARCH('${search}', 'Sum', 60)`,
    usingMetrics: {},
    label: '',
    period: Duration.minutes(1),
  });
}

function metric(metricName: string, dimensionsMap: Record<string, string>, statistic: string): Metric {
  return new Metric({
    namespace: METRICS.namespace,
    metricName,
    dimensionsMap,
    statistic,
    period: Duration.minutes(1),
  });
}

function widget(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 4, leftYAxis: { min: 0 } });
}
