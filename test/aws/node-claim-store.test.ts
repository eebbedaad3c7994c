import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { recordOfRun } from '../../lib/core/decisions/record-of-run.ts';
import { DynamoDbDecisionLog } from '../../lib/providers/dynamodb/decision-log.ts';
import { DynamoDbNodeClaimStore } from '../../lib/providers/dynamodb/node-claim-store.ts';
import { decidedText } from '../../lib/snapshot/write-snapshot.ts';
import { aSnapshot } from '../builders/snapshots.ts';
import { runKerf } from '../cli/run-kerf.ts';
import { decisionLogContract } from '../contract/decisions/decision-log.ts';
import { nodeClaimStoreContract } from '../contract/node-claim-store.ts';
import { aLaunchDecision, aRecord } from '../contract/records.ts';
import { DYNAMODB, testBucket, testTable } from './table.ts';

const bucket = testBucket();

for (const [name, configuration] of Object.entries(DYNAMODB)) {
  nodeClaimStoreContract(name, async () => {
    const { close, ...table } = await testTable(configuration);
    return { store: new DynamoDbNodeClaimStore({ ...table, bodies: (await bucket).bodies }), close };
  });

  decisionLogContract(name, async () => {
    const { close, ...table } = await testTable(configuration);
    const { archive } = await bucket;
    return { log: new DynamoDbDecisionLog({ ...table, archive }), archive, close };
  });

  test(`a list longer than one page of DynamoDB is complete: ${name}`, async () => {
    const { close, ...table } = await testTable(configuration);
    const store = new DynamoDbNodeClaimStore(table);
    // A page holds 1 MB; random text does not shrink.
    const names = Array.from({ length: 15 }, (_, index) => `claim-${String(index).padStart(2, '0')}`);
    const pods = [randomBytes(75_000).toString('hex')];
    await Promise.all(names.map((each) => store.createNodeClaim(aRecord({ name: each, pods }))));
    expect((await store.listNodeClaims('demo')).map((each) => each.name)).toEqual(names);
    await close();
  });
}

test('the commands read the records of a table, and a snapshot of the bucket', async () => {
  const { close, ...table } = await testTable({});
  const { bucket: name, archive } = await bucket;
  const atMs = Date.now();
  const decisions = [{ ...aLaunchDecision({ id: 'provisioning-1-abc', cluster: 'demo' }), atMs }];
  const run = { cluster: 'demo', controller: 'provisioning', wokenBy: 'tick', decisions, durationMs: 5 } as const;
  const record = { ...recordOfRun({ ...run, version: '1' }, []), snapshot: 'snapshots/demo/a.json.gz' };
  const verdict = { actions: [], blocked: [], due: [] };
  const context = { decisionId: 'provisioning-1-abc', nowMs: atMs };
  const decided = { controller: 'provisioning', snapshot: aSnapshot(), context, verdict, decisions } as const;
  await archive.put(record.snapshot, decidedText(decided));
  await new DynamoDbDecisionLog(table).write(record);
  const from = ['--table', table.tableName, '--cluster', 'demo', '--bucket', name] as const;
  const listed = await runKerf(['decisions', ...from, '--since', '1h', '-o', 'json']);
  expect({ stderr: listed.stderr, code: listed.code }).toEqual({ stderr: '', code: 0 });
  expect(JSON.parse(listed.stdout)).toEqual({ formatVersion: 1, records: [record] });
  expect((await runKerf(['show', 'provisioning-1-abc', ...from])).stdout).toContain(record.id);
  expect((await runKerf(['replay', record.id, ...from])).stdout).toContain('1 decision replayed: 1 equal');
  await close();
});
