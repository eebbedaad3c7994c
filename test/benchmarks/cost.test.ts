import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { ARCHIVE_DAYS } from '../../benchmarks/cost/assumptions.ts';
import { billOfUse, COMPONENTS, fixedBill, totalOf } from '../../benchmarks/cost/bill.ts';
import { fixedParts } from '../../benchmarks/cost/fixed-parts.ts';
import { nothingUsed } from '../../benchmarks/cost/ledger.ts';
import { metricsIn, noteInvocation } from '../../benchmarks/cost/meter.ts';
import { differences } from '../../benchmarks/cost/render-cost.ts';
import { itemBytes, readUnits, sizesOf, writeUnits, writtenKeys } from '../../benchmarks/cost/request-units.ts';
import { NOW_MS } from '../builders/times.ts';
import { inProcessTable } from '../fakes/dynamodb/in-process-table.ts';
import { templateOf } from '../stack/assembly.ts';

const bytes = (length: number) => ({ pk: { S: 'p' }, sk: { S: 's' }, payload: { B: new Uint8Array(length) } });

test('the size of an item has its names and values', () => {
  expect(itemBytes({ pk: { S: 'abc' }, count: { N: '12345' } })).toBe(2 + 3 + 5 + 4);
  expect(itemBytes(bytes(1_000))).toBe(6 + 7 + 1_000);
});

test('a read costs a unit for each 4 KB of all its items, half if it is eventually consistent', () => {
  expect(readUnits([], true)).toBe(1);
  expect(readUnits([bytes(100), bytes(100)], true)).toBe(1);
  expect(readUnits([bytes(4_000), bytes(4_000), bytes(400)], true)).toBe(3);
  expect(readUnits([bytes(8_000)], false)).toBe(1);
});

test('a write costs a unit for each KB of the larger item, twice as much in a transaction', () => {
  expect(writeUnits([0], [100], false)).toBe(1);
  expect(writeUnits([3_000], [100], false)).toBe(3);
  expect(writeUnits([0, 100], [2_000, 0], true)).toBe(6);
});

test('the sizes of what a command writes are those in the table', async () => {
  const table = inProcessTable({ clock: { now: () => NOW_MS } });
  const command = new PutItemCommand({ TableName: table.tableName, Item: bytes(500) });
  const keys = writtenKeys(command.input);
  expect(sizesOf(table, keys)).toEqual([0]);
  await table.client.send(command);
  expect(sizesOf(table, keys)).toEqual([513]);
});

function callsFor(messages: number): number {
  const use = nothingUsed();
  noteInvocation(use, messages);
  return use.queueCalls;
}

test('a batch of messages is received and deleted in calls of ten messages', () => {
  expect([0, 1, 10, 11, 1_000].map(callsFor)).toEqual([0, 2, 2, 4, 200]);
});

test('a metric is its namespace, name and dimensions', () => {
  const directive = { Namespace: 'Kerf', Dimensions: [['Cluster']], Metrics: [{ Name: 'Nodes' }, { Name: 'Pods' }] };
  const line = JSON.stringify({ _aws: { Timestamp: 1, CloudWatchMetrics: [directive] }, Cluster: 'a', Nodes: 1 });
  expect(metricsIn(line)).toEqual(['Kerf/Nodes{Cluster=a}', 'Kerf/Pods{Cluster=a}']);
  expect(metricsIn('{"level":"INFO"}')).toEqual([]);
});

test('the fixed parts are those of the template', () => {
  const [one, two] = [fixedParts(1), fixedParts(2)];
  expect(one.memoryMib['provisioning']).toBe(1_769);
  expect(two.pollsAMinute).toBe(one.pollsAMinute);
  const bill = fixedBill(one);
  expect(bill.polling).toBeCloseTo(one.pollsAMinute * 0.01752);
  expect(totalOf(bill)).toBeCloseTo(bill.polling + bill.fixed);
});

function billOf(eventBytes: number) {
  return billOfUse(
    {
      hours: 730,
      nodes: 0,
      functions: { lifecycle: { ...nothingUsed(), events: 1_000_000, eventBytes } },
      metricHours: 0,
      metrics: [],
      tableBytes: 0,
    },
    fixedParts(1),
  );
}

test('the archive of the event bus is billed for the bytes of events, and has the lifetime of the template', () => {
  expect(billOf(0).events).toBeCloseTo(1);
  // 0.10 USD for each GB, and 14 of 30.4 days at 0.023 USD a month.
  expect(billOf(10e9).events).toBeCloseTo(1 + 10 * (0.1 + 0.0106), 3);
  templateOf([{ name: 'demo' }]).hasResourceProperties('AWS::Events::Archive', { RetentionDays: ARCHIVE_DAYS });
});

const tableOf = (lambda: string, reads: string): string =>
  [
    '',
    '',
    `| zero | ${[lambda, reads, ...COMPONENTS.slice(2).map(() => '0.00')].join(' | ')} | **1.00** | 2.00 |`,
  ].join('\n');

test('only the cost of measured CPU time may differ from the document', () => {
  expect(differences(tableOf('0.50', '0.20'), tableOf('0.55', '0.20'))).toEqual([]);
  expect(differences(tableOf('0.50', '0.20'), tableOf('0.90', '0.20'))).toHaveLength(1);
  expect(differences(tableOf('0.50', '0.20'), tableOf('0.50', '0.21'))).toEqual([
    'zero, reads: the document has 0.2, measured 0.21',
  ]);
  expect(differences(tableOf('0.50', '0.20'), '')).not.toEqual([]);
});
