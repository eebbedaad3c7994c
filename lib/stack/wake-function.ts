import { Duration, Fn } from 'aws-cdk-lib';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { type DeliveryPlan, VARIABLES, WAKE_PLAN } from '../operator/options/options.ts';
import { LambdaFunction, type LambdaFunctionProps, type Woken } from './lambda-function.ts';
import type { DeadLetters } from './wake-queue.ts';
import { WakeQueue } from './wake-queue.ts';

export interface WakeFunctionProps extends Pick<LambdaFunctionProps, 'name' | 'environment' | 'folder' | 'network'> {
  /** @default WAKE_PLAN */
  readonly plan?: DeliveryPlan;
  /** @default 512 */
  readonly memoryMib?: number;
  /** How long SQS collects messages before it calls. @default Duration.seconds(1) */
  readonly batchingWindow?: Duration;
  /** Those of other functions too. @default - dead letters of its own, with an alarm */
  readonly deadLetters?: DeadLetters;
}

/** A function and the queue that wakes it. */
export class WakeFunction extends LambdaFunction implements Woken {
  readonly wakeQueue: WakeQueue;

  constructor(scope: Construct, id: string, props: WakeFunctionProps) {
    const plan = props.plan ?? WAKE_PLAN;
    const timeout = Duration.millis(plan.functionTimeoutMs);
    super(scope, id, { ...props, timeout, memoryMib: props.memoryMib ?? 512 });
    this.wakeQueue = new WakeQueue(this, 'Wakes', {
      plan,
      ...(props.deadLetters !== undefined && { deadLetters: props.deadLetters }),
    });
    this.function.addEnvironment(VARIABLES.ownQueue, this.wakeQueue.queue.queueUrl);
    // No maximum concurrency: see CONCURRENT_BATCHES.
    this.function.addEventSource(
      new SqsEventSource(this.wakeQueue.queue, {
        // Many messages become one invocation. The window is Karpenter's idle batch window.
        maxBatchingWindow: props.batchingWindow ?? Duration.seconds(1),
        batchSize: plan.batchSize,
        reportBatchItemFailures: true,
      }),
    );
    this.#removeMaximumConcurrency();
  }

  /**
   * Lambda keeps a call that it throttles for six hours. A tick is replaced in a minute, so old ones would only delay new ones and cost
   * runs after the throttling. The time is enough for both repetitions of a call that Lambda stops after a minute: they follow after one
   * minute and after two more.
   * *Source:* "How Lambda handles errors and retries with asynchronous invocation", AWS Lambda Developer Guide.
   */
  dropOldTicks(): void {
    this.function.configureAsyncInvoke({ maxEventAge: Duration.minutes(6) });
  }

  /** An earlier version set a maximum concurrency, which CloudFormation keeps unless it gets an empty value. */
  #removeMaximumConcurrency(): void {
    for (const one of this.function.node.findAll()) {
      if (one instanceof CfnEventSourceMapping)
        one.addPropertyOverride('ScalingConfig', { MaximumConcurrency: Fn.ref('AWS::NoValue') });
    }
  }
}
