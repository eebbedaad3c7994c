import { Alarm, type AlarmProps, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';

/** The alarms of a deployment, with what each means. `docs/runbook.md` has a section for each of them, under its name. */
export const ALARMS = {
  TicksStopped:
    'Kerf has not run in any cluster of a network for ten minutes. Pending pods get no nodes, and nodes are neither registered nor removed.',
  WaitingPods: 'Pods have been pending for more than five minutes, although Kerf has a node for them.',
  Problems:
    'Kerf has found a problem that it cannot solve. The log line "problem" names it, with the cluster and the objects.',
  Standby:
    'Karpenter, EKS Auto Mode or another deployment of Kerf is active in a cluster. Kerf is on standby there until it is removed.',
  WakeDeadLetters: 'A function failed in every delivery of a wake.',
  InterruptionDeadLetters: 'The interruption function failed in every delivery of an event of EC2.',
  WebhookThrottled:
    'Lambda refuses calls of the webhook, because more than ten run at once. Wakes are lost, and the tick of each minute replaces them.',
} as const;

export type AlarmName = keyof typeof ALARMS;

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

/** The text of a notification. */
function alarmText(name: AlarmName): string {
  return `Kerf: ${ALARMS[name]} What to look at and what to do: docs/runbook.md, section ${name}`;
}
