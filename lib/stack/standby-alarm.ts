import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { METRICS } from '../operator/options/options.ts';

export interface StandbyAlarmProps {
  /** The name of the table, which is the dimension of the metric. */
  readonly table: string;
}

/** An alarm for another active autoscaler in a cluster of the deployment. Kerf is on standby there. */
export class StandbyAlarm extends Construct {
  constructor(scope: Construct, id: string, { table }: StandbyAlarmProps) {
    super(scope, id);
    new Alarm(this, 'Alarm', {
      alarmDescription:
        'Karpenter, EKS Auto Mode or another deployment of Kerf is active in a cluster: Kerf is on standby there until it is removed. ' +
        'The log line "standby" of its functions has the cluster, which autoscaler it is, and what to do',
      metric: new Metric({
        namespace: METRICS.namespace,
        metricName: METRICS.onStandby,
        dimensionsMap: { Table: table },
        statistic: 'Maximum',
        period: Duration.minutes(1),
      }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
