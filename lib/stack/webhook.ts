import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { VARIABLES } from '../operator/options/options.ts';
import { LambdaFunction, type LambdaFunctionProps } from './lambda-function.ts';
import { KerfAlarm } from './monitoring/alarms.ts';

/** Characters that a URL path would not carry unchanged. Excluded twice, because ministack supports only the list. */
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

export interface WebhookProps extends Pick<LambdaFunctionProps, 'environment'> {
  /** A text that differs from the last deployment creates a new secret. @default - the secret is kept */
  readonly secretRotation?: string;
}

/**
 * The endpoint that API servers call: a public Function URL, because an API server does not sign requests. The secret is in
 * the path, because the URL of an admission webhook allows no query or user.
 */
export class Webhook extends LambdaFunction {
  /** Ends with a slash, to be followed by `CLUSTER/SECRET`. */
  readonly url: string;
  /** A new secret has a new ARN, so resources that use it are updated after a rotation. */
  readonly secretArn: string;
  readonly #secret: string;

  constructor(scope: Construct, id: string, props: WebhookProps) {
    super(scope, id, {
      name: 'webhook',
      environment: props.environment,
      timeout: Duration.seconds(5),
      memoryMib: 512,
      // Limits the cost of a flood of calls. Lambda rejects further calls, and the API server ignores the failure.
      reservedConcurrency: 10,
    });
    const rotation = props.secretRotation === undefined ? '' : `-${props.secretRotation}`;
    // A new construct for each rotation, because CloudFormation resolves a reference again only if its text changes.
    const secret = new Secret(this, `Secret${rotation}`, {
      description: 'The last part of the path that API servers call Kerf by',
      generateSecretString: { passwordLength: 40, excludePunctuation: true, excludeCharacters: PUNCTUATION },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions::AwsSolutions-SMG4',
      reason: 'The secret is part of the webhook configuration of every cluster, so only a deployment can rotate it',
    });
    // CloudFormation resolves the reference in the template, so the function starts without a call to Secrets Manager.
    this.#secret = secret.secretValue.unsafeUnwrap();
    this.function.addEnvironment(VARIABLES.webhookSecret, this.#secret);
    this.url = this.function.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }).url;
    this.secretArn = secret.secretArn;
    this.#alarmOnFloods();
  }

  /** Refused calls are lost wakes, which the tick replaces. A burst of pods may also cause some, so a single minute does not raise the alarm. */
  #alarmOnFloods(): void {
    new KerfAlarm(this, 'WebhookThrottled', {
      alarm: 'WebhookThrottled',
      metric: this.function.metricThrottles({ period: Duration.minutes(1), statistic: 'Sum' }),
      evaluationPeriods: 5,
      datapointsToAlarm: 3,
    });
  }

  /** Passes the URL and the secret to a function that writes webhook configurations. */
  introduceTo({ function: configurator }: LambdaFunction): void {
    configurator.addEnvironment(VARIABLES.webhookUrl, this.url);
    configurator.addEnvironment(VARIABLES.webhookSecret, this.#secret);
  }
}
