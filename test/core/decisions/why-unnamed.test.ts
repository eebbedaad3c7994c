import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { type DecisionRecord, MAX_NAMES } from '../../../lib/core/decisions/decision-record.ts';
import { recordOfRun } from '../../../lib/core/decisions/record-of-run.ts';
import { whyUnnamed } from '../../../lib/core/decisions/why-unnamed.ts';
import type { Action } from '../../../lib/core/model/decision.ts';
import { aDecision } from '../../builders/decisions.ts';

const NOON_MS = Date.parse('2026-11-24T12:00:00.123Z');
const AFTER_MS = NOON_MS + 10 * MINUTE_MS;

/** A record of provisioning that nominates a node for these pods. */
function nominates(pods: readonly string[], minutes = 0): DecisionRecord {
  const actions: readonly Action[] = [{ kind: 'nominate-node', node: 'n1', pods, untilMs: AFTER_MS }];
  const decision = aDecision({ atMs: NOON_MS + minutes * MINUTE_MS, actions });
  const run = { cluster: 'demo', controller: 'provisioning', wokenBy: 'tick', durationMs: 1, version: '1' } as const;
  return recordOfRun({ ...run, decisions: [decision] }, []);
}

const WEB = { kind: 'pod', name: 'default/web' } as const;
const OTHER = nominates(['default/other']);

test('a pod with a later record is answered with the time of the first one', () => {
  const records = [OTHER, nominates(['default/web'], 20), nominates(['default/web'], 30)];
  expect(whyUnnamed(records, WEB, AFTER_MS)).toBe(
    'none of 1 record until 2026-11-24T12:10:00Z names pod default/web; the first record that names it is of 2026-11-24T12:20:00Z: write --at 2026-11-24T12:20:00Z',
  );
});

test('a pod whose records are older than those that were read is answered with the time of the last one', () => {
  expect(whyUnnamed([nominates(['default/web'])], WEB, AFTER_MS)).toMatch(
    /; the last record that names it is of 2026-11-24T12:00:00Z: write --at 2026-11-24T12:00:00Z$/,
  );
});

test('a pod of another namespace with this name is named', () => {
  expect(whyUnnamed([nominates(['shop/web'])], WEB, AFTER_MS)).toMatch(
    /; there are records of pod shop\/web: write -n shop$/,
  );
});

test('a pod without a record may have existed: the answer has the period of the records and what they contain', () => {
  expect(whyUnnamed([OTHER], WEB, AFTER_MS)).toBe(
    'none of 1 record until 2026-11-24T12:10:00Z names pod default/web; the last one before is of 2026-11-24T12:00:00Z; records go back to 2026-11-24T12:00:00Z; ' +
      'a pod has a record only if Kerf found or refused a place for it, or evicted it, so a pod that the scheduler bound to a node with free room has none; ' +
      'kerf snapshot --at writes the stored cluster of that time for kerf why pod --snapshot; if it has no such pod, check the name',
  );
});

test('a pod without a record may be one of those that a large record leaves out', () => {
  const large = nominates([...Array(MAX_NAMES + 1).keys()].map((index) => `default/p${index}`));
  expect(whyUnnamed([large], WEB, AFTER_MS)).toMatch(
    /; 1 record with too many pods for all their names, \w{6} the last of them, may be about it; /,
  );
  expect(whyUnnamed([OTHER], WEB, AFTER_MS)).not.toContain('too many');
});

test('a time before all records is answered with the first one', () => {
  expect(whyUnnamed([OTHER], WEB, NOON_MS - MINUTE_MS)).toMatch(
    /^no record until \S+ names pod default\/web; records go back to 2026-11-24T12:00:00Z; /,
  );
  expect(whyUnnamed([], WEB, NOON_MS)).toMatch(/; no records are kept; /);
});

test('a node without a record is answered with the name to check', () => {
  expect(whyUnnamed([OTHER], { kind: 'node', name: 'n2' }, AFTER_MS)).toMatch(/12:00:00Z; check the name$/);
});
