import { expect, test } from 'vitest';
import { randomFrom } from '../../lib/simulator/random.ts';
import { timetableFrom } from '../../lib/simulator/timetable.ts';

test('appointments run by time, and those of one time in the order in which they were made', async () => {
  const timetable = timetableFrom(0);
  const random = randomFrom(7);
  const made: { readonly at: number; readonly order: number }[] = [];
  const ran: unknown[] = [];
  for (let order = 0; order < 500; order += 1) {
    const one = { at: random.between(0, 40), order };
    const cancel = timetable.after(one.at, () => void ran.push({ at: timetable.now(), order }));
    if (random.between(0, 4) === 0) cancel();
    else made.push(one);
  }
  while (await timetable.step(30));
  const due = made.filter(({ at }) => at <= 30);
  expect(ran).toEqual(due.toSorted((a, b) => a.at - b.at || a.order - b.order));
  expect(timetable.now()).toBe(30);
});

test('a timetable is busy while an appointment remains that is not a background one', async () => {
  const timetable = timetableFrom(0);
  timetable.after(1, () => {}, { background: true });
  const cancel = timetable.after(2, () => {});
  timetable.after(3, () => {});
  expect(timetable.isBusy()).toBe(true);
  cancel();
  cancel();
  expect(timetable.isBusy()).toBe(true);
  while (await timetable.step(3));
  expect(timetable.isBusy()).toBe(false);
  cancel();
  expect(timetable.isBusy()).toBe(false);
});
