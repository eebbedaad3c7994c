import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { WidgetPorts } from '../../../controllers/widgets.ts';
import { DynamoDbDecisionLog } from '../../../providers/dynamodb/decision-log.ts';
import { DynamoDbNodeClaimStore } from '../../../providers/dynamodb/node-claim-store.ts';
import { systemClock } from '../../lambda/system-clock.ts';
import { type Environment, widgetOptions } from '../../options/options.ts';
import { SDK_TIMEOUTS } from '../sdk-timeouts.ts';
import { bucketNamed } from './bucket.ts';

/** Wires the function that draws widgets: the table and the bucket, which it only reads. *Errors:* OptionError. */
export function wireWidgets(environment: Environment = process.env): WidgetPorts {
  const { table: tableName, bodies } = widgetOptions(environment);
  const config = { requestHandler: SDK_TIMEOUTS };
  const client = new DynamoDBClient(config);
  const { archive } = bucketNamed(bodies, config);
  return {
    log: new DynamoDbDecisionLog({ client, tableName, archive }),
    store: new DynamoDbNodeClaimStore({ client, tableName }),
    clock: systemClock,
  };
}
