import { expect, test } from 'vitest';
import type { Deletion, NodeClaimRecord } from '../../../lib/core/model/node-claim-record.ts';
import { inTurn } from '../../../lib/core/node-claim/turn.ts';
import { aClaim, launchedClaim } from '../../builders/node-claims.ts';
import { MINUTE, NOW_MS, SECOND } from '../../builders/times.ts';

const CLAIMS = Array.from({ length: 5_000 }, (_, index) => ({ name: `claim-${index}` }));

/** The number of runs after which every claim had its turn, if each run looks at the first `cut` claims. */
function runsUntilAll(cut: number, everyMs: number): number {
  const seen = new Set<string>();
  for (let runs = 1; runs <= 1_000; runs += 1) {
    for (const { name } of inTurn(CLAIMS, NOW_MS + runs * everyMs).slice(0, cut)) seen.add(name);
    if (seen.size === CLAIMS.length) return runs;
  }
  return Infinity;
}

test.each([
  [500, MINUTE],
  [500, 5 * SECOND],
  [500, 2 * MINUTE],
  [100, MINUTE],
  [2_500, MINUTE],
  [5_000, MINUTE],
])('if runs look at %i of 5,000 claims every %i ms, every claim has its turn within 3 n / k runs', (cut, everyMs) => {
  expect(runsUntilAll(cut, everyMs)).toBeLessThanOrEqual((3 * CLAIMS.length) / cut);
});

test('ten runs that are cut off after 500 of 5,000 claims look at 4,000 of them at least', () => {
  const seen = Array.from({ length: 10 }, (_, run) => inTurn(CLAIMS, NOW_MS + run * MINUTE).slice(0, 500)).flat();
  expect(new Set(seen.map(({ name }) => name)).size).toBeGreaterThanOrEqual(4_000);
});

test('every claim has exactly one turn in a run, and the same time gives the same order', () => {
  const order = inTurn(CLAIMS, NOW_MS);
  expect(new Set(order).size).toBe(CLAIMS.length);
  expect(inTurn(CLAIMS, NOW_MS)).toEqual(order);
  expect(inTurn([], NOW_MS)).toEqual([]);
});

test.each<[string, NodeClaimRecord]>([
  ['not launched', aClaim({ name: 'first' })],
  ['launched and not initialized', launchedClaim({ name: 'first', registeredAtMs: NOW_MS })],
  ['drained before a deadline', deleted({ reason: 'expired', deadlineMs: NOW_MS })],
  ['interrupted', deleted({ reason: 'spot_interrupted' })],
  ['interrupted while it is drained', deleted({ reason: 'drifted', interruptedAtMs: NOW_MS })],
])('a claim that is %s comes first at any time', (_, urgent) => {
  const others = Array.from({ length: 20 }, (__, index) => launchedClaim({ name: `claim-${index}`, ...JOINED }));
  for (let run = 0; run < 10; run += 1) {
    expect(inTurn([...others, urgent], NOW_MS + run * MINUTE)[0]).toBe(urgent);
  }
});

test('claims whose nodes are registered before those of others come before these at any time (B67)', () => {
  const first = launchedClaim({ name: 'first', startTurn: 1 });
  const others = Array.from({ length: 20 }, (_, index) => launchedClaim({ name: `claim-${index}`, startTurn: 2 }));
  const registered = launchedClaim({ name: 'registered', startTurn: 1, registeredAtMs: NOW_MS });
  for (let run = 0; run < 10; run += 1) {
    const order = inTurn([...others, registered, first], NOW_MS + run * MINUTE);
    expect(order[0]).toBe(first);
    expect(inTurn([...others, registered], NOW_MS + run * MINUTE)).toEqual(order.slice(1));
  }
});

test('an interrupted claim comes before any number of claims that are launched, or drained before a deadline', () => {
  const interrupted = deleted({ reason: 'spot_interrupted' });
  const urgent = Array.from({ length: 20 }, (_, index) => [
    aClaim({ name: `new-${index}` }),
    { ...deleted({ reason: 'expired', deadlineMs: NOW_MS }), name: `old-${index}` },
  ]).flat();
  for (let run = 0; run < 10; run += 1) {
    expect(inTurn([...urgent, interrupted, ...urgent], NOW_MS + run * MINUTE)[0]).toBe(interrupted);
  }
});

const JOINED = { registeredAtMs: NOW_MS, initializedAtMs: NOW_MS };

function deleted(over: Pick<Deletion, 'reason'> & Partial<Deletion>) {
  const deletion = { message: '', requestedAtMs: NOW_MS, ...over };
  return launchedClaim({ name: 'first', registeredAtMs: NOW_MS, initializedAtMs: NOW_MS, deletion });
}
