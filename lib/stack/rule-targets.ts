import type { IRuleTarget, RuleTargetConfig } from 'aws-cdk-lib/aws-events';
import { RuleTargetInput } from 'aws-cdk-lib/aws-events';
import type { LambdaFunction } from './lambda-function.ts';
import type { WakeQueue } from './wake-queue.ts';

/** A queue as the target of a rule, which its policy then admits. */
export function queueTarget(wakeQueue: WakeQueue): IRuleTarget {
  return {
    bind: ({ ruleRef: { ruleArn } }): RuleTargetConfig => {
      wakeQueue.admit(ruleArn);
      return {
        arn: wakeQueue.queue.queueArn,
        targetResource: wakeQueue.queue,
      };
    },
  };
}

/**
 * A function as the target of a rule, which `admitRules` admits. CDK's target adds a permission for each rule, and with many clusters
 * the policy of the function, and the stack, would become too large.
 */
export function functionTarget(
  { function: target }: LambdaFunction,
  message: Readonly<Record<string, string>>,
): IRuleTarget {
  return {
    bind: (): RuleTargetConfig => ({
      arn: target.functionArn,
      targetResource: target,
      input: RuleTargetInput.fromObject(message),
    }),
  };
}
