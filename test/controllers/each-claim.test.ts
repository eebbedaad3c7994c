import { expect, test } from 'vitest';
import { eachClaim } from '../../lib/controllers/run/each-claim.ts';
import { MINUTE, NOW_MS } from '../builders/times.ts';

const NAMES = Array.from({ length: 100 }, (_, index) => ({ name: `claim-${index}` }));
const SECOND = 1_000;

/** The claims that a run of ten at a time begins, each of which takes ten seconds. */
async function begun(startMs: number) {
  const started: string[] = [];
  const clock = { now: () => startMs + Math.floor(started.length / 10) * 10 * SECOND };
  const { due } = await eachClaim(NAMES, { clock }, async ({ name }) => {
    started.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    return [];
  });
  return { started, due };
}

test('a run begins no claim after 20 seconds, and the next run, after seconds, begins others', async () => {
  const first = await begun(NOW_MS);
  expect(first.started).toHaveLength(20);
  expect(first.due).toEqual([{ atMs: expect.any(Number), kind: 'settling' }]);
  const nextMs = first.due[0]?.atMs ?? 0;
  expect(nextMs).toBeGreaterThan(NOW_MS + 20 * SECOND - 1);
  expect(nextMs).toBeLessThanOrEqual(NOW_MS + 25 * SECOND);
  const all = new Set(first.started);
  for (let run = 1; run <= 10; run += 1) for (const name of (await begun(NOW_MS + run * MINUTE)).started) all.add(name);
  expect(all.size, 'each claim had its turn').toBe(NAMES.length);
});

test('a run with enough time begins all claims and is not repeated', async () => {
  const started: string[] = [];
  const { due } = await eachClaim(NAMES, { clock: { now: () => NOW_MS } }, async ({ name }) => {
    started.push(name);
    return [];
  });
  expect([started.length, due]).toEqual([NAMES.length, []]);
});
