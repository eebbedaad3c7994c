import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';

/** The state of all clusters. It is retained after the stack is deleted, because instances without it would have to be adopted. */
export class StateTable extends Construct {
  readonly name: string;
  readonly #table: TableV2;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#table = new TableV2(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: 'expiresAt',
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.name = this.#table.tableName;
  }

  /** Grants reads, writes and transactions by key, but not Scan or actions on the table itself. */
  grantReadWrite(grantee: IGrantable): void {
    this.#table.grant(
      grantee,
      'dynamodb:GetItem',
      'dynamodb:Query',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:DeleteItem',
      'dynamodb:ConditionCheckItem',
    );
  }
}
