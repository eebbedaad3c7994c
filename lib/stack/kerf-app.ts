import { App, type AppProps, CfnResource, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { deploySummary, type MeasuredCosts } from '../operator/options/deploy-summary.ts';
import { alarmTopic, configuredClusters, webhookSecretRotation } from './configuration.ts';
import { checkContextKeys } from './context-keys.ts';
import { KerfStack } from './kerf-stack.ts';

export interface KerfApp {
  readonly app: App;
  /** Synthesizes the stack. *Shape:* what a deploy makes, in ten lines. */
  readonly summarize: (measured: MeasuredCosts) => readonly string[];
}

/**
 * The stack as its context configures it, checked by cdk-nag when it is synthesized.
 * *Errors:* OptionError for a configuration that cannot be used.
 */
export function kerfApp(props?: AppProps): KerfApp {
  const app = new App(props);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  checkContextKeys(app.node.getAllContext());
  const contextOf = (key: string): unknown => app.node.tryGetContext(key);
  const rotation = webhookSecretRotation(contextOf);
  const alarmTopicArn = alarmTopic(contextOf);
  const clusters = configuredClusters(contextOf);
  const stack = new KerfStack(app, 'Kerf', {
    clusters,
    ...(rotation !== undefined && { webhookSecretRotation: rotation }),
    ...(alarmTopicArn !== undefined && { alarmTopicArn }),
  });
  return {
    app,
    summarize(measured) {
      app.synth();
      const resources = stack.node.findAll().filter((one) => CfnResource.isCfnResource(one));
      const resourceTypes = resources.map(({ cfnResourceType }) => cfnResourceType);
      return deploySummary({ clusters, resourceTypes, measured, alarmTopicArn });
    },
  };
}
