import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface DeadLettersProps {
  /** What fails, for the alarm: `interruption`. */
  readonly of: string;
}

/** Messages that failed in every delivery, with an alarm. Several queues may share them, because an alarm is paid for. */
export class DeadLetters extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, props: DeadLettersProps) {
    super(scope, id);
    // The name Default keeps the logical id that the queue had before it had this construct.
    this.queue = new Queue(this, 'Default', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
      retentionPeriod: Duration.days(14),
    });
    new Alarm(this, 'Alarm', {
      alarmDescription: `Kerf ${props.of} failed in every delivery of a message; see its log and ${this.queue.queueName}`,
      metric: this.queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
