import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { DynamoDbCatalogueStore } from '../../../lib/providers/dynamodb/catalogue-store.ts';
import { NOW_MS } from '../../builders/times.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';

/** Two functions with the same table, and the calls that the table has got since `calls` was emptied. */
function functionsOnOneTable() {
  const calls: string[] = [];
  const table = inProcessTable({
    clock: { now: () => NOW_MS },
    faults: {
      around: async ({ operation }, go) => {
        calls.push(operation);
        return go();
      },
    },
  });
  const options = { ...table, region: 'us-east-1' };
  return { calls, reader: new DynamoDbCatalogueStore(options), writer: new DynamoDbCatalogueStore(options) };
}

/** Larger than an item of the table. */
function aCatalogue(asOf: string) {
  return { region: 'us-east-1', asOf, facts: [], offerings: [], filler: randomBytes(400_000).toString('hex') };
}

test('a catalogue that has not changed is read from one item, as the same object', async () => {
  const { calls, reader, writer } = functionsOnOneTable();
  const written = aCatalogue('2026-01-01T00:00:00Z');
  await writer.writeCatalogue(written);
  const first = await reader.readCatalogue();
  calls.length = 0;
  const again = await reader.readCatalogue();
  expect(calls).toEqual(['GetItem']);
  expect(again).toBe(first);
  expect(again).toEqual(written);
});

test('a catalogue that another function has written is read at once', async () => {
  const { reader, writer } = functionsOnOneTable();
  await writer.writeCatalogue(aCatalogue('2026-01-01T00:00:00Z'));
  await reader.readCatalogue();
  const newer = aCatalogue('2026-01-02T00:00:00Z');
  await writer.writeCatalogue(newer);
  expect(await reader.readCatalogue()).toEqual(newer);
});
