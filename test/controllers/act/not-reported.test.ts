import { expect, test } from 'vitest';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import { failureOf, noteFailure, notReported, type RunNotes } from '../../../lib/controllers/act/run-notes.ts';
import { RefusedError, UnreachableError } from '../../../lib/ports/errors.ts';

function denied(pool: string): Error {
  return failureOf(`NodePool ${pool}`, new RefusedError('request 17: denied'));
}

async function withBug(): Promise<never> {
  return Promise.reject(new TypeError('a bug'));
}

test('a refusal is reported once for each object, also if the names of two objects differ by a number', () => {
  const run = { cluster: 'demo', ports: { clock: { now: () => 0 }, refusals: reportedRefusals() } };
  const away = failureOf('NodePool pool-1', new UnreachableError('no answer'));
  const failures = [denied('pool-1'), denied('pool-2'), away];
  expect(notReported(run, failures)).toEqual(failures);
  expect(notReported(run, failures)).toEqual([away]);
});

test('an error that is not of a port is reported by each run, and the run goes on', async () => {
  const notes: RunNotes = { decisions: [], failures: [], due: [] };
  const run = { cluster: 'demo', ports: { clock: { now: () => 0 }, refusals: reportedRefusals() }, notes };
  await noteFailure(run, 'NodeClaim a', withBug);
  await noteFailure(run, 'NodeClaim a', withBug);
  const reported = 'NodeClaim a: unexpected error: TypeError: a bug';
  expect(notes.failures.map(({ message }) => message)).toEqual([reported, reported]);
  expect(notes.due).toEqual([]);
});
