import { expect, test } from 'vitest';
import { HOUR_MS } from '../../../lib/apis/formats/time.ts';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import { findClaims } from '../../../lib/controllers/observe/find-claims.ts';
import { RefusedError, UnreachableError, UnreadableError } from '../../../lib/ports/errors.ts';
import { memoryNodeClaimStore } from '../../../lib/simulator/memory-node-claim-store.ts';
import { NOW_MS, SECOND } from '../../builders/times.ts';

const WAKE = { cluster: 'demo', reason: 'created', nodeClaim: 'general-a' };

function portsWhere(error: Error, refusals = reportedRefusals()) {
  const readNodeClaim = async (): Promise<never> => {
    throw error;
  };
  const store = { ...memoryNodeClaimStore(), readNodeClaim };
  return (nowMs: number) => ({ store, refusals, clock: { now: () => nowMs } });
}

test('a wake for a record that cannot be read is answered, and the record is reported once an hour', async () => {
  const error = new UnreadableError('NodeClaim general-a in the table cannot be read');
  const at = portsWhere(error);
  expect(await findClaims(at(NOW_MS), WAKE)).toEqual({ records: [], failures: [error] });
  expect(await findClaims(at(NOW_MS + HOUR_MS - 1), WAKE)).toEqual({ records: [], failures: [] });
  expect(await findClaims(at(NOW_MS + HOUR_MS), WAKE)).toEqual({ records: [], failures: [error] });
});

test('a wake is answered if the table refuses the read, and this is reported once an hour', async () => {
  const at = portsWhere(new RefusedError('not authorized'));
  const messages = async (nowMs: number) => (await findClaims(at(nowMs), WAKE)).failures.map(({ message }) => message);
  const refused = [`read the record of NodeClaim ${WAKE.nodeClaim}: not authorized`];
  expect(await messages(NOW_MS)).toEqual(refused);
  expect(await messages(NOW_MS + SECOND)).toEqual([]);
  expect(await messages(NOW_MS + HOUR_MS)).toEqual(refused);
});

test('a wake is delivered again if the table does not answer', async () => {
  const at = portsWhere(new UnreachableError('throttled'));
  await expect(findClaims(at(NOW_MS), WAKE)).rejects.toThrow('throttled');
});
