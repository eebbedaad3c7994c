import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface WakeQueueProps {
  /** The function that reads the queue. */
  readonly functionName: string;
  readonly functionTimeout: Duration;
  /** @default Duration.days(1): an older message is obsolete after more than a thousand ticks */
  readonly retention?: Duration;
}

/** A standard queue with a dead-letter queue and an alarm on it. */
export class WakeQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: WakeQueueProps) {
    super(scope, id);
    const secure = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, removalPolicy: RemovalPolicy.DESTROY };
    this.deadLetters = new Queue(this, 'DeadLetters', { ...secure, retentionPeriod: Duration.days(14) });
    this.queue = new Queue(this, 'Queue', {
      ...secure,
      retentionPeriod: props.retention ?? Duration.days(1),
      visibilityTimeout: props.functionTimeout.plus(Duration.seconds(5)),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 3 },
    });
    this.#admitEventBridge();
    new Alarm(this, 'DeadLettersAlarm', {
      alarmDescription: `Kerf ${props.functionName} failed three times on a message; see its log and ${this.deadLetters.queueName}`,
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** One statement for all rules of this stack. CDK's target adds one per rule, and a queue policy is limited to 20. */
  #admitEventBridge(): void {
    const { partition, region, account, stackName } = Stack.of(this);
    this.queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [this.queue.queueArn],
        conditions: {
          ArnLike: { 'aws:SourceArn': `arn:${partition}:events:${region}:${account}:rule/${stackName}-*` },
        },
      }),
    );
  }
}
