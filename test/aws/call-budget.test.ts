import { DynamoDbCallBudget } from '../../lib/providers/dynamodb/call-budget.ts';
import { callBudgetContract } from '../contract/call-budget.ts';
import { DYNAMODB, testTable } from './table.ts';

for (const [name, configuration] of Object.entries(DYNAMODB)) {
  callBudgetContract(name, async (world) => {
    const { close, ...table } = await testTable(configuration);
    const options = { ...table, ...world, region: 'us-east-1' };
    return { budgets: [new DynamoDbCallBudget(options), new DynamoDbCallBudget(options)], close };
  });
}
