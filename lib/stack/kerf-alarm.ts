import { Alarm, type AlarmProps, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type AlarmName, alarmText } from './alarms.ts';

export type KerfAlarmProps = Pick<AlarmProps, 'metric'> &
  Partial<AlarmProps> & {
    /** Its section in the runbook. */
    readonly alarm: AlarmName;
  };

/** An alarm whose text names its section in the runbook. By default, it is raised by one value of at least 1. */
export class KerfAlarm extends Alarm {
  constructor(scope: Construct, id: string, { alarm, ...props }: KerfAlarmProps) {
    super(scope, id, {
      alarmDescription: alarmText(alarm),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...props,
    });
  }
}
