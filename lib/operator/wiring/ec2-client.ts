import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client, type EC2ClientConfig } from '@aws-sdk/client-ec2';
import { holdToBudget, RETRIES } from '../../providers/aws/client/call-budget.ts';
import { ec2CallLimits } from '../../providers/aws/client/ec2-call-limits.ts';
import { DynamoDbCallBudget } from '../../providers/dynamodb/call-budget.ts';
import { systemClock } from '../lambda/system-clock.ts';

export interface Ec2ClientOptions {
  readonly dynamodb: DynamoDBClient;
  readonly tableName: string;
  readonly region: string;
  readonly config?: EC2ClientConfig;
}

/** An EC2 client that uses the call budget of all functions of the deployment. */
export function budgetedEc2({ dynamodb, tableName, region, config = {} }: Ec2ClientOptions): EC2Client {
  const clock = systemClock;
  const budget = new DynamoDbCallBudget({ client: dynamodb, tableName, region, clock, limitsOf: ec2CallLimits });
  return holdToBudget(new EC2Client({ ...config, ...RETRIES }), { budget, clock });
}
