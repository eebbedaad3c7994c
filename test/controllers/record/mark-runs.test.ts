import { expect, test } from 'vitest';
import { type MarkedRun, runMarks } from '../../../lib/controllers/record/mark-runs.ts';
import { MINUTE } from '../../builders/times.ts';

function tick(minute: number, over: Partial<MarkedRun> & { readonly failures?: readonly string[] } = {}): MarkedRun {
  const { failures = [], ...rest } = over;
  const report = { controller: 'lifecycle', cluster: 'demo', decisions: [], due: [], gauges: {} } as const;
  const errors = failures.map((message) => new Error(message));
  return { wokenBy: 'tick', atMs: minute * MINUTE, report: { ...report, failures: errors }, ...rest };
}

/** The failures in the marks of these ticks. */
function failuresIn(runs: readonly MarkedRun[]) {
  const marks = runMarks();
  return runs.map((run) => {
    const mark = marks.due(run, { version: '1.0.0' });
    if (mark !== undefined) marks.written(mark);
    return mark && [mark.failures, mark.failing?.map(({ message, sinceMs }) => `${message} ${sinceMs / MINUTE}`)];
  });
}

test('a failure that may pass goes on since the first of the marks that have it', () => {
  const runs = [1, 2, 3].map((minute) => tick(minute, { failures: [`read nodes: request 1${minute} timed out`] }));
  expect(failuresIn([...runs, tick(4), tick(5, { failures: ['read nodes: request 1 timed out'] })])).toEqual([
    [1, ['read nodes: request 11 timed out 1']],
    [1, ['read nodes: request 12 timed out 1']],
    [1, ['read nodes: request 13 timed out 1']],
    [0, undefined],
    [1, ['read nodes: request 1 timed out 5']],
  ]);
});

test('a permanent refusal that goes on is in each mark, although the run reports it once', () => {
  const failing = [{ message: 'register-node a: 403', sinceMs: MINUTE }];
  const first = tick(1, { failing, failures: ['general-1: register-node a: 403'] });
  expect(failuresIn([first, tick(2, { failing })])).toEqual([
    [1, ['register-node a: 403 1']],
    [1, ['register-node a: 403 1']],
  ]);
});

test('a mark has the number of all failures, and the oldest two', () => {
  const failing = [1, 0, 2].map((minute) => ({ message: `f${minute}`, sinceMs: minute * MINUTE }));
  expect(failuresIn([tick(3, { failing, failures: ['new'] })])).toEqual([[4, ['f0 0', 'f1 1']]]);
});
