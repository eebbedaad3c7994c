import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../../lib/apis/formats/time.ts';
import { withoutBucket } from '../../../lib/cli/decisions/left-out.ts';
import type { DecisionRecord } from '../../../lib/core/decisions/decision-record.ts';
import { recordOfRun } from '../../../lib/core/decisions/record-of-run.ts';
import { DynamoDbDecisionLog } from '../../../lib/providers/dynamodb/decision-log.ts';
import { aDecision } from '../../builders/decisions.ts';
import { NOW_MS } from '../../builders/times.ts';
import { inProcessTable } from '../../fakes/dynamodb/in-process-table.ts';
import { memoryDecisionArchive } from '../../fakes/memory-decision-log.ts';

const RANGE = { fromMs: NOW_MS - 1, untilMs: NOW_MS + DAY_MS };

/** *Shape:* a record with this number of pods. No pod can be compressed. */
function aRecord(atMs: number, pods: number): DecisionRecord {
  const run = { cluster: 'demo', controller: 'provisioning', wokenBy: 'tick', durationMs: 5, version: '1' } as const;
  const record = recordOfRun({ ...run, decisions: [aDecision({ atMs, actions: [] })] }, []);
  const names = Array.from({ length: pods }, () => `default/${randomBytes(60).toString('hex')}`);
  return { ...record, actions: [{ kind: 'nominate-node', nodes: ['a'], pods: names }] };
}

async function readWithoutBucket(records: readonly DecisionRecord[]) {
  const table = inProcessTable({ clock: { now: () => NOW_MS } });
  const stored = new DynamoDbDecisionLog({ ...table, archive: memoryDecisionArchive() });
  for (const record of records) await stored.write(record);
  const lines: string[] = [];
  const log = withoutBucket(
    (archive) => new DynamoDbDecisionLog({ ...table, archive }),
    (line) => void lines.push(line),
  );
  return { log, lines };
}

test('without a bucket, one line has the number of records that are left out, and what to add', async () => {
  const small = aRecord(NOW_MS, 1);
  const { log, lines } = await readWithoutBucket([small, aRecord(NOW_MS + 1, 2_000), aRecord(NOW_MS + 2, 2_000)]);
  expect(await log.list('demo', RANGE)).toEqual([small]);
  expect(lines).toEqual([
    '2 records of these days are left out, because the bucket of the deployment is not read: add --bucket NAME (output BodiesBucketName)\n',
  ]);
});

test('records that are left out of two reads are counted once', async () => {
  const { log, lines } = await readWithoutBucket([aRecord(NOW_MS, 2_000)]);
  await log.list('demo', RANGE);
  await log.list('demo', RANGE);
  expect(lines).toHaveLength(1);
});

test('nothing is written if all records are in the table', async () => {
  const { log, lines } = await readWithoutBucket([aRecord(NOW_MS, 1)]);
  expect(await log.list('demo', RANGE)).toHaveLength(1);
  expect(lines).toEqual([]);
});
