import type { IRuleTarget, RuleTargetConfig } from 'aws-cdk-lib/aws-events';
import { RuleTargetInput } from 'aws-cdk-lib/aws-events';
import type { WakeQueue } from './wake-queue.ts';

/** A queue as the target of a rule. Its policy already allows the rules of this stack. `message` replaces the event, if set. */
export function queueTarget({ queue }: WakeQueue, message?: Readonly<Record<string, string>>): IRuleTarget {
  return {
    bind: (): RuleTargetConfig => ({
      arn: queue.queueArn,
      targetResource: queue,
      ...(message !== undefined && { input: RuleTargetInput.fromObject(message) }),
    }),
  };
}
