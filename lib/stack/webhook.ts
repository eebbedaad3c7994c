import { Duration } from 'aws-cdk-lib';
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { VARIABLES } from '../operator/options/options.ts';
import { LambdaFunction, type LambdaFunctionProps } from './lambda-function.ts';
import { KerfAlarm } from './monitoring/alarms.ts';
import { type SecretSource, WebhookSecret } from './webhook-secret.ts';

export interface WebhookProps extends Pick<LambdaFunctionProps, 'environment'> {
  readonly secrets: SecretSource;
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
  /** A new secret has a new name, so resources that use it are updated after a rotation. */
  readonly secretName: string;
  readonly #secret: string;

  constructor(scope: Construct, id: string, props: WebhookProps) {
    super(scope, id, {
      name: 'webhook',
      environment: props.environment,
      timeout: Duration.seconds(5),
      memoryMib: 512,
      logsOnlyFailures: true,
      // Limits the cost of a flood of calls. Lambda rejects further calls, and the API server ignores the failure.
      reservedConcurrency: 10,
    });
    const rotation = props.secretRotation === undefined ? '' : `-${props.secretRotation}`;
    // A new resource for each rotation, because CloudFormation keeps the attribute of a resource.
    const secret = new WebhookSecret(this, `RandomSecret${rotation}`, { source: props.secrets });
    this.#secret = secret.value;
    this.function.addEnvironment(VARIABLES.webhookSecret, this.#secret);
    this.url = this.function.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }).url;
    this.secretName = secret.name;
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
