import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { alarmTopic, configuredClusters, webhookSecretRotation } from './configuration.ts';
import { checkContextKeys } from './context-keys.ts';
import { KerfStack } from './kerf-stack.ts';

/**
 * The stack as its context configures it, checked by cdk-nag when it is synthesized.
 * *Errors:* OptionError for a configuration that cannot be used.
 */
export function kerfApp(props?: AppProps): App {
  const app = new App(props);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  checkContextKeys(app.node.getAllContext());
  const contextOf = (key: string): unknown => app.node.tryGetContext(key);
  const rotation = webhookSecretRotation(contextOf);
  const alarmTopicArn = alarmTopic(contextOf);
  new KerfStack(app, 'Kerf', {
    clusters: configuredClusters(contextOf),
    ...(rotation !== undefined && { webhookSecretRotation: rotation }),
    ...(alarmTopicArn !== undefined && { alarmTopicArn }),
  });
  return app;
}
