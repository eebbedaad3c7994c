import type { IRuleTarget, RuleTargetConfig } from 'aws-cdk-lib/aws-events';
import { RuleTargetInput } from 'aws-cdk-lib/aws-events';
import type { WakeQueue } from './wake-queue.ts';

/** A rule's queue, which already admits this stack's rules; `message` is sent instead of the event, where it is given. */
export function queueTarget({ queue }: WakeQueue, message?: Readonly<Record<string, string>>): IRuleTarget {
  return {
    bind: (): RuleTargetConfig => ({
      arn: queue.queueArn,
      targetResource: queue,
      ...(message !== undefined && { input: RuleTargetInput.fromObject(message) }),
    }),
  };
}
