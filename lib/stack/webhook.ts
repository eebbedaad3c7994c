import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { VARIABLES } from '../operator/options.ts';
import { LambdaFunction, type LambdaFunctionProps } from './lambda-function.ts';

/** A path must carry it as it is. Said twice: ministack knows only the list. */
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

export interface WebhookProps extends Pick<LambdaFunctionProps, 'environment'> {
  /** Another text than at the last deploy makes another secret. @default - the first one stays */
  readonly secretRotation?: string;
}

/**
 * What the API servers call: a Function URL that is open to the world, since an API server signs nothing; the secret is in
 * the path, for an admission webhook's URL has no other place for one.
 */
export class Webhook extends LambdaFunction {
  /** Ends in a slash; `CLUSTER/SECRET` goes behind it. */
  readonly url: string;
  /** Of another secret, it is another one: what is deployed with it follows a rotation. */
  readonly secretArn: string;
  readonly #secret: string;

  constructor(scope: Construct, id: string, props: WebhookProps) {
    super(scope, id, {
      name: 'webhook',
      environment: props.environment,
      timeout: Duration.seconds(5),
      memoryMib: 512,
      // What a flood of calls may cost, at the most: more are refused by Lambda, and the API server goes on (Ignore).
      reservedConcurrency: 10,
    });
    const rotation = props.secretRotation === undefined ? '' : `-${props.secretRotation}`;
    // Another construct, not another value of the same: CloudFormation resolves a reference again only where its text changed.
    const secret = new Secret(this, `Secret${rotation}`, {
      description: 'The last part of the path that API servers call Kerf by',
      generateSecretString: { passwordLength: 40, excludePunctuation: true, excludeCharacters: PUNCTUATION },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions::AwsSolutions-SMG4',
      reason: 'It is written into the webhook configuration of every cluster: changing it is a deploy, not a schedule',
    });
    // Resolved by CloudFormation: the template holds a reference, and the function starts without asking anybody.
    this.#secret = secret.secretValue.unsafeUnwrap();
    this.function.addEnvironment(VARIABLES.webhookSecret, this.#secret);
    this.url = this.function.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }).url;
    this.secretArn = secret.secretArn;
  }

  /** Tells a function that writes webhook configurations into clusters what is to be called. */
  introduceTo({ function: told }: LambdaFunction): void {
    told.addEnvironment(VARIABLES.webhookUrl, this.url);
    told.addEnvironment(VARIABLES.webhookSecret, this.#secret);
  }
}
