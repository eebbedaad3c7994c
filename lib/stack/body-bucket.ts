import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledgeWildcards } from './permissions.ts';

/** What no item of the table can hold. It outlives the stack as the table does: items name what lies here. */
export class BodyBucket extends Construct {
  readonly name: string;
  readonly #bucket: Bucket;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // Whoever looks at an open decision writes its body anew: what is that old is history, or was never referred to.
      lifecycleRules: [{ expiration: Duration.days(30), abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Validations.of(this.#bucket).acknowledge({
      id: 'AwsSolutions::AwsSolutions-S1',
      reason:
        'Two functions of this stack read and write it, under names that tell nothing: a log of that tells nobody more',
    });
    this.name = this.#bucket.bucketName;
  }

  get #resource(): CfnBucket {
    const resource = this.#bucket.node.defaultChild;
    if (resource instanceof CfnBucket) return resource;
    throw new TypeError('the bucket has no resource of its own');
  }

  /** Reads and writes; nothing is deleted but by the rule. */
  grantReadWrite(role: IRole): void {
    const bodies = this.#bucket.arnForObjects('bodies/*');
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ['s3:GetObject', 's3:PutObject'], resources: [bodies] }));
    // Without it S3 does not say that an object is missing, but that it may not be read.
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.#bucket.bucketArn] }));
    const logicalId = Stack.of(this).getLogicalId(this.#resource);
    acknowledgeWildcards(
      role,
      [`<${String(Stack.of(this).resolve(logicalId))}.Arn>/bodies/*`],
      'A body is named by the hash of its content: the folder is the limit',
    );
  }
}
