import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SECOND_MS } from '../../lib/apis/formats/time.ts';
import { type CallLimits, PATIENCE_MS } from '../../lib/core/call-budget/token-bucket.ts';
import type { CallBudget } from '../../lib/ports/call-budget.ts';
import type { Clock } from '../../lib/ports/clock.ts';
import { NOW_MS } from '../builders/times.ts';

export interface CallBudgetWorld {
  readonly limitsOf: (api: string) => CallLimits;
  readonly clock: Clock;
}

export interface CallBudgetHarness {
  /** Two functions that share one budget. */
  readonly budgets: readonly [CallBudget, CallBudget];
  readonly close?: () => Promise<void>;
}

const LIMITS = { capacity: 20, perSecond: 5 };

/** The doc comment of `lib/ports/call-budget.ts`, executed. */
export function callBudgetContract(name: string, make: (world: CallBudgetWorld) => Promise<CallBudgetHarness>): void {
  describe(`CallBudget: ${name}`, () => {
    let harness: CallBudgetHarness;
    let one: CallBudget;
    let other: CallBudget;
    let nowMs: number;
    beforeEach(async () => {
      nowMs = NOW_MS;
      harness = await make({ limitsOf: () => LIMITS, clock: { now: () => nowMs } });
      [one, other] = harness.budgets;
    });
    afterEach(() => harness.close?.());

    /** The delay of each granted call. Calls that must wait are left out. */
    const taken = async (budget: CallBudget, count: number): Promise<readonly number[]> => {
      const grants = await Promise.all(Array.from({ length: count }, async () => budget.take('CreateFleet')));
      return grants
        .flatMap((grant) => (grant.kind === 'granted' ? [grant.atMs - nowMs] : []))
        .toSorted((a, b) => a - b);
    };

    test('calls are granted at once up to the capacity, then at the refill rate, then not at all', async () => {
      const delays = await taken(one, 60);
      expect(delays.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 0));
      expect(delays.slice(20)).toEqual([200, 400, 600, 800, 1_000, 1_200, 1_400, 1_600, 1_800, 2_000]);
    });

    test('a call that must wait gets the time of the next try, and is granted then', async () => {
      await taken(one, 60);
      const grant = await one.take('CreateFleet');
      if (grant.kind !== 'wait') throw new Error('expected to wait');
      expect(grant.untilMs).toBeGreaterThan(nowMs);
      nowMs = grant.untilMs;
      expect((await one.take('CreateFleet')).kind).toBe('granted');
    });

    test('two functions share the budget', async () => {
      const granted = [...(await taken(one, 30)), ...(await taken(other, 30))];
      expect(granted).toHaveLength(30);
      nowMs += 2 * SECOND_MS;
      const both = await Promise.all([taken(one, 30), taken(other, 30)]);
      expect(both.flat().length).toBeLessThanOrEqual(10);
      expect(both.flat().length).toBeGreaterThan(0);
    });

    test('a minute of permanent requests grants as many calls as AWS allows, and not many fewer', async () => {
      let count = 0;
      for (let second = 0; second < 60; second += 1) {
        count += (await taken(one, 6)).length + (await taken(other, 6)).length;
        nowMs += SECOND_MS;
      }
      const most = LIMITS.capacity + (60 + PATIENCE_MS / SECOND_MS) * LIMITS.perSecond;
      expect(count).toBeLessThanOrEqual(most);
      expect(count).toBeGreaterThan(most * 0.8);
    });

    test('APIs do not share a budget', async () => {
      await taken(one, 60);
      expect(await one.take('DescribeImages')).toEqual({ kind: 'granted', atMs: nowMs });
    });

    test('after AWS has throttled, no call is granted at once, and the refill rate is halved', async () => {
      await taken(one, 1);
      await taken(other, 1);
      await one.throttled('CreateFleet');
      await other.throttled('CreateFleet');
      const delays = await taken(one, 30);
      expect(delays).toEqual([400, 800, 1_200, 1_600, 2_000]);
    });

    test('a minute after a throttled call, the full rate is granted again', async () => {
      await one.throttled('CreateFleet');
      for (let second = 0; second < 60; second += 1) {
        nowMs += SECOND_MS;
        await taken(one, 30);
      }
      nowMs += 4 * SECOND_MS;
      expect((await taken(one, 60)).length).toBeGreaterThanOrEqual(4 * LIMITS.perSecond);
    });
  });
}
