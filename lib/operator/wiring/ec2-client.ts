import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client, type EC2ClientConfig } from '@aws-sdk/client-ec2';
import type { ReservableBudget } from '../../ports/call-budget.ts';
import { holdToBudget, RETRIES, reservable } from '../../providers/aws/client/call-budget.ts';
import { ec2CallLimits } from '../../providers/aws/client/ec2-call-limits.ts';
import { DynamoDbCallBudget } from '../../providers/dynamodb/call-budget.ts';
import { systemClock } from '../lambda/system-clock.ts';

export interface Ec2ClientOptions {
  readonly dynamodb: DynamoDBClient;
  readonly tableName: string;
  readonly region: string;
  readonly config?: EC2ClientConfig;
}

export interface BudgetedEc2 {
  readonly client: EC2Client;
  readonly budget: ReservableBudget;
}

/** An EC2 client that uses the call budget of all functions of the deployment. */
export function budgetedEc2({ dynamodb, tableName, region, config = {} }: Ec2ClientOptions): BudgetedEc2 {
  const clock = systemClock;
  const shared = new DynamoDbCallBudget({ client: dynamodb, tableName, region, clock, limitsOf: ec2CallLimits });
  const budget = reservable(shared, clock);
  return { client: holdToBudget(new EC2Client({ ...config, ...RETRIES }), { budget, clock }), budget };
}
