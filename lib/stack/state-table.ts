import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { ClusterOptions } from '../operator/options/cluster-options.ts';
import { type TableUser, tableAccess } from '../operator/options/table-access.ts';
import { allow } from './permissions.ts';

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
      deletionProtection: true,
    });
    this.name = this.#table.tableName;
  }

  /** Grants reads, writes and transactions on the function's own partitions, but not Scan or actions on the table itself. */
  grant(role: IRole, user: TableUser, clusters: readonly ClusterOptions[]): void {
    const names = clusters.map(({ name }) => name);
    for (const { actions, partitions, attributes } of tableAccess(user, Stack.of(this).region, names)) {
      // DynamoDB supplies the partition for every one of these actions, so the condition cannot be met by its absence.
      const keys = { 'dynamodb:LeadingKeys': [...partitions] };
      const fields = attributes && { 'dynamodb:Attributes': [...attributes] };
      allow(role, {
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [this.#table.tableArn],
        conditions: {
          'ForAllValues:StringLike': keys,
          ...(fields && { 'ForAllValues:StringEquals': fields }),
        },
      });
    }
  }
}
