import { Duration, Lazy, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { DeliveryPlan } from '../operator/options/options.ts';
import { type AlarmName, KerfAlarm } from './monitoring/alarms.ts';

export interface WakeQueueProps {
  readonly plan: DeliveryPlan;
  /** Those of other queues too. @default - dead letters of its own, with an alarm */
  readonly deadLetters?: DeadLetters;
}

/** A standard queue with dead letters. */
export class WakeQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: DeadLetters;
  readonly #rules: string[] = [];

  constructor(scope: Construct, id: string, { plan, deadLetters }: WakeQueueProps) {
    super(scope, id);
    this.deadLetters = deadLetters ?? new DeadLetters(this, 'DeadLetters', { alarm: 'InterruptionDeadLetters' });
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
      retentionPeriod: Duration.millis(plan.retentionMs),
      visibilityTimeout: Duration.millis(plan.visibilityTimeoutMs),
      deadLetterQueue: { queue: this.deadLetters.queue, maxReceiveCount: plan.deliveries },
    });
  }

  /** Lets a rule send to the queue. A queue without rules has no statement: its list of rules would be empty. */
  admit(ruleArn: string): void {
    if (this.#rules.length === 0) this.#admitEventBridge();
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

export interface DeadLettersProps {
  readonly alarm: AlarmName;
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
    new KerfAlarm(this, 'Alarm', {
      alarm: props.alarm,
      metric: this.queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
    });
  }
}
