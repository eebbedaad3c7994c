import { CustomResource, Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { SECRET_ATTRIBUTE } from '../operator/options/options.ts';
import { LambdaFunction } from './lambda-function.ts';

/** The function behind the secrets of all webhooks of the deployment. It may do nothing but write its log. */
export class SecretSource extends LambdaFunction {
  constructor(scope: Construct, id: string) {
    super(scope, id, { name: 'webhook-secret', environment: {}, timeout: Duration.seconds(30), memoryMib: 128 });
  }
}

/** A random text that exists as long as this construct does. */
export class WebhookSecret extends Construct {
  /** A reference, which CloudFormation resolves. */
  readonly value: string;
  /** Differs for another secret, and reveals nothing of it. */
  readonly name: string;

  constructor(scope: Construct, id: string, { source }: { readonly source: SecretSource }) {
    super(scope, id);
    const resource = new CustomResource(this, 'Resource', {
      serviceToken: source.function.functionArn,
      serviceTimeout: Duration.minutes(5),
      resourceType: 'Custom::KerfWebhookSecret',
    });
    resource.node.addDependency(source.role);
    this.value = resource.getAttString(SECRET_ATTRIBUTE);
    this.name = resource.ref;
  }
}
