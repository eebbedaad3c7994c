import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { acknowledgeWildcards } from './permissions.ts';

/** Stores content that is too large for an item of the table, and the snapshots of decisions. It is retained after the stack is deleted, like the table that refers to it. */
export class BodyBucketConstruct extends Construct {
  readonly name: string;
  readonly #bucket: Bucket;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // Each read of an open decision rewrites its body, so an object of this age belongs to a closed decision or to none.
      lifecycleRules: [
        { expiration: Duration.days(30), abortIncompleteMultipartUploadAfter: Duration.days(1) },
        { prefix: 'snapshots/', expiration: Duration.days(14) },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Validations.of(this.#bucket).acknowledge({
      id: 'AwsSolutions::AwsSolutions-S1',
      reason:
        'Only three functions of this stack access the bucket, and objects expire within a month, so access logs have no use',
    });
    this.name = this.#bucket.bucketName;
  }

  get #resource(): CfnBucket {
    const resource = this.#bucket.node.defaultChild;
    if (resource instanceof CfnBucket) return resource;
    throw new TypeError('the bucket has no CfnBucket resource');
  }

  /** Grants read and write access. Only the lifecycle rule deletes objects. */
  grantReadWrite(role: IRole): void {
    const bodies = this.#bucket.arnForObjects('bodies/*');
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ['s3:GetObject', 's3:PutObject'], resources: [bodies] }));
    // Functions write what people read later.
    const records = ['records/*', 'snapshots/*'].map((objects) => this.#bucket.arnForObjects(objects));
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ['s3:PutObject'], resources: records }));
    // Without this permission S3 returns 403 instead of 404 for a missing object.
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.#bucket.bucketArn] }));
    this.#acknowledge(role, ['bodies', 'records', 'snapshots']);
  }

  /** Grants reads of records that are too large for the table. */
  grantRecordReads(role: IRole): void {
    const records = this.#bucket.arnForObjects('records/*');
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ['s3:GetObject'], resources: [records] }));
    this.#acknowledge(role, ['records']);
  }

  #acknowledge(role: IRole, folders: readonly string[]): void {
    const logicalId = Stack.of(this).getLogicalId(this.#resource);
    acknowledgeWildcards(
      role,
      folders.map((folder) => `<${String(Stack.of(this).resolve(logicalId))}.Arn>/${folder}/*`),
      'Objects are named by their content or their decision, so access is limited to the folder',
    );
  }
}
