import { expect, test } from 'vitest';
import { type Waited, waitsOf } from '../../../lib/controllers/wait/waits.ts';
import { UnreachableError } from '../../../lib/ports/errors.ts';
import { invocationTimer } from '../../../lib/simulator/aws/simulated-lambda.ts';
import { timetableFrom } from '../../../lib/simulator/timetable.ts';

const LIMIT = { what: 'the bus', ms: 2_000 };

/** Waits in an invocation of a minute. *Shape:* what each wait returns, and when. */
function aRun(timeoutMs = 60_000) {
  const timetable = timetableFrom(0);
  const waits = waitsOf(invocationTimer(timetable, timeoutMs));
  const ended: [Waited<unknown>, number][] = [];
  const begin = (limit: typeof LIMIT, work: Promise<unknown>): void =>
    void waits.atMost(limit, work).then((waited) => ended.push([waited, timetable.now()]));
  const play = async (): Promise<typeof ended> => {
    while (await timetable.step(60_000));
    return ended;
  };
  return { timetable, waits, begin, play };
}

const hanging = async (): Promise<never> => new Promise<never>(() => {});

test('a wait ends with the result of the work', async () => {
  const { timetable, begin, play } = aRun();
  begin(
    LIMIT,
    timetable.wait(1_000).then(() => 7),
  );
  expect(await play()).toEqual([[{ kind: 'ended', result: 7 }, 1_000]]);
});

test('waits for the same that began together end together, and later ones end at once', async () => {
  const { timetable, begin, play } = aRun();
  for (const _ of [1, 2]) begin(LIMIT, hanging());
  timetable.after(3_000, () => begin(LIMIT, hanging()));
  timetable.after(3_000, () => begin({ ...LIMIT, what: 'another' }, hanging()));
  expect(await play()).toEqual([
    [{ kind: 'late', waitedMs: 2_000 }, 2_000],
    [{ kind: 'late', waitedMs: 2_000 }, 2_000],
    [{ kind: 'late', waitedMs: 0 }, 3_000],
    [{ kind: 'late', waitedMs: 2_000 }, 5_000],
  ]);
});

test('a wait takes half of the remaining time at most', async () => {
  const { begin, play } = aRun(1_000);
  begin(LIMIT, hanging());
  expect(await play()).toEqual([[{ kind: 'late', waitedMs: 500 }, 500]]);
});

test('a failure of the work fails the wait, and nothing after it', async () => {
  const { timetable, waits, begin, play } = aRun();
  const failed = waits.atMost(LIMIT, Promise.reject(new UnreachableError('no bus')));
  await expect(failed).rejects.toThrow('no bus');
  begin(
    LIMIT,
    timetable.wait(3_000).then(() => Promise.reject(new UnreachableError('too late'))),
  );
  expect(await play()).toEqual([[{ kind: 'late', waitedMs: 2_000 }, 2_000]]);
});
