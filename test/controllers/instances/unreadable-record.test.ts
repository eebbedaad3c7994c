import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { MINUTE_MS, parseTime } from '../../../lib/apis/formats/time.ts';
import { DynamoDbCatalogueStore } from '../../../lib/providers/dynamodb/catalogue-store.ts';
import { DynamoDbLeases } from '../../../lib/providers/dynamodb/leases.ts';
import { DynamoDbNodeClaimStore } from '../../../lib/providers/dynamodb/node-claim-store.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';
import { live, SMALL_CATALOGUE } from '../life.ts';

/** The record of the first claim becomes unreadable after four minutes; a spot instance is interrupted and pods are added later. */
test('a record that cannot be read stops nothing else, and its instance is neither terminated nor launched again', async () => {
  const result = await live({
    catalogue: SMALL_CATALOGUE,
    durationMs: 30 * MINUTE_MS,
    scenario: {
      name: 'later',
      events: [{ kind: 'scale', atMs: 10 * MINUTE_MS, deployment: 'default/web', replicas: 60 }],
    },
    stores: (clock) => {
      const brokenFromMs = parseTime('2026-01-01T00:04:00Z');
      let isBroken = false;
      const table = inProcessTable({
        clock,
        faults: {
          around: async (_, go) => {
            const claim = table.items().find(({ sk }) => sk?.S?.startsWith('claim#') === true);
            if (!isBroken && clock.now() >= brokenFromMs && claim !== undefined) {
              isBroken = true;
              const Item = { ...claim, payload: { S: 'edited' } };
              await table.client.send(new PutItemCommand({ TableName: table.tableName, Item }));
            }
            return go();
          },
        },
      });
      return {
        store: new DynamoDbNodeClaimStore({ ...table, clock }),
        leases: new DynamoDbLeases({ ...table, clock }),
        catalogue: new DynamoDbCatalogueStore({ ...table, region: 'us-east-1' }),
      };
    },
  });
  const of = (kind: string) => result.timeline.filter((entry) => entry.kind === kind).length;
  expect({ podsPending: result.podsPending, podsRunning: result.podsRunning }).toEqual({
    podsPending: [],
    podsRunning: 60,
  });
  expect(of('instance-launched')).toBeGreaterThan(1);
  expect(of('instance-terminated')).toBe(0);
  expect(of('function-failed'), 'the list reports the record, and no run fails').toBe(0);
});
