import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { METRICS } from '../../operator/options/options.ts';
import { type AlarmName, KerfAlarm } from './alarms.ts';

export interface DeploymentAlarmProps {
  readonly alarm: AlarmName;
  readonly metricName: string;
  /** The name of the table, which is the dimension of the metric. */
  readonly table: string;
  /** In how many of five minutes the metric must be written. @default 1 */
  readonly minutes?: number;
}

/** An alarm for what the functions find in any cluster of the deployment. The metric is written only while there is something. */
export class DeploymentAlarm extends Construct {
  constructor(scope: Construct, id: string, { alarm, metricName, table, minutes = 1 }: DeploymentAlarmProps) {
    super(scope, id);
    new KerfAlarm(this, 'Alarm', {
      alarm,
      metric: new Metric({
        namespace: METRICS.namespace,
        metricName,
        dimensionsMap: { Table: table },
        statistic: 'Maximum',
        period: Duration.minutes(1),
      }),
      ...(minutes > 1 && { evaluationPeriods: 5, datapointsToAlarm: minutes }),
    });
  }
}
