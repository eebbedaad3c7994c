import type { IRuleTarget, RuleTargetConfig } from 'aws-cdk-lib/aws-events';
import { RuleTargetInput } from 'aws-cdk-lib/aws-events';
import type { WakeQueue } from './wake-queue.ts';

/** A queue as the target of a rule, which its policy then admits. `message` replaces the event, if set. */
export function queueTarget(wakeQueue: WakeQueue, message?: Readonly<Record<string, string>>): IRuleTarget {
  return {
    bind: ({ ruleRef: { ruleArn } }): RuleTargetConfig => {
      wakeQueue.admit(ruleArn);
      return {
        arn: wakeQueue.queue.queueArn,
        targetResource: wakeQueue.queue,
        ...(message !== undefined && { input: RuleTargetInput.fromObject(message) }),
      };
    },
  };
}
