import { CLUSTER_SETTINGS } from '../operator/options/cluster-options.ts';
import { OptionError, suggestOption } from '../operator/options/option-values.ts';

/** The settings of a deployment. */
const DEPLOYMENT_SETTINGS = ['cluster', 'clusters', 'rotateWebhookSecret', 'alarmTopicArn'] as const;

/**
 * Keys of CDK itself: its flags, its settings, and the results of its lookups, such as `@aws-cdk/aws-iam:minimizePolicies`,
 * `aws:cdk:bundling-stacks` and `availability-zones:account=…`.
 */
const OF_CDK = /^(?:@|aws:|aws-cdk:)|:account=|^(?:acknowledged-issue-numbers|cli-telemetry)$/;

/**
 * Refuses a key of the CDK context that nothing reads: without this check, a setting with a typing error is ignored.
 * *Errors:* OptionError.
 */
export function checkContextKeys(context: unknown): void {
  const known: readonly string[] = [...DEPLOYMENT_SETTINGS, ...CLUSTER_SETTINGS];
  const keys = typeof context === 'object' && context !== null ? Object.keys(context) : [];
  const unknown = keys.find((key) => !known.includes(key) && !OF_CDK.test(key));
  if (unknown === undefined) return;
  const meant = suggestOption(unknown, known);
  throw new OptionError(
    `the context key ${unknown} is not a setting${meant}: the settings of a deployment are ${DEPLOYMENT_SETTINGS.join(', ')}, ` +
      `and those of a single cluster ${CLUSTER_SETTINGS.join(', ')}`,
  );
}
