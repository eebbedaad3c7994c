import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newRecordFiles } from '../../../lib/cli/decisions/record-files.ts';
import type { RecordedAction } from '../../../lib/core/decisions/decision-record.ts';
import { recordOfRun } from '../../../lib/core/decisions/record-of-run.ts';
import { aDecision } from '../../builders/decisions.ts';
import { HOUR, NOW_MS } from '../../builders/times.ts';
import { runKerf } from '../run-kerf.ts';

const root = mkdtempSync(join(tmpdir(), 'kerf-reserved-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Runs `kerf cost` after an instance of this capacity type has run for ten hours. */
async function costOf(capacityType: 'reserved' | 'on-demand', usdPerHour: number) {
  const folder = join(root, capacityType);
  const { log } = newRecordFiles(folder);
  const run = { cluster: 'demo', controller: 'termination', wokenBy: 'tick', durationMs: 1, version: '1' } as const;
  const action: RecordedAction = {
    kind: 'terminate-instance',
    instance: 'i-1',
    nodePool: 'general',
    instanceType: 'p5.48xlarge',
    zone: 'eu-west-3a',
    capacityType,
    usdPerHour,
    sinceMs: NOW_MS - 10 * HOUR,
  };
  await log.write({ ...recordOfRun({ ...run, decisions: [aDecision()] }, []), actions: [action] });
  return runKerf(['cost', '--records', folder, '--since', '20h', '--by', 'capacity-type'], {});
}

test('the cost of reserved capacity is not counted, and a note says so', async () => {
  const { stdout, stderr, code } = await costOf('reserved', 98 / 10_000_000);
  expect(stdout).toMatch(/^reserved +1 +10\.0 +0\.0000 +\$0\.00/m);
  expect([code, stderr]).toEqual([
    0,
    '10.0 node hours in capacity reservations count as $0: the account pays for a reservation, used or not\n',
  ]);
  expect((await costOf('on-demand', 98)).stderr).toBe('');
});
