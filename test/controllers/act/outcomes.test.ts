import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../../lib/apis/formats/time.ts';
import { outcomeOf, reportOf } from '../../../lib/controllers/act/outcomes.ts';
import { reportedRefusals } from '../../../lib/controllers/act/reported-refusals.ts';
import { problemsIn } from '../../../lib/controllers/record/problems-in.ts';
import type { Action } from '../../../lib/core/model/decision.ts';
import { RefusedError } from '../../../lib/ports/errors.ts';
import { aDecision } from '../../builders/decisions.ts';

const TERMINATE = { kind: 'terminate-instance', nodeClaim: 'general', instanceId: 'i-1' } as const satisfies Action;

/** The reports of five runs, a minute apart, in which so many actions fail. */
async function reportsOf(failure: Error, count = 1) {
  const refusals = reportedRefusals();
  const reports = [];
  for (let minute = 0; minute < 5; minute += 1) {
    const ports = { refusals, clock: { now: () => minute * MINUTE_MS } };
    const actions = Array.from({ length: count }, (_, at) => ({ ...TERMINATE, instanceId: `i-${at}` }));
    const fails = async () => Promise.reject(failure);
    const outcomes = await Promise.all(actions.map(async (action) => outcomeOf(action, fails)));
    const report = reportOf(ports, aDecision({ actions }), outcomes);
    reports.push({
      failures: report.failures.length,
      problems: problemsIn(report).map(({ kind }) => kind),
      news: report.news()?.blocked.length ?? 0,
    });
  }
  return reports;
}

test('an action that fails by a bug is a problem of each run, so that the alarm is raised, and is published once', async () => {
  const later = { failures: 1, problems: ['UnexpectedError'], news: 0 };
  expect(await reportsOf(new TypeError('a bug'))).toEqual([{ ...later, news: 1 }, later, later, later, later]);
});

test('a bug that fails many actions is one failure of each later run', async () => {
  const failures = (await reportsOf(new TypeError('a bug'), 100)).map((one) => one.failures);
  expect(failures).toEqual([100, 1, 1, 1, 1]);
});

test('an action that a service refuses is a failure once, and is published once', async () => {
  const later = { failures: 0, problems: [], news: 0 };
  const first = { failures: 1, problems: [], news: 1 };
  expect(await reportsOf(new RefusedError('denied'))).toEqual([first, later, later, later, later]);
});
