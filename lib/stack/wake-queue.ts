import { Duration, Lazy, RemovalPolicy } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { DeliveryPlan } from '../operator/options/options.ts';

export interface WakeQueueProps {
  /** The function that reads the queue. */
  readonly functionName: string;
  readonly plan: DeliveryPlan;
}

/** A standard queue with a dead-letter queue and an alarm on it. */
export class WakeQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly #rules: string[] = [];

  constructor(scope: Construct, id: string, { functionName, plan }: WakeQueueProps) {
    super(scope, id);
    const secure = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, removalPolicy: RemovalPolicy.DESTROY };
    this.deadLetters = new Queue(this, 'DeadLetters', { ...secure, retentionPeriod: Duration.days(14) });
    this.queue = new Queue(this, 'Queue', {
      ...secure,
      retentionPeriod: Duration.millis(plan.retentionMs),
      visibilityTimeout: Duration.millis(plan.visibilityTimeoutMs),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: plan.deliveries },
    });
    this.#admitEventBridge();
    new Alarm(this, 'DeadLettersAlarm', {
      alarmDescription: `Kerf ${functionName} failed ${plan.deliveries} times on a message; see its log and ${this.deadLetters.queueName}`,
      metric: this.deadLetters.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** Lets a rule send to the queue. */
  admit(ruleArn: string): void {
    this.#rules.push(ruleArn);
  }

  /**
   * One statement for all rules of the stack, by their exact ARNs: a rule of another stack could forge an interruption. CDK's
   * target adds one statement per rule, and a queue policy is limited to 20.
   */
  #admitEventBridge(): void {
    this.queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [this.queue.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': Lazy.list({ produce: () => this.#rules }) } },
      }),
    );
  }
}
