import process from 'node:process';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { OptionError } from '../lib/operator/option-values.ts';
import { configuredClusters, webhookSecretRotation } from '../lib/stack/configuration.ts';
import { KerfStack } from '../lib/stack/kerf-stack.ts';

try {
  const app = new App();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const contextOf = (key: string): unknown => app.node.tryGetContext(key);
  const rotation = webhookSecretRotation(contextOf);
  new KerfStack(app, 'Kerf', {
    clusters: configuredClusters(contextOf),
    ...(rotation !== undefined && { webhookSecretRotation: rotation }),
  });
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
