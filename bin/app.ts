import process from 'node:process';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { OptionError } from '../lib/operator/option-values.ts';
import { configuredClusters } from '../lib/stack/configuration.ts';
import { KerfStack } from '../lib/stack/kerf-stack.ts';

try {
  const app = new App();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  new KerfStack(app, 'Kerf', { clusters: configuredClusters((key): unknown => app.node.tryGetContext(key)) });
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
