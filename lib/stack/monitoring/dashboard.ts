import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  Dashboard as CloudWatchDashboard,
  DashboardVariable,
  DefaultValue,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  Metric,
  TextWidget,
  Values,
  VariableInputType,
  VariableType,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { METRICS } from '../../operator/options/options.ts';
import type { LambdaFunction } from '../lambda-function.ts';
import { WakeFunction } from '../wake-function.ts';
import { type LogQuery, QUERIES, queryLines } from './queries.ts';
import type { Widgets } from './widgets.ts';

export interface DashboardProps {
  readonly clusters: readonly string[];
  /** By name: `lifecycle`, and `NETWORK lifecycle` for those of a network. */
  readonly functions: Readonly<Record<string, LambdaFunction>>;
  readonly webhooks: readonly IFunction[];
  readonly custom: Widgets;
}

/** Stands for the chosen cluster. CloudWatch replaces it everywhere in the body, so it is part of no other name. */
const CLUSTER = 'KERF_CLUSTER';
/** CloudWatch accepts no more for a query. */
const MAX_LOG_GROUPS = 50;

/**
 * The dashboard of the deployment: the alarms, one cluster that is chosen by a variable, and the functions. A dashboard costs
 * 3 USD a month if it has more than 50 metrics, so the number of clusters does not change the number of metrics. Queries of logs
 * are no metrics.
 */
export class Dashboard extends Construct {
  readonly #webhooks: readonly IFunction[];
  readonly #functions: readonly (readonly [name: string, LambdaFunction])[];

  constructor(scope: Construct, id: string, { clusters, functions, webhooks, custom }: DashboardProps) {
    super(scope, id);
    this.#webhooks = webhooks;
    // Networks share the catalogue function.
    this.#functions = [...new Map(Object.entries(functions).map(([name, one]) => [one, name]))].map(([one, name]) => [
      name,
      one,
    ]);
    const [first = ''] = clusters;
    new CloudWatchDashboard(this, 'Dashboard', {
      defaultInterval: Duration.hours(12),
      variables: [
        new DashboardVariable({
          id: 'cluster',
          label: 'Cluster',
          type: VariableType.PATTERN,
          inputType: VariableInputType.SELECT,
          value: CLUSTER,
          values: Values.fromValues(...clusters.map((value) => ({ label: value, value }))),
          defaultValue: DefaultValue.value(first),
        }),
      ],
      widgets: [this.#alarms(), ...custom.rows(CLUSTER), ...this.#cluster(), ...this.#deployment()],
    });
    this.#save();
  }

  #alarms(): IWidget[] {
    const alarms = Stack.of(this)
      .node.findAll()
      .filter((one) => one instanceof Alarm);
    return [
      new AlarmStatusWidget({ title: 'Alarms', alarms, width: 18, height: 4 }),
      new TextWidget({
        markdown: `**Cluster ${CLUSTER}** in the widgets below, without the last row.\n\nThe text of each alarm names its section of docs/runbook.md.`,
        width: 6,
        height: 4,
      }),
    ];
  }

  #cluster(): IWidget[][] {
    return [
      [
        this.#log(QUERIES.pendingPods),
        this.#log(QUERIES.pendingAge),
        this.#log(QUERIES.nodes),
        this.#log(QUERIES.hourlyCost),
      ],
      [
        graph('Failures', [ofCluster(METRICS.failures, 'Sum')]),
        this.#log(QUERIES.actions),
        this.#log(QUERIES.deletions),
        this.#log(QUERIES.capacity),
      ],
      [this.#log(QUERIES.startTimes, 12), this.#log(QUERIES.savings, 12)],
      [this.#log(QUERIES.decisions, 24)],
      [this.#log(QUERIES.problems, 12), this.#log(QUERIES.refusedPods, 12)],
    ];
  }

  /** Of all clusters. */
  #deployment(): IWidget[][] {
    const queued = this.#functions.flatMap(([name, one]) =>
      one instanceof WakeFunction ? [[name, one.wakeQueue] as const] : [],
    );
    const lettersOf = new Map(queued.map(([name, wakeQueue]) => [wakeQueue.deadLetters.queue, name]));
    const deadLetters = [...lettersOf].map(([queue, name]) =>
      queue.metricApproximateNumberOfMessagesVisible({
        // Wakes share their dead letters.
        label: name.endsWith('interruption') ? name : 'wakes',
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
    );
    const period = Duration.minutes(5);
    const ages = queued.map(([label, { queue }]) =>
      queue.metricApproximateAgeOfOldestMessage({ label, period, statistic: 'Maximum' }),
    );
    const all = [
      ...this.#functions.map(([label, one]) => ({ label, function: one.function })),
      ...this.#webhooks.map((webhook) => ({ label: 'webhook', function: webhook })),
    ];
    const sums = { period, statistic: 'Sum' } as const;
    const errors = all.map(({ label, function: one }) => one.metricErrors({ ...sums, label }));
    const throttles = all.map(({ label, function: one }) => one.metricThrottles({ ...sums, label }));
    return [
      [
        graph('Oldest message of each queue, seconds', ages),
        graph('Dead letters', deadLetters),
        graph('Errors of functions', errors),
        graph('Throttles of functions', throttles),
      ],
    ];
  }

  /** @param width @default 6, a quarter of the row */
  #log(query: LogQuery, width = 6): LogQueryWidget {
    const view = { line: LogQueryVisualizationType.LINE, bar: LogQueryVisualizationType.BAR, table: undefined };
    return new LogQueryWidget({
      title: query.title,
      logGroupNames: this.#logGroupsOf(query),
      queryLines: queryLines(query, CLUSTER),
      view: view[query.view ?? 'table'] ?? LogQueryVisualizationType.TABLE,
      width,
    });
  }

  /** The queries as saved queries of Logs Insights, over all clusters. */
  #save(): void {
    for (const [id, query] of Object.entries(QUERIES))
      new CfnQueryDefinition(this, `Query-${id}`, {
        name: `${Stack.of(this).stackName}/${query.title}`,
        queryString: queryLines(query).join('\n| '),
        logGroupNames: this.#logGroupsOf(query),
      });
  }

  #logGroupsOf({ functions }: LogQuery): string[] {
    const named = this.#functions.filter(([name]) => functions.some((one) => name.endsWith(one)));
    return named.map(([, { logGroup }]) => logGroup.logGroupName).slice(0, MAX_LOG_GROUPS);
  }
}

function ofCluster(metricName: string, statistic: string): Metric {
  return new Metric({
    namespace: METRICS.namespace,
    metricName,
    dimensionsMap: { Cluster: CLUSTER },
    statistic,
    period: Duration.minutes(1),
  });
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 6, leftYAxis: { min: 0 } });
}
